/**
 * Milliseconds of a round of federated training on one GPU: 10 clients, 5 local Adam steps, float32, random data of the
 * paper's shapes. One run alone and several replicas (25, or 5 of models of fields; per run), beside JAX (the whole
 * round compiled) and PyTorch (the loop that people write, clients one after another) on the same GPU in the same call.
 * Needs a build. Into a file that has earlier results of the same GPU come those of the cases that are measured; the time
 * of a peer that is kept is the shortest of all calls, since the loop of one that waits for its host varies.
 *
 *   node bench/cuda.mjs [--json file] [--tf32] [cases]
 *
 * PDE_DIRICHLET_PYTHON names the Python of the peers, or several of them as a path does: each peer is run by the first
 * one that has what it needs. Peers that cannot be run are left out, with the reason.
 */

import { readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { findDevices } from "../dist/engine/cuda/device/device.js";
import { openBackend } from "../dist/federation/backends.js";
import { replicaData } from "../dist/federation/replicas/replicas-data.js";
import { startRounds } from "../dist/federation/rounds/rounds.js";
import { CASES, CLIENTS, isDeepOnet, randomReplicas, runsOf, timedRounds } from "./cuda-cases.mjs";
import { json, peerOnGpu } from "./processes.mjs";

const SELF = fileURLToPath(import.meta.url);
const STEPS = 5;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    json: { type: "string" },
    tf32: { type: "boolean", default: false },
    run: { type: "string" },
  },
});
if (values.run) console.log(JSON.stringify(await measure(values.run)));
else await compare(positionals.length > 0 ? positionals : Object.keys(CASES));

/** What ours takes, in a process that leaves the GPU to the others when it is done. */
async function measure(name) {
  const opened = await openBackend({ backend: "onnx", tf32: values.tf32 }, "cuda");
  const { backend } = opened;
  const replicas = randomReplicas(name, runsOf(name));
  const start = (some) =>
    startRounds(
      some,
      replicaData(
        some.map(({ problem }) => problem),
        backend,
      ),
      backend,
    );
  const began = performance.now();
  const alone = await start(replicas.slice(0, 1));
  await alone.next(true);
  const found = { ready_s: (performance.now() - began) / 1e3, ours_ms: await timedRounds(alone.next) };
  await alone.close();
  const all = await start(replicas);
  found.replicas_ms = (await timedRounds(all.next)) / replicas.length;
  await all.close();
  opened.close();
  const { libraries } = await findDevices();
  const versions = Object.entries(libraries).map(([library, { version }]) => [library, version]);
  return {
    ...found,
    hardware: { ...opened.hardware, ...Object.fromEntries(versions), node: process.version },
  };
}

async function compare(names) {
  const devices = await findDevices();
  if ("why" in devices) {
    console.log(`nothing to measure on: ${devices.why}`);
    return;
  }
  const before = await earlier();
  const results = { cases: {} };
  for (const name of names) {
    const own = await json(process.execPath, [SELF, "--run", name, ...(values.tf32 ? ["--tf32"] : [])]);
    const { hardware, ...times } = own;
    if (!results.hardware) Object.assign(results, sameHardware(before, hardware) && before, { hardware });
    const tell = (text) => console.log(`${name.padEnd(20)}${text}`);
    tell(`ours ${ms(times.ours_ms)}, ready after ${times.ready_s.toFixed(1)} s`);
    tell(`ours, ${runsOf(name)} replicas ${ms(times.replicas_ms)} per run`);
    for (const [peer, script] of Object.entries(peersOf(name))) {
      const found = await peerOnGpu(script, name);
      const key = `${peer.toLowerCase()}_ms`;
      if (found.error) {
        times[key] = results.cases[name]?.[key];
        tell(`${peer}: ${found.error}`);
        continue;
      }
      // Times of another version are none of this one's.
      if (results[peer.toLowerCase()] !== found.version)
        for (const one of Object.values(results.cases)) delete one[key];
      results[peer.toLowerCase()] = found.version;
      const time = CLIENTS * STEPS * found.milliseconds;
      times[key] = Math.min(time, results.cases[name]?.[key] ?? Infinity);
      tell(`${peer} ${found.version} ${ms(time)} (${(time / times.ours_ms).toFixed(1)}x)`);
    }
    results.cases[name] = times;
    // After every case, so that what was measured is kept whatever comes.
    if (values.json) await writeFile(values.json, `${JSON.stringify(results, undefined, 2)}\n`);
  }
  console.log(
    `ms a round of ${CLIENTS} clients x ${STEPS} steps; ${Object.values(results.hardware).join(", ")}`,
  );
}

/** What the file has already, if it is one. */
async function earlier() {
  const text = values.json && (await readFile(values.json, "utf8").catch(() => undefined));
  return text ? JSON.parse(text) : undefined;
}

function sameHardware(before, hardware) {
  return JSON.stringify(before?.hardware) === JSON.stringify(hardware);
}

function peersOf(name) {
  if (isDeepOnet(name)) return { JAX: "training_jax.py", PyTorch: "training_torch.py" };
  return { JAX: "models_jax.py", PyTorch: "models_torch.py" };
}

function ms(milliseconds) {
  return `${milliseconds.toPrecision(3)} ms`;
}
