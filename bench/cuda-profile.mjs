/**
 * What a round of federated DeepONet training is on a GPU: kernels and products of each step, their traffic and their
 * arithmetic, and the time that a GPU needs at least.
 *
 *   node bench/cuda-profile.mjs antiderivative|burgers|diffusion-reaction [clients] [--steps] [--source]
 */
import { planOf } from "../dist/engine/cuda/compile-plan.js";
import { describePlan, rooflineTime } from "../dist/engine/cuda/describe-plan.js";
import { kernelText, sourceText } from "../dist/engine/cuda/kernel-text.js";
import { deepOnetOperator } from "../dist/federation/deeponet-operator.js";
import { problemFor } from "../dist/federation/federated-problem.js";
import { roundProgram } from "../dist/federation/round-program.js";
import { startRounds } from "../dist/federation/rounds.js";
import { runOptions } from "../dist/federation/run-options.js";
import { DEEPONETS } from "../dist/federation/task-operator.js";
import { initialState } from "../dist/federation/trainer.js";
import { stream } from "../dist/random/stream.js";

/** An H200: 4.8 TB/s, 67 TFLOP/s in float32, about two microseconds for a node of a graph. */
const H200 = { bandwidth: 4.8e12, flops: 67e12, launch: 2e-6 };
const TASKS = {
  antiderivative: { sensors: 100, coordinates: 1, points: 100, samples: 100, rounds: 500 },
  burgers: { sensors: 101, coordinates: 2, points: 10201, samples: 80, rounds: 100 },
  "diffusion-reaction": { sensors: 101, coordinates: 2, points: 10201, samples: 100, rounds: 50 },
};

const flags = process.argv.filter((word) => word.startsWith("--"));
const [task = "antiderivative", clients = "10"] = process.argv
  .slice(2)
  .filter((word) => !flags.includes(word));
const problem = randomProblem(task, Number(clients));
const options = runOptions({ task, alpha: 100, seed: 1 });
const rows = Math.min(options.batch, TASKS[task].samples);
const started = performance.now();
const plan = planOf(roundProgram(problem, options, rows, { wide: true }));
const planned = performance.now() - started;
const texts = plan.steps
  .filter(({ kind }) => kind === "launch")
  .map(({ jobs }) => kernelText(jobs, plan.buffers).text);
const kernels = [...new Set(texts)];
if (flags.includes("--source"))
  console.log(sourceText(new Map(kernels.map((text, i) => [`kernel${i}`, text]))));
else await report();

async function report() {
  const steps = describePlan(plan);
  if (flags.includes("--steps"))
    steps.forEach(({ kind, text, bytes, flops }, i) => {
      const size = `${(bytes / 1e6).toFixed(3)} MB ${(flops / 1e9).toFixed(3)} GFLOP`;
      console.log(`${String(i).padStart(4)} ${kind.padEnd(8)}${size.padEnd(28)}${text}`);
    });
  const of = (kind) => steps.filter((step) => step.kind === kind);
  const total = (key, list = steps) => list.reduce((sum, step) => sum + step[key], 0);
  console.log(
    `${task}, ${clients} clients, ${options.localSteps} steps: ` +
      `${of("launch").length} launches (${kernels.length} different kernels), ${of("product").length} products, ` +
      `${of("copy").length} copies; ${(steps.length / options.localSteps).toFixed(1)} a step`,
  );
  console.log(
    `traffic ${(total("bytes") / 1e9).toFixed(2)} GB (kernels ${(total("bytes", of("launch")) / 1e9).toFixed(2)}), ` +
      `products ${(total("flops") / 1e9).toFixed(1)} GFLOP, arena ${((4 * plan.arena) / 1e6).toFixed(1)} MB, ` +
      `planned in ${planned.toFixed(0)} ms`,
  );
  const time = (list) => `${(1e3 * rooflineTime(list, H200)).toFixed(3)} ms`;
  console.log(
    `an H200 needs at least ${time(steps)} a round: kernels ${time(of("launch"))}, products ${time(of("product"))}`,
  );
  const measured = await measure();
  console.log(
    measured === undefined ? "no GPU here to measure on" : `measured: ${measured.toFixed(3)} ms a round`,
  );
}

/** Milliseconds of a round on the GPU of this machine, if there is one. */
async function measure() {
  const { findDevices, openDevice } = await import("../dist/engine/cuda/device.js");
  const found = await findDevices();
  if (found.gpus.length === 0) return undefined;
  const { cudaBackend } = await import("../dist/engine/cuda/cuda-backend.js");
  const device = await openDevice({ tf32: flags.includes("--tf32") });
  const rounds = await startRounds(problem, options, cudaBackend(device), initialState(problem, options));
  for (let round = 0; round < 5; round++) await rounds.next(false);
  let best = Infinity;
  for (let turn = 0; turn < 3; turn++) {
    const start = performance.now();
    for (let round = 0; round < TASKS[task].rounds; round++) await rounds.next(false);
    best = Math.min(best, (performance.now() - start) / TASKS[task].rounds);
  }
  await rounds.close();
  device.close();
  return best;
}

/** Random data of a task's sizes. */
function randomProblem(name, count) {
  const { sensors, coordinates, points, samples } = TASKS[name];
  const total = Math.min(count, 10) * samples;
  const random = stream(1, "bench");
  const floats = (length) => Float32Array.from({ length }, () => random.uniform());
  const train = { samples: total, inputs: floats(total * sensors), responses: floats(total * points) };
  const operator = deepOnetOperator(
    { sensors, coordinates, ...DEEPONETS[name] },
    floats(points * coordinates),
  );
  return problemFor(
    {
      train,
      operator,
      clientIndices: Array.from({ length: count }, (_, k) =>
        Int32Array.from({ length: samples }, (_, i) => (k % 10) * samples + i),
      ),
      weights: new Float64Array(count).fill(1 / count),
    },
    { wide: true },
  );
}
