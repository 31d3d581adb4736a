/**
 * What rounds take on this machine's CPU, and took on a GPU by docs/results/records/bench-cuda.json, beside what they compute:
 * writes studies/measured-rounds.json, from which `submit --dry-run` estimates. On the CPU as many processes with one thread
 * each as there are cores train at once, as a study does; fields have two clients there. Needs a build.
 *
 *   node bench/round-costs.mjs
 */
import { readFile, writeFile } from "node:fs/promises";
import { availableParallelism, cpus } from "node:os";
import { fileURLToPath } from "node:url";
import { workOf } from "../dist/engine/program-work.js";
import { openBackend } from "../dist/federation/backends.js";
import { replicaData } from "../dist/federation/replicas/replicas-data.js";
import { averageRound } from "../dist/federation/rounds/average-round.js";
import { startRounds } from "../dist/federation/rounds/rounds.js";
import { sizesOf } from "../dist/federation/samples/stored-samples.js";
import { CASES, isDeepOnet, randomReplicas, timedRounds } from "./cuda-cases.mjs";
import { json } from "./processes.mjs";

const SELF = fileURLToPath(import.meta.url);
const FIELD_CLIENTS = 2;
const RECORD = new URL("../docs/results/records/bench-cuda.json", import.meta.url);
const RESULT = new URL("../studies/measured-rounds.json", import.meta.url);
const MODELS = { fno: "fno", inversion: "inversion-net" };
const clientsOf = (name) => (isDeepOnet(name) || name.startsWith("deeponet") ? 10 : FIELD_CLIENTS);
const modelOf = (name) => MODELS[Object.keys(MODELS).find((start) => name.startsWith(start))] ?? "deeponet";

const [mode, name] = process.argv.slice(2);
if (mode === "--run") console.log(JSON.stringify(await measure(name)));
else await write();

/** Milliseconds of a round of one run in this process. */
async function measure(name) {
  const replicas = randomReplicas(name, 1, clientsOf(name));
  const { backend, close } = await openBackend(replicas[0].options, "cpu");
  const rounds = await startRounds(replicas, replicaData([replicas[0].problem], backend), backend);
  const milliseconds = await timedRounds(rounds.next);
  await rounds.close();
  close();
  return { milliseconds, memory: process.resourceUsage().maxRSS / 2 ** 20 };
}

/** What a round computes. */
function computed(name, clients) {
  const [{ problem, options }] = randomReplicas(name, 1, clients);
  const { operator, train } = problem;
  // Clients of a case have as many samples each, however many of them there are.
  const samples = (train.samples / 10) * clients;
  return workOf(averageRound(operator, sizesOf(train), samples, { ...options, clients }));
}

async function write() {
  const cpu = [];
  for (const name of Object.keys(CASES)) {
    if (name === "fno2d-128") continue; // minutes a round
    const cores = Array.from({ length: availableParallelism() }, () =>
      json(process.execPath, [SELF, "--run", name]),
    );
    const all = await Promise.all(cores);
    const milliseconds = Math.max(...all.map((one) => one.milliseconds));
    cpu.push({ case: name, model: modelOf(name), ...computed(name, clientsOf(name)), milliseconds });
    console.log(
      `${name.padEnd(20)} ${milliseconds.toPrecision(3)} ms a round, ${all[0].memory.toFixed(2)} GB`,
    );
  }
  const { cases, hardware } = JSON.parse(await readFile(RECORD, "utf8"));
  const gpu = Object.entries(cases).map(([name, { replicas_ms: milliseconds }]) => ({
    ...{ case: name, model: modelOf(name), ...computed(name, 10), milliseconds },
  }));
  const devices = {
    cpu: { hardware: `${cpus()[0].model.trim()}, one core a run`, weights: weightsOf(cpu), rounds: cpu },
    cuda: { hardware: `${hardware.gpu}, several runs at once`, weights: weightsOf(gpu), rounds: gpu },
  };
  await writeFile(
    RESULT,
    `${JSON.stringify({ written_by: "bench/round-costs.mjs", devices }, undefined, 1)}\n`,
  );
}

/**
 * Milliseconds of a product, a number and an operation that explain the rounds best, in the mean of squared logarithms: by
 * trying larger and smaller ones in turn.
 */
function weightsOf(rounds) {
  const kinds = ["products", "numbers", "operations"];
  const error = (weights) =>
    rounds.reduce((sum, round) => {
      const found = kinds.reduce((cost, kind) => cost + weights[kind] * round[kind], 0);
      return sum + Math.log(found / round.milliseconds) ** 2;
    }, 0);
  let best = { products: 1e-8, numbers: 1e-7, operations: 1e-3 };
  for (let step = 10; step > 1.001; ) {
    const before = error(best);
    for (const kind of kinds)
      for (const factor of [step, 1 / step]) {
        const tried = { ...best, [kind]: best[kind] * factor };
        if (error(tried) < error(best)) best = tried;
      }
    if (error(best) === before) step = Math.sqrt(step);
  }
  return best;
}
