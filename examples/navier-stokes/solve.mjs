/**
 * Makes pairs of initial vorticity and vorticity at a later time:
 *
 *   node examples/navier-stokes/solve.mjs --samples 1200 --out ns.npz
 *
 * Sample i is drawn from the stream (seed, "navier-stokes", i): it is the same for any number of samples and threads.
 */
import { availableParallelism } from "node:os";
import { parseArgs } from "node:util";
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";
import { stream, writeNpz } from "pde-dirichlet";
import { writeOutputs } from "pde-dirichlet/node";
import { randomVorticity, vorticitySolver } from "./vorticity.mjs";

const DEFAULTS = { samples: 1200, seed: 0, grid: 64, viscosity: 1e-3, time: 5, step: 0.05 };

if (!isMainThread) work(workerData);
else
  await main().catch((error) => {
    console.error(`error: ${error.message}`);
    process.exitCode = 1;
  });

async function main() {
  const { numbers, out, threads, force } = options();
  const { samples, grid } = numbers;
  const size = grid * grid;
  const inputs = new Float32Array(samples * size);
  const responses = new Float32Array(samples * size);
  let [next, done] = [0, 0];
  const workers = Array.from(
    { length: Math.min(threads, samples) },
    () => new Worker(new URL(import.meta.url), { workerData: numbers }),
  );
  const finished = workers.map(
    (worker) =>
      new Promise((resolve, reject) => {
        const give = () => (next < samples ? worker.postMessage(next++) : resolve());
        worker.on("error", reject).on("message", ({ index, input, response }) => {
          inputs.set(input, index * size);
          responses.set(response, index * size);
          progress(++done, samples);
          give();
        });
        give();
      }),
  );
  try {
    await Promise.all(finished);
  } finally {
    await Promise.all(workers.map((worker) => worker.terminate()));
  }
  const points = Float64Array.from({ length: grid }, (_, i) => i / grid);
  const bytes = writeNpz(
    {
      a: { values: inputs, shape: [samples, grid, grid] },
      u: { values: responses, shape: [samples, grid, grid] },
      x: points,
      y: points,
    },
    { compress: false },
  );
  await writeOutputs([{ path: out, bytes }], { force });
  console.log(`${out}: a and u of shape ${samples} x ${grid} x ${grid}, coordinates x and y`);
}

/** The thread that solves: it receives numbers of samples. */
function work({ seed, grid, viscosity, time, step }) {
  const solver = vorticitySolver({ grid, viscosity, step });
  parentPort.on("message", (index) => {
    const start = randomVorticity(stream(seed, "navier-stokes", index), { grid });
    const [input, response] = [start, solver.solve(start, time)].map((field) => Float32Array.from(field));
    parentPort.postMessage({ index, input, response }, [input.buffer, response.buffer]);
  });
}

function options() {
  const names = [...Object.keys(DEFAULTS), "threads"];
  const { values } = parseArgs({
    options: {
      out: { type: "string" },
      force: { type: "boolean" },
      ...Object.fromEntries(names.map((name) => [name, { type: "string" }])),
    },
  });
  if (values.out === undefined) throw new TypeError("name the file to write: --out ns.npz");
  const number = (name, usual) => {
    const value = values[name] === undefined ? usual : Number(values[name]);
    const whole = name !== "viscosity" && name !== "time" && name !== "step";
    if (!(value >= (name === "seed" ? 0 : Number.MIN_VALUE)) || (whole && !Number.isInteger(value)))
      throw new RangeError(`--${name} is a positive ${whole ? "whole " : ""}number, not "${values[name]}"`);
    return value;
  };
  const numbers = Object.fromEntries(
    Object.entries(DEFAULTS).map(([name, usual]) => [name, number(name, usual)]),
  );
  return {
    numbers,
    out: values.out,
    force: values.force,
    threads: number("threads", availableParallelism()),
  };
}

function progress(done, samples) {
  if (process.stderr.isTTY)
    process.stderr.write(`\r${done} of ${samples} samples${done === samples ? "\n" : ""}`);
  else if (done % 100 === 0 || done === samples) process.stderr.write(`${done} of ${samples} samples\n`);
}
