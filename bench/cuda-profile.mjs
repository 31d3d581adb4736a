/**
 * What a round of federated training is on a GPU: kernels and products of each step, their traffic and their
 * arithmetic, the time that a GPU needs at least, and where there is one, the time that it takes.
 *
 *   node bench/cuda-profile.mjs [case] [--clients 10] [--replicas 1] [--steps] [--times] [--most 15] [--source] [--tf32] [--streams 4] [--apart kinds]
 *
 * `--replicas` takes several replicas, `--steps` lists the plan, `--times` the kinds of steps that took longest, of
 * which `--most` are shown, `--source` prints the kernels. `--apart` leaves products to kernels of their own that one
 * kernel would compute together, to see what that gains: added, backward, transformed, or several with commas between.
 */

import { parseArgs } from "node:util";
import { planOf } from "../dist/engine/cuda/compile-plan.js";
import { sourceText, stepText } from "../dist/engine/cuda/kernels/kernel-text.js";
import { describePlan, rooflineTime } from "../dist/engine/cuda/plan/describe-plan.js";
import { isOwn } from "../dist/engine/cuda/plan/plan.js";
import { replicaData } from "../dist/federation/replicas/replicas-data.js";
import { startRounds } from "../dist/federation/rounds/rounds.js";
import { randomReplicas, timedRounds } from "./cuda-cases.mjs";

/** An H200: 4.8 TB/s, 67 TFLOP/s in float32, about two microseconds for a node of a graph. */
const H200 = { bandwidth: 4.8e12, flops: 67e12, launch: 2e-6 };
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    clients: { type: "string", default: "10" },
    replicas: { type: "string", default: "1" },
    steps: { type: "boolean", default: false },
    times: { type: "boolean", default: false },
    most: { type: "string", default: "15" },
    source: { type: "boolean", default: false },
    tf32: { type: "boolean", default: false },
    streams: { type: "string" },
    apart: { type: "string", default: "" },
  },
});
const never = () => false;
const APART = {
  added: { canFuseSecondProduct: never },
  backward: { hasBackwardKernel: never },
  transformed: { hasTransformedKernel: never },
};
const apart = values.apart.split(",").filter(Boolean);
for (const kind of apart)
  if (!(kind in APART)) throw new Error(`--apart takes ${Object.keys(APART).join(", ")}, not ${kind}`);
const choices = Object.assign({}, ...apart.map((kind) => APART[kind]));
const [name = "antiderivative"] = positionals;
const replicas = randomReplicas(name, Number(values.replicas), Number(values.clients));
const [{ options }] = replicas;

/** Starts the rounds of all replicas on a backend. */
function start(backend) {
  const problems = replicas.map(({ problem }) => problem);
  return startRounds(replicas, replicaData(problems, backend), backend);
}

const started = performance.now();
const plan = planOf(await programOf(start), choices);
const planned = performance.now() - started;
const texts = plan.steps
  .map((step) => stepText(step, plan.buffers, { passes: values.tf32 ? 1 : 3 }))
  .filter(Boolean);
const kernels = [...new Map(texts.map((one) => [one.text, one])).values()];
if (values.source) console.log(sourceText(new Map(kernels.map((one, i) => [`kernel${i}`, one]))));
else await report();

/** The program that rounds compile. */
async function programOf(begin) {
  let program;
  const ignore = () => {};
  await begin({
    prefersLargeKernels: true,
    async compile(given) {
      program = given;
      return { run: ignore, read: ignore, write: ignore, close: ignore };
    },
  });
  return program;
}

