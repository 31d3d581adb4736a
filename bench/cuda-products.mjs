/**
 * Products of matrices as rounds on a GPU have them: our kernels beside cuBLAS in float32, with the largest error of
 * some elements over the sum of their terms' sizes. Needs a build and a GPU.
 *
 *   node bench/cuda-products.mjs [--passes 3|1] [part of a name]
 */
import { parseArgs } from "node:util";
import { findDevices, openDevice } from "../dist/engine/cuda/device/device.js";
import { productJob, productText, sourceText } from "../dist/engine/cuda/kernels/kernel-text.js";
import { hasKernel } from "../dist/engine/cuda/kernels/matrix-kernel.js";
import { Expressions } from "../dist/engine/cuda/plan/expressions/expression.js";
import { dot, variable } from "../dist/engine/cuda/plan/expressions/index-algebra.js";
import { stream } from "../dist/random/stream.js";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { passes: { type: "string", default: "3" } },
});

/** Rows, columns, inner axis, batch; a factor may be stored transposed (t), shared by the batch (s) or unaligned (u). */
const CASES = [
  [10240, 100, 100, 10, "", "u"],
  [10240, 100, 100, 10, "", "tu"],
  [10240, 100, 100, 250, "", "u"],
  [10240, 64, 64, 10, "", "u"],
  [10240, 100, 64, 10, "t", ""],
  [64, 10240, 100, 10, "", "t"],
  [640, 10240, 100, 25, "", "ts"],
  [100, 100, 320, 320, "t", ""],
  [100, 100, 10240, 250, "t", ""],
  [64, 100, 320, 320, "", ""],
  [64, 64, 320, 320, "", ""],
  [64, 100, 5120, 250, "", ""],
  [65536, 32, 32, 10, "", "u"],
  [65536, 128, 32, 10, "", "u"],
  [65536, 32, 128, 10, "", "tu"],
  [32, 32, 2048, 320, "t", ""],
  [32, 128, 2048, 320, "t", ""],
  [24, 512, 64, 640, "s", ""],
  [64, 512, 24, 640, "s", ""],
  [48, 6144, 128, 10, "s", ""],
  [288, 1120, 32, 160, "tu", ""],
  [32, 1120, 288, 160, "u", ""],
  [32, 288, 1120, 160, "", "t"],
  [1000, 70, 131, 30, "", "u"],
  [32, 32, 32, 2880, "", "u"],
  [32, 32, 32, 2880, "", "tu"],
  [32, 32, 32, 14400, "t", ""],
];
const ROOM = 3e8;
const REPEATS = 10;

const found = await findDevices();
if ("why" in found) console.log(`nothing to measure on: ${found.why}`);
else await measureAll(await openDevice());

async function measureAll(device) {
  const room = { a: device.allocate(4 * ROOM), b: device.allocate(4 * ROOM), c: device.allocate(4 * ROOM) };
  const numbers = randomNumbers(2 ** 22);
  for (const factor of ["a", "b"])
    for (let at = 0; at + numbers.length <= ROOM; at += numbers.length)
      device.upload(room[factor] + BigInt(4 * at), numbers);
  for (const [rows, columns, inner, batch, ofA, ofB] of CASES) {
    const a = matrix(ofA, rows, inner, 0);
    const b = matrix(ofB, inner, columns, 1);
    const product = { rows, columns, inner, batch, a, b, c: matrix("", rows, columns, 2) };
    const name = `${batch} x [${rows}, ${inner}]${ofA && ` ${ofA}`} [${inner}, ${columns}]${ofB && ` ${ofB}`}`;
    if (!positionals.every((part) => name.includes(part))) continue;
    await measure(device, room, product, name, numbers);
  }
  device.close();
}

/** A matrix that is stored row after row. */
function matrix(how, rows, columns, buffer) {
  const offset = how.includes("u") ? 1 : 0;
  const transposed = how.includes("t");
  const batchStride = how.includes("s") ? 0 : rows * columns + offset;
  return { buffer, offset, transposed, rowStride: transposed ? rows : columns, batchStride };
}

