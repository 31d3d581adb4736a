/**
 * Milliseconds per client step of federated DeepONet training: K = 10 clients, E = 5 local Adam steps, batch 64, random
 * data of the paper's shapes. One run on one core, and two runs side by side on two, beside JAX (the whole round
 * compiled) and PyTorch (the loop that people write) on the same work where Python has them. Needs a build; Python is
 * the one that PDE_DIRICHLET_PYTHON names, or python3.
 *
 * Then where the time goes, by ONNX Runtime's own profile of one run: the share of matrix products, and their speed
 * beside that of one large product, which is what this core can do.
 *
 * Machines are noisy: everybody takes turns, and the fastest turn counts. Arguments: names of tasks; all by default.
 */

import { fileURLToPath } from "node:url";
import { SOURCES } from "../dist/datasets/sources.js";
import { matmul } from "../dist/engine/operations.js";
import { Program } from "../dist/engine/program.js";
import { backendOf } from "../dist/federation/backends.js";
import { replicaData } from "../dist/federation/replicas/replicas-data.js";
import { startRounds } from "../dist/federation/rounds/rounds.js";
import { runOptions } from "../dist/federation/run-options.js";
import { initialState } from "../dist/federation/trainer.js";
import { trainableDeepOnet } from "../dist/models/deeponet.js";
import { stream } from "../dist/random/stream.js";
import { timedOperations } from "./onnx-profile.mjs";
import { json, peer } from "./processes.mjs";

const SELF = fileURLToPath(import.meta.url);
const CLIENTS = 10;
const TURNS = 3;
const TASKS = {
  antiderivative: { sensors: 100, coordinates: 1, points: 100, samples: 100, rounds: 300 },
  burgers: { sensors: 101, coordinates: 2, points: 10201, samples: 80, rounds: 5 },
  "diffusion-reaction": { sensors: 101, coordinates: 2, points: 10201, samples: 100, rounds: 2 },
};
const PEERS = { JAX: "training_jax.py", PyTorch: "training_torch.py" };

const [mode, ...names] = process.argv.slice(2);
if (mode === "--run") console.log(JSON.stringify(await measure(names[0])));
else if (mode === "--profile") console.log(JSON.stringify(await profile(names[0])));
else await compare([mode, ...names].filter((name) => name in TASKS));

/** The time of a client step in this process, and the memory that it took at most. */
async function measure(task, beforeClosing = () => {}) {
  const { sensors, coordinates, points, samples, rounds } = TASKS[task];
  const total = CLIENTS * samples;
  const random = stream(1, "bench");
  const floats = (count) => Float32Array.from({ length: count }, () => random.uniform());
  const sizes = { sensors, coordinates, ...SOURCES[task].model.options };
  const train = { samples: total, inputs: floats(total * sensors), responses: floats(total * points) };
  const operator = trainableDeepOnet(sizes, floats(points * coordinates));
  const problem = {
    train,
    test: train,
    clientIndices: Array.from({ length: CLIENTS }, (_, k) =>
      Int32Array.from({ length: samples }, (_, i) => k * samples + i),
    ),
    weights: new Float64Array(CLIENTS).fill(1 / CLIENTS),
    operator,
    training: operator.training(train),
  };
  const options = runOptions({ task, alpha: 100, seed: 1 });
  const backend = await backendOf("onnx");
  const replica = { problem, options, start: initialState(problem, options) };
  const running = await startRounds([replica], replicaData([problem], backend), backend);
  await running.next(false);
  let best = Infinity;
  for (let turn = 0; turn < 3; turn++) {
    const start = performance.now();
    for (let round = 0; round < rounds; round++) await running.next(false);
    best = Math.min(best, (performance.now() - start) / (rounds * CLIENTS * options.localSteps));
  }
  beforeClosing();
  await running.close();
  return { milliseconds: best, gigabytes: process.resourceUsage().maxRSS / 2 ** 20 };
}

/** Share of matrix products in the time of all operations of one run, and their speed in GFLOP/s. */
async function profile(task) {
  const all = await timedOperations((beforeClosing) => measure(task, beforeClosing));
  const products = all.filter(({ name }) => /MatMul|Gemm/.test(name));
  const time = (operations) => operations.reduce((sum, { microseconds }) => sum + microseconds, 0);
  const flops = products.reduce((sum, operation) => sum + productFlops(operation), 0);
  return {
    share: time(products) / time(all),
    speed: flops / time(products) / 1e3,
    peak: await largeProductSpeed(),
  };
}

/** Multiplications and additions of A B = C, whichever are transposed: |A| |B| |C| is (m k n)^2 for matrices. */
function productFlops({ operands: [a, b], results: [c] }) {
  const elements = (shape) => shape.reduce((product, length) => product * length, 1);
  const matrices = [a, b, c].map((shape) => elements(shape.slice(-2)));
  return 2 * elements(c.slice(0, -2)) * Math.sqrt(elements(matrices));
}

/** GFLOP/s of one core at a product of 1024 x 1024 matrices. */
async function largeProductSpeed(size = 1024) {
  const program = new Program();
  program.output("c", matmul(program.input("a", [size, size]), program.input("b", [size, size])));
  const executable = await (await backendOf("onnx")).compile(program);
  const values = Float32Array.from({ length: size * size }, (_, i) => Math.sin(i));
  let best = Infinity;
  for (let turn = 0; turn < 20; turn++) {
    const start = performance.now();
    await executable.run({ a: values, b: values });
    best = Math.min(best, performance.now() - start);
  }
  await executable.close();
  return (2 * size ** 3) / best / 1e6;
}

async function compare(chosen) {
  console.log("ms per client step of federated DeepONet training, K = 10, E = 5, batch 64; lower is better");
  for (const task of chosen.length > 0 ? chosen : Object.keys(TASKS)) {
    const times = { "one run": [], "two side by side": [] };
    for (const name of Object.keys(PEERS)) times[name] = [];
    for (let turn = 0; turn < TURNS; turn++) {
      times["one run"].push((await ours(task)).milliseconds);
      const pair = await Promise.all([ours(task), ours(task)]);
      times["two side by side"].push(Math.max(...pair.map(({ milliseconds }) => milliseconds)) / 2);
      for (const [name, script] of Object.entries(PEERS)) {
        const found = await peer(script, task);
        if (found) times[name].push(found.milliseconds);
      }
    }
    const best = Object.entries(times).flatMap(([name, all]) =>
      all.length > 0 ? [[name, Math.min(...all)]] : [],
    );
    const pair = best.find(([name]) => name === "two side by side")[1];
    const described = best.map(([name, time]) => {
      const ratio = name in PEERS ? ` (${(time / pair).toFixed(2)}x)` : "";
      return `${name} ${time.toPrecision(3)}${ratio}`;
    });
    console.log(`${task}: ${described.join(", ")}`);
    const { gigabytes } = await ours(task);
    const { share, speed, peak } = await json(process.execPath, [SELF, "--profile", task]);
    const percent = (part) => `${Math.round(100 * part)} %`;
    console.log(
      `  matrix products take ${percent(share)} of the time, at ${speed.toFixed(0)} GFLOP/s, ` +
        `${percent(speed / peak)} of a large product's ${peak.toFixed(0)}; peak memory ${gigabytes.toFixed(2)} GB`,
    );
  }
}

function ours(task) {
  return json(process.execPath, [SELF, "--run", task]);
}
