/**
 * Milliseconds of a round of every strategy beside one of federated averaging, and beside the same strategy in JAX (the
 * whole round compiled): 5 local Adam steps, random data of the paper's shapes.
 *
 *   node bench/strategies.mjs [--device cpu|cuda] [--tf32] [--only name] [--json file] [cases]
 *
 * On a CPU a strategy and federated averaging take turns in one process: one process beside JAX on one core, and two side by
 * side, per run, beside JAX on all cores. Fields have two clients there, who train one after another, and DeepONets ten. On
 * a GPU there are ten clients, and rounds of several replicas as well (25, or 5 of models of fields; per run). The fastest
 * turns count. Needs a build; Python is the one that PDE_DIRICHLET_PYTHON names, or several of them as a path does.
 */

import { writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { openBackend } from "../dist/federation/backends.js";
import { replicaData } from "../dist/federation/replicas/replicas-data.js";
import { startRounds } from "../dist/federation/rounds/rounds.js";
import { CASES, CLIENTS, isDeepOnet, randomReplicas, runsOf, timedRounds } from "./cuda-cases.mjs";
import { json, peer, peerOnGpu } from "./processes.mjs";

const SELF = fileURLToPath(import.meta.url);
const USUAL = { cpu: ["antiderivative", "burgers"], cuda: ["antiderivative", "burgers", "fno1d"] };
/** Processes of ours and of JAX, one after another. */
const REPEATS = 2;
/** Turns of a strategy and federated averaging within a process, and how long each takes at least. */
const TURNS = 4;
const SHORTEST = 200;
const MANY = 1000;

const strategy = (name, options) => ({ strategy: { name, ...options } });
const SGD = { optimizer: { name: "sgd", rate: 1e-2, momentum: 0.9 }, clientState: "reset" };
/** Options of each strategy, and those that federated averaging beside it has too. */
const STRATEGIES = {
  fedavg: { own: {} },
  fedprox: { own: strategy("fedprox") },
  "fedprox, decoupled": { own: strategy("fedprox", { proximal: "decoupled" }) },
  fedavgm: { own: strategy("fedavgm") },
  fedadagrad: { own: strategy("fedadagrad") },
  fedadam: { own: strategy("fedadam") },
  fedyogi: { own: strategy("fedyogi") },
  "fednova, 2 epochs": { own: strategy("fednova"), both: { localEpochs: 2 } },
  "scaffold II, sgd": { own: strategy("scaffold", { control: "II" }), both: SGD },
  "scaffold I": { own: strategy("scaffold") },
  ditto: { own: strategy("ditto") },
  "local-only": { own: strategy("local-only") },
  [`${CLIENTS} of ${MANY} clients`]: { own: { participation: CLIENTS }, clients: MANY },
};
/** The most that a round may take beside one of federated averaging. Ditto trains two models. */
const BOUNDS = { "scaffold I": 1.35, ditto: Infinity };
const USUAL_BOUND = 1.15;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    device: { type: "string", default: "cpu" },
    tf32: { type: "boolean", default: false },
    only: { type: "string", default: "" },
    json: { type: "string" },
    run: { type: "string" },
  },
});
const isOnGpu = values.device === "cuda";
if (values.run) console.log(JSON.stringify(await measure(values.run)));
else await compare(positionals.length > 0 ? positionals : USUAL[values.device]);

/** Fields train one client after another on a CPU, where two tell as much as ten. */
function clientsOf(name) {
  return isDeepOnet(name) || isOnGpu ? CLIENTS : 2;
}

/** Times of all strategies of a case, in a process that leaves the device to others when it is done. */
async function measure(name) {
  const opened = await openBackend({ backend: "onnx", tf32: values.tf32 }, values.device);
  const times = {};
  for (const [one, options] of Object.entries(STRATEGIES)) {
    if (!one.includes(values.only)) continue;
    if (options.clients && !isDeepOnet(name)) continue; // gigabytes of vectors
    times[one] = await (isOnGpu ? onGpu : onCpu)(name, options, opened.backend);
  }
  opened.close();
  return { times, hardware: opened.hardware };
}

function started(name, count, clients, given, backend) {
  const replicas = randomReplicas(name, count, clients, given);
  const problems = replicas.map(({ problem }) => problem);
  return startRounds(replicas, replicaData(problems, backend), backend);
}

