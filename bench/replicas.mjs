/**
 * Milliseconds per run and round of federated DeepONet training when runs go one after another, and as replicas of
 * one program: K = 10 clients, E = 5 local Adam steps, batch 64, random data of the paper's shapes, five seeds. Then
 * what a checkpoint takes: errors on all test and training samples. Needs a build.
 *
 *   node bench/replicas.mjs [--device auto|cpu|cuda] [--runs 1,5,25] [--tf32] [tasks]
 *
 * On a CPU it is there to be compared with: few runs, few rounds.
 */

import { parseArgs } from "node:util";
import { SOURCES } from "../dist/datasets/sources.js";
import { openBackend } from "../dist/federation/backends.js";
import { openObservables } from "../dist/federation/observables/observables.js";
import { replicaData } from "../dist/federation/replicas/replicas-data.js";
import { replicaBytes } from "../dist/federation/replicas/replicas-memory.js";
import { startRounds } from "../dist/federation/rounds/rounds.js";
import { runOptions } from "../dist/federation/run-options.js";
import { UNSCALED } from "../dist/federation/scaling.js";
import { initialState } from "../dist/federation/trainer.js";
import { trainableDeepOnet } from "../dist/models/deeponet.js";
import { stream } from "../dist/random/stream.js";
import { timedRounds } from "./cuda-cases.mjs";

const CLIENTS = 10;
const SEEDS = 5;
const TURNS = 3;
const TASKS = {
  antiderivative: { sensors: 100, coordinates: 1, points: 100, train: 1000, test: 1000 },
  burgers: { sensors: 101, coordinates: 2, points: 10201, train: 800, test: 500 },
  "diffusion-reaction": { sensors: 101, coordinates: 2, points: 10201, train: 1000, test: 1000 },
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    device: { type: "string", default: "auto" },
    runs: { type: "string" },
    tf32: { type: "boolean", default: false },
  },
});
const opened = await openBackend({ backend: "onnx", tf32: values.tf32 }, values.device);
const { backend, hardware } = opened;
const counts = (values.runs ?? (backend.prefersLargeKernels ? "1,5,25" : "1,5")).split(",").map(Number);
console.log(`ms per run and round, K = ${CLIENTS}, E = 5, batch 64; ${Object.values(hardware).join(", ")}`);
for (const task of positionals.length > 0 ? positionals : Object.keys(TASKS)) {
  const members = replicas(task, Math.max(...counts));
  const { problem, options } = members[0];
  const gigabytes = replicaBytes(problem, options, backend, 1) / 1e9;
  console.log(`${task}: ${gigabytes.toPrecision(2)} GB reckoned for a run`);
  for (const count of counts) {
    const { round, checkpoint } = await measured(members.slice(0, count));
    console.log(
      `  replicas: ${count}, ms ${round.toPrecision(3)}, a checkpoint ${checkpoint.toPrecision(3)}`,
    );
  }
}
opened.close();

/** Replicas of a task: seed by seed, the same data for every fifth part. */
function replicas(task, count) {
  const { sensors, coordinates, points, train, test } = TASKS[task];
  const seeds = Math.min(SEEDS, count);
  const floats = (seed, name, length) => {
    const random = stream(seed, "bench", name);
    return Float32Array.from({ length }, () => random.uniform());
  };
  const operator = trainableDeepOnet(
    { sensors, coordinates, ...SOURCES[task].model.options },
    floats(0, "points", points * coordinates),
  );
  const half = (seed, name, samples) => ({
    samples,
    inputs: floats(seed, `${name} inputs`, samples * sensors),
    responses: floats(seed, `${name} responses`, samples * points),
  });
  const data = Array.from({ length: seeds }, (_, seed) => {
    const samples = half(seed, "train", train);
    return { train: samples, test: half(seed, "test", test), training: operator.training(samples) };
  });
  const size = train / CLIENTS;
  const clientIndices = Array.from({ length: CLIENTS }, (_, client) =>
    Int32Array.from({ length: size }, (_, i) => client * size + i),
  );
  const weights = new Float64Array(CLIENTS).fill(1 / CLIENTS);
  return Array.from({ length: count }, (_, run) => {
    const seed = Math.floor((run * seeds) / count);
    const options = runOptions({ task, alpha: 100, seed: run });
    const problem = { ...data[seed], operator, clientIndices, weights, scaling: UNSCALED };
    return { problem, options, start: initialState(problem, options) };
  });
}

async function measured(members) {
  const problems = members.map(({ problem }) => problem);
  const data = replicaData(problems, backend);
  const rounds = await startRounds(members, data, backend);
  const observables = await openObservables(problems, data, backend);
  const round = (await timedRounds(rounds.next)) / members.length;
  const checkpoint = await fastest(async () => {
    const parameters = rounds.parameters();
    await observables.testErrors(parameters);
    await observables.trainLosses(parameters);
  });
  await observables.close();
  await rounds.close();
  return { round, checkpoint: checkpoint / members.length };
}

/** Milliseconds of one call; the fastest of some turns, each of which lasts long enough to be measured. */
async function fastest(call) {
  for (let warm = 0; warm < 2; warm++) await call();
  const start = performance.now();
  await call();
  const calls = Math.ceil(200 / (performance.now() - start));
  let best = Infinity;
  for (let turn = 0; turn < TURNS; turn++) {
    const began = performance.now();
    for (let i = 0; i < calls; i++) await call();
    best = Math.min(best, (performance.now() - began) / calls);
  }
  return best;
}
