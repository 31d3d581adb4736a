/**
 * Milliseconds per client step of federated DeepONet training: K = 10 clients, E = 5 local Adam steps, batch 64, random
 * data of the paper's shapes. One run on one core, and two runs side by side on two, beside JAX (the whole round
 * compiled) and PyTorch (the loop that people write) on the same work where Python has them. Needs a build; Python is
 * the one that PDE_DIRICHLET_PYTHON names, or python3.
 *
 * Machines are noisy: everybody takes turns, and the fastest turn counts. Arguments: names of tasks; all by default.
 */
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { backendOf } from "../dist/federation/backends.js";
import { DEEPONETS } from "../dist/federation/federated-problem.js";
import { startRounds } from "../dist/federation/rounds.js";
import { runOptions } from "../dist/federation/run-options.js";
import { initialState } from "../dist/federation/trainer.js";
import { deepOnetLayout } from "../dist/models/deeponet.js";
import { stream } from "../dist/random/stream.js";

const CLIENTS = 10;
const TURNS = 3;
const TASKS = {
  antiderivative: { sensors: 100, coordinates: 1, points: 100, samples: 100, rounds: 300 },
  burgers: { sensors: 101, coordinates: 2, points: 10201, samples: 80, rounds: 5 },
  "diffusion-reaction": { sensors: 101, coordinates: 2, points: 10201, samples: 100, rounds: 2 },
};
const PEERS = { JAX: "training_jax.py", PyTorch: "training_torch.py" };

const [mode, ...names] = process.argv.slice(2);
if (mode === "--run") console.log(JSON.stringify({ milliseconds: await measure(names[0]) }));
else await compare([mode, ...names].filter((name) => name in TASKS));

/** The time of a client step in this process. */
async function measure(task) {
  const { sensors, coordinates, points, samples, rounds } = TASKS[task];
  const total = CLIENTS * samples;
  const random = stream(1, "bench");
  const floats = (count) => Float32Array.from({ length: count }, () => random.uniform());
  const sizes = { sensors, coordinates, ...DEEPONETS[task] };
  const problem = {
    train: { samples: total, inputs: floats(total * sensors), responses: floats(total * points) },
    points: floats(points * coordinates),
    clientIndices: Array.from({ length: CLIENTS }, (_, k) =>
      Int32Array.from({ length: samples }, (_, i) => k * samples + i),
    ),
    weights: new Float64Array(CLIENTS).fill(1 / CLIENTS),
    sizes,
    layout: deepOnetLayout(sizes),
  };
  const options = runOptions({ task, alpha: 100, seed: 1 });
  const running = await startRounds(
    problem,
    options,
    await backendOf("onnx"),
    initialState(problem, options),
  );
  await running.next(false);
  let best = Infinity;
  for (let turn = 0; turn < 3; turn++) {
    const start = performance.now();
    for (let round = 0; round < rounds; round++) await running.next(false);
    best = Math.min(best, (performance.now() - start) / (rounds * CLIENTS * options.localSteps));
  }
  await running.close();
  return best;
}

async function compare(chosen) {
  console.log("ms per client step of federated DeepONet training, K = 10, E = 5, batch 64; lower is better");
  for (const task of chosen.length > 0 ? chosen : Object.keys(TASKS)) {
    const times = { "one run": [], "two side by side": [] };
    for (const peer of Object.keys(PEERS)) times[peer] = [];
    for (let turn = 0; turn < TURNS; turn++) {
      times["one run"].push((await ours(task)).milliseconds);
      const pair = await Promise.all([ours(task), ours(task)]);
      times["two side by side"].push(Math.max(...pair.map(({ milliseconds }) => milliseconds)) / 2);
      for (const [peer, script] of Object.entries(PEERS)) {
        const found = await theirs(script, task);
        if (found) times[peer].push(found.milliseconds);
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
  }
}

function ours(task) {
  return json(process.execPath, [fileURLToPath(import.meta.url), "--run", task]);
}

/** A peer's time on all cores, or undefined where it is not installed. */
function theirs(script, task) {
  const python = process.env.PDE_DIRICHLET_PYTHON ?? "python3";
  return json(python, [fileURLToPath(new URL(`peers/${script}`, import.meta.url)), task]).catch(
    () => undefined,
  );
}

function json(command, args) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { env: { ...process.env, JAX_PLATFORMS: "cpu" } });
    let out = "";
    let error = "";
    child.stdout.on("data", (chunk) => {
      out += chunk;
    });
    child.stderr.on("data", (chunk) => {
      error += chunk;
    });
    child.on("error", reject);
    child.on("close", (status) => (status === 0 ? resolve(JSON.parse(out)) : reject(new Error(error))));
  });
}