async function onCpu(name, { own, both, clients }, backend) {
  const usual = clientsOf(name);
  const runs = [
    await started(name, 1, clients ?? usual, { ...both, ...own }, backend),
    await started(name, 1, usual, both, backend),
  ];
  const turn = async (rounds) => {
    const found = [];
    for (const { next } of runs) {
      const began = performance.now();
      for (let round = 0; round < rounds; round++) await next(false);
      found.push((performance.now() - began) / rounds);
    }
    return found;
  };
  await turn(1); // compiles
  const rounds = Math.ceil(SHORTEST / (await turn(1))[1]);
  const all = [];
  for (let i = 0; i < TURNS; i++) all.push(await turn(rounds));
  for (const run of runs) await run.close();
  const [ours, beside] = [0, 1].map((run) => Math.min(...all.map((found) => found[run])));
  return { "one run": { ours, beside } };
}

async function onGpu(name, { own, both, clients }, backend) {
  const timed = async (count, given, many) => {
    const rounds = await started(name, count, many, given, backend);
    const time = await timedRounds(rounds.next);
    await rounds.close();
    return time / count;
  };
  const way = async (count) => ({
    ours: await timed(count, { ...both, ...own }, clients),
    beside: await timed(count, both),
  });
  const alone = { "one run": await way(1) };
  return clients ? alone : { ...alone, [`${runsOf(name)} replicas`]: await way(runsOf(name)) };
}

async function compare(names) {
  const results = { cases: {} };
  for (const name of names) {
    const { times, ...found } = await (isOnGpu ? besideOnGpu : besideOnCpu)(name);
    Object.assign(results, found);
    results.cases[name] = times;
    console.log(`${name}, ${clientsOf(name)} clients`);
    for (const [one, ways] of Object.entries(times)) console.log(line(one, ways));
  }
  console.log(
    `ms a round of 5 steps, ratio to federated averaging, JAX and how many times ours it takes; ${Object.values(results.hardware).join(", ")}`,
  );
  if (values.json) await writeFile(values.json, `${JSON.stringify(results, undefined, 2)}\n`);
}

function line(name, ways) {
  const told = Object.entries(ways).map(([way, { ours, beside, jax }]) => {
    const ratio = ours / beside;
    const mark = ratio > (BOUNDS[name] ?? USUAL_BOUND) ? "!" : "";
    const theirs = jax ? `, JAX ${jax.toPrecision(3)} (${(jax / ours).toFixed(2)}x)` : "";
    return `${way} ${ours.toPrecision(3)} (${ratio.toFixed(2)}${mark})${theirs}`;
  });
  return `  ${name.padEnd(20)} ${told.join("; ")}`;
}

async function besideOnCpu(name) {
  const times = {};
  let hardware;
  for (let repeat = 0; repeat < REPEATS; repeat++) {
    const alone = await ours(name);
    ({ hardware } = alone);
    const pair = await Promise.all([ours(name), ours(name)]);
    const jax = { "one run": await jaxOn("core", name), "two side by side": await jaxOn("cpu", name) };
    for (const [one, { "one run": own }] of Object.entries(alone.times)) {
      const both = pair.map((found) => found.times[one]["one run"]);
      const half = (key) => Math.max(...both.map((found) => found[key])) / 2;
      const ways = { "one run": own, "two side by side": { ours: half("ours"), beside: half("beside") } };
      for (const [way, found] of Object.entries(ways)) keepLeast(times, one, way, found, jax[way]);
    }
  }
  return { times, hardware };
}

async function besideOnGpu(name) {
  const { times: own, hardware } = await ours(name);
  const jax = await peerOnGpu("strategies_jax.py", name, samplesOf(name));
  if (jax.error) console.log(`JAX: ${jax.error}`);
  const times = {};
  for (const [one, ways] of Object.entries(own))
    for (const [way, found] of Object.entries(ways))
      keepLeast(times, one, way, found, way === "one run" ? jax.milliseconds : undefined);
  return { times, hardware: { ...hardware, ...(jax.version && { jax: `JAX ${jax.version}` }) } };
}

/** Keeps the fastest of several processes. */
function keepLeast(times, one, way, found, jax) {
  times[one] ??= {};
  times[one][way] ??= {};
  const kept = times[one][way];
  for (const [key, time] of Object.entries({ ...found, jax: jax?.[one] }))
    if (time !== undefined) kept[key] = Math.min(time, kept[key] ?? Infinity);
}

function ours(name) {
  const args = ["--run", name, "--device", values.device, "--only", values.only];
  return json(process.execPath, [SELF, ...args, ...(values.tf32 ? ["--tf32"] : [])], {});
}

/** Milliseconds by strategy, of as many clients as ours. */
async function jaxOn(cores, name) {
  const found = await peer("strategies_jax.py", name, cores, samplesOf(name));
  if (!found) return undefined;
  const scaled = Object.entries(found.milliseconds).map(([one, time]) => [
    one,
    (time * clientsOf(name)) / found.clients,
  ]);
  return Object.fromEntries(scaled);
}

function samplesOf(name) {
  return `${CASES[name].samples / CLIENTS}`;
}