async function measure(device, room, product, name, numbers) {
  const { rows, columns, inner, batch, a, b, c } = product;
  const flops = 2 * rows * columns * inner * batch;
  const tell = (who, ms, error) =>
    console.log(
      `${name.padEnd(44)}${who.padEnd(8)}${(1e3 * ms).toFixed(1).padStart(8)} us` +
        `${(flops / ms / 1e9).toFixed(1).padStart(7)} TFLOP/s   error ${error.toExponential(1)}`,
    );
  const operand = (of, pointer) => ({ ...of, pointer: pointer + BigInt(4 * of.offset) });
  const called = {
    rows,
    columns,
    inner,
    batch,
    beta: 0,
    a: operand(a, room.a),
    b: operand(b, room.b),
    c: operand(c, room.c),
  };
  const library = await timed(device, () => device.multiply(called));
  tell("cuBLAS", library, await errorOf(device, room, product, numbers));
  if (!hasKernel(product, device.multiprocessors)) return;
  const buffers = new Map([
    [2, { id: 2, dtype: "float", size: rows * columns * batch, location: { kind: "input", input: "c" } }],
  ]);
  const job = productJob(
    { kind: "product", stage: 0, ...product, epilogue: [plainStore(product)], sums: [], lines: [] },
    buffers,
    { passes: Number(values.passes), multiprocessors: device.multiprocessors },
  );
  const kernel = productText([job]);
  const compiled = device.compile(sourceText(new Map([["product", kernel]])), ["product"]).get("product");
  device.zero(room.c, 4 * rows * columns * batch);
  const pointers = kernel.pointers.map(
    ({ buffer, offset }) => Object.values(room)[buffer] + BigInt(4 * offset),
  );
  const ours = await timed(device, () =>
    device.launch(compiled, kernel.blocks, kernel.threads, pointers, kernel.sharedBytes, kernel.resident),
  );
  tell("ours", ours, await errorOf(device, room, product, numbers));
}

/** The product as it is, where the library puts it. */
function plainStore({ rows, columns, batch, c }) {
  const place = [variable("n", batch), variable("row", rows), variable("column", columns)];
  const index = dot(c.offset, [c.batchStride, c.rowStride, 1], place);
  return { buffer: c.buffer, index, value: new Expressions().product() };
}

/** Milliseconds of a product, the fastest of some turns. */
async function timed(device, issue) {
  issue();
  const graph = device.capture(() => {
    for (let i = 0; i < REPEATS; i++) issue();
  });
  let best = Infinity;
  for (let turn = 0; turn < 4; turn++) {
    await device.synchronise();
    const [start, end] = [device.event(), device.event()];
    start.record();
    graph.launch();
    end.record();
    await device.synchronise();
    best = Math.min(best, end.since(start) / REPEATS);
  }
  graph.close();
  return best;
}

/** The largest error of some elements, relative to the sum of the sizes of their terms. */
async function errorOf(device, room, { rows, columns, inner, batch, a, b, c }, numbers) {
  const at = (of, n, row, column) => {
    const place = of.transposed ? column * of.rowStride + row : row * of.rowStride + column;
    return numbers[(of.offset + n * of.batchStride + place) % numbers.length];
  };
  const random = stream(0, "bench", "elements");
  const one = new Float32Array(1);
  let worst = 0;
  for (let sample = 0; sample < 40; sample++) {
    const [n, row, column] = [batch, rows, columns].map((length) => random.below(length));
    let [sum, size] = [0, 0];
    for (let k = 0; k < inner; k++) {
      const term = at(a, n, row, k) * at(b, n, k, column);
      sum += term;
      size += Math.abs(term);
    }
    device.download(room.c + BigInt(4 * (c.offset + n * c.batchStride + row * c.rowStride + column)), one);
    worst = Math.max(worst, Math.abs(one[0] - sum) / size);
  }
  return worst;
}

function randomNumbers(length) {
  const random = stream(0, "bench", "products");
  return Float32Array.from({ length }, () => 2 * random.uniform() - 1);
}
