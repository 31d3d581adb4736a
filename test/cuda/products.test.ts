import { expect, it } from "vitest";
import { planOf } from "../../src/engine/cuda/compile-plan.js";
import { cudaBackend } from "../../src/engine/cuda/cuda-backend.js";
import { openDevice } from "../../src/engine/cuda/device/device.js";
import { isOwn } from "../../src/engine/cuda/plan/plan.js";
import { add, matmul, relu, reshape, subtract, sum } from "../../src/engine/operations.js";
import { Program } from "../../src/engine/program.js";
import { describeOnDevice } from "./gpu.js";
import { exactnessTests, numbers, type ProductCase } from "./product-exactness.js";

/** Products that have kernels of ours: many rows, many columns or a long inner axis, of even and of odd sizes. */
const CASES: readonly ProductCase[] = [
  { rows: 2048, columns: 100, inner: 100, batch: 10 },
  { rows: 2048, columns: 100, inner: 100, batch: 10, transposeB: true },
  { rows: 2048, columns: 100, inner: 64, batch: 10, transposeA: true },
  { rows: 2050, columns: 70, inner: 131, batch: 10 },
  { rows: 17003, columns: 33, inner: 9, batch: 1 },
  { rows: 2048, columns: 64, inner: 136, batch: 10 },
  { rows: 2048, columns: 64, inner: 152, batch: 10, transposeA: true },
  { rows: 1500, columns: 130, inner: 17, batch: 12, sharedB: true },
  { rows: 300, columns: 24, inner: 300, batch: 60 },
  { rows: 64, columns: 2048, inner: 100, batch: 10, transposeB: true },
  { rows: 24, columns: 512, inner: 64, batch: 40 },
  { rows: 33, columns: 41, inner: 500, batch: 140, transposeA: true },
  { rows: 64, columns: 100, inner: 320, batch: 140 },
  { rows: 20, columns: 150, inner: 1030, batch: 280, transposeB: true },
  { rows: 32, columns: 24, inner: 16, batch: 1057, transposeA: true },
  { rows: 16, columns: 32, inner: 32, batch: 1056, transposeB: true },
];

describeOnDevice("a product with a kernel of ours", (device) => {
  exactnessTests(device, CASES);

  it("adds another product with the same rows", async () => {
    const [clients, lines, rows, samples, width, kept] = [10, 16, 100, 16, 32, 24];
    const values = {
      transform: numbers(rows * kept, "transform"),
      spectra: numbers(clients * lines * kept * samples * width, "spectra"),
      fields: numbers(clients * lines * rows * samples * width, "fields"),
      weights: numbers(clients * width * width, "weights"),
    };
    const program = new Program();
    const transform = program.input("transform", [rows, kept]);
    const spectra = program.input("spectra", [clients, lines, kept, samples * width]);
    const fields = program.input("fields", [clients, lines * rows * samples, width]);
    const weights = program.input("weights", [clients, width, width]);
    const local = matmul(fields, weights, { transposeB: true });
    const both = add(local, reshape(matmul(transform, spectra), local.shape));
    program.output("bare", both);
    program.output("y", relu(add(both, fields)));
    const [step, ...others] = planOf(program).steps;
    expect([isOwn(step) && step.added?.inner, others]).toEqual([width, []]);
    const executable = await cudaBackend(device()).compile(program);
    const { bare, y } = await executable.run(values);
    let worst = 0;
    for (let at = 0; at < bare.length; at++) {
      const [n, row, column] = [
        Math.floor(at / (rows * samples * width)),
        Math.floor(at / (samples * width)) % rows,
        at % (samples * width),
      ];
      let sum = 0;
      for (let k = 0; k < kept; k++)
        sum += values.transform[row * kept + k] * values.spectra[(n * kept + k) * samples * width + column];
      const [client, point] = [Math.floor(n / lines), Math.floor(at / width)];
      for (let k = 0; k < width; k++)
        sum += values.fields[point * width + k] * values.weights[(client * width + (at % width)) * width + k];
      const changed = Math.max(0, sum + values.fields[at]);
      worst = Math.max(worst, Math.abs(bare[at] - sum), Math.abs(y[at] - changed));
    }
    expect(worst).toBeLessThan(1e-6 * (kept + width));
    await executable.close();
  });

  it("takes factors where they are, in groups, if their matrices are not all one stride apart", async () => {
    const [clients, rows, inner, columns] = [10, 64, 10240, 100];
    const values = {
      a: numbers(clients * rows * inner, "a"),
      b: numbers(clients * inner * columns, "b"),
    };
    const program = new Program();
    const a = program.input("a", [clients, rows, inner]);
    const b = program.input("b", [clients, inner, columns]);
    program.output("y", matmul(a, b));
    program.output("rowSums", sum(a, [2]));
    const plan = planOf(program);
    expect(plan.steps.filter(isOwn).map(({ batch, group }) => [batch, group])).toEqual([[320, 32]]);
    const executable = await cudaBackend(device()).compile(program);
    const { y, rowSums } = await executable.run(values);
    let worst = 0;
    for (let n = 0; n < clients; n++)
      for (let row = 0; row < rows; row++) {
        const left = values.a.subarray((n * rows + row) * inner, (n * rows + row + 1) * inner);
        const total = left.reduce((total, value) => total + value, 0);
        worst = Math.max(worst, Math.abs(rowSums[n * rows + row] - total) / inner);
        for (let column = 0; column < columns; column += 7) {
          const dot = left.reduce((dot, x, k) => dot + x * values.b[(n * inner + k) * columns + column], 0);
          worst = Math.max(worst, Math.abs(y[(n * rows + row) * columns + column] - dot) / inner);
        }
      }
    expect(worst).toBeLessThan(1e-7);
    await executable.close();
  });

  it.each([
    { tf32: false, shapeA: [2048, 64], shapeB: [64, 100] },
    { tf32: false, shapeA: [64, 500], shapeB: [500, 48] },
    { tf32: true, shapeA: [2048, 64], shapeB: [64, 100] },
    { tf32: true, shapeA: [64, 500], shapeB: [500, 48] },
  ])("is not a number where one that the GPU computed is none: %o", async ({ tf32, shapeA, shapeB }) => {
    const batch = 140;
    const own = await openDevice({ tf32 });
    const program = new Program();
    const [x, w] = [program.input("x", [batch, ...shapeA]), program.input("w", [batch, ...shapeB])];
    // Infinity minus infinity, in memory before it is multiplied.
    const left = subtract(x, x);
    program.output("left", left);
    program.output("y", matmul(left, w));
    expect(planOf(program).steps.filter(isOwn)).toHaveLength(1);
    const executable = await cudaBackend(own).compile(program);
    const infinite = new Float32Array(batch * shapeA[0] * shapeA[1]).fill(Infinity);
    const { left: factor, y } = await executable.run({
      x: infinite,
      w: numbers(batch * shapeB[0] * shapeB[1], "w", shapeB[0]),
    });
    expect(factor.every(Number.isNaN)).toBe(true);
    expect(y.every(Number.isNaN)).toBe(true);
    await executable.close();
    own.close();
  });
});