async function report() {
  const steps = describePlan(plan);
  if (values.steps)
    steps.forEach(({ kind, text, bytes, flops }, i) => {
      const size = `${(bytes / 1e6).toFixed(3)} MB ${(flops / 1e9).toFixed(3)} GFLOP`;
      console.log(`${String(i).padStart(4)} ${kind.padEnd(9)}${size.padEnd(28)}${text}`);
    });
  const of = (...kinds) => steps.filter((step) => kinds.includes(step.kind));
  const [back, transformed] = ["backward", "transformed"].map((kind) => of(kind).length);
  const total = (key, list = steps) => list.reduce((sum, step) => sum + step[key], 0);
  console.log(
    `${name}, ${replicas.length} x ${values.clients} clients, ${options.localSteps} steps: ` +
      `${of("launch").length} launches (${kernels.length} different kernels), ${of("product").length} products (${plan.steps.filter(isOwn).length} ours), ` +
      `${back > 0 ? `${back} layers on their way back, ` : ""}` +
      `${transformed > 0 ? `${transformed} layers with a transform, ` : ""}` +
      `${of("copy").length} copies; ${(steps.length / options.localSteps).toFixed(1)} a step`,
  );
  console.log(
    `traffic ${(total("bytes") / 1e9).toFixed(2)} GB (kernels ${(total("bytes", of("launch")) / 1e9).toFixed(2)}), ` +
      `products ${(total("flops") / 1e9).toFixed(1)} GFLOP, arena ${((4 * plan.arena) / 1e6).toFixed(1)} MB, ` +
      `planned in ${planned.toFixed(0)} ms`,
  );
  const time = (list) => `${(1e3 * rooflineTime(list, H200)).toFixed(3)} ms`;
  console.log(
    `an H200 needs at least ${time(steps)} a round: kernels ${time(of("launch"))}, products ${time(of("product", "backward", "transformed"))}`,
  );
  const measured = await measure();
  if (!measured) {
    console.log("no GPU here to measure on");
    return;
  }
  console.log(`measured: ${measured.round.toFixed(3)} ms a round`);
  if (measured.steps) tellSlowest(steps, measured.steps);
}

/** Milliseconds of a round on the GPU of this machine and, if asked for, of each step; undefined if there is none. */
async function measure() {
  const { findDevices, openDevice } = await import("../dist/engine/cuda/device/device.js");
  const found = await findDevices();
  if (found.gpus.length === 0) return undefined;
  const { cudaBackend } = await import("../dist/engine/cuda/cuda-backend.js");
  const device = await openDevice({
    tf32: values.tf32,
    ...(values.streams && { streams: Number(values.streams) }),
  });
  const backend = cudaBackend(device, choices);
  let executable;
  const compile = async (program) => {
    executable = await backend.compile(program);
    return executable;
  };
  const rounds = await start({ ...backend, compile });
  const round = await timedRounds((measured) => rounds.next(measured));
  const steps = values.times ? await executable.stepTimes() : undefined;
  await rounds.close();
  device.close();
  return { round, steps };
}

/** Equal steps together, those that took longest first, with what they reached of bandwidth and arithmetic. */
function tellSlowest(steps, times) {
  const groups = new Map();
  steps.forEach(({ kind, text, bytes, flops }, i) => {
    const key = `${kind} ${text}`;
    const group = groups.get(key) ?? { count: 0, time: 0, bytes: 0, flops: 0, least: 0 };
    group.count++;
    group.time += times[i];
    group.bytes += bytes;
    group.flops += flops;
    group.least += 1e3 * rooflineTime([steps[i]], H200);
    groups.set(key, group);
  });
  const total = times.reduce((sum, time) => sum + time, 0);
  console.log(`by events between the steps ${total.toFixed(3)} ms; ms, least, GB/s, TFLOP/s, MB each:`);
  const slowest = [...groups].sort(([, a], [, b]) => b.time - a.time).slice(0, Number(values.most));
  for (const [what, { count, time, bytes, flops, least }] of slowest)
    console.log(
      [
        time.toFixed(3).padStart(8),
        least.toFixed(3).padStart(8),
        (bytes / time / 1e6).toFixed(0).padStart(6),
        (flops / time / 1e9).toFixed(1).padStart(6),
        (bytes / count / 1e6).toFixed(2).padStart(9),
        `  ${count} x ${what.slice(0, 100)}`,
      ].join(""),
    );
}
