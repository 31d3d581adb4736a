/**
 * The whole pipeline on 10,000 responses and inputs of 128 x 128 float32 (655 MB each) in an HDF5 file: normalise,
 * 20 bins, 100 clients, all diagnostics; beside scikit-learn's KMeans(n_init=1) alone on the same responses, each on
 * all cores. Our time includes reading and hashing the file; scikit-learn's starts with the array in memory.
 * Needs a build; Python is the one that PDE_DIRICHLET_PYTHON names, or python3, with scikit-learn and h5py.
 * Takes the number of seeds as its argument, 2 unless given.
 */
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { openData } from "../dist/datasets/files/open.js";
import { inputSpace } from "../dist/diagnostics/input-distance.js";
import { nodeThreads } from "../dist/numerics/kernels/node-threads.js";
import { fitBins } from "../dist/partition/bins.js";
import { normaliseResponses } from "../dist/partition/normalise.js";
import { partitionBins } from "../dist/partition/partition.js";
import { measurePartition } from "../dist/pipeline/measured-partition.js";
import { GRID, responsesFile, SAMPLES } from "./responses.mjs";

const BINS = 20;
const CLIENTS = 100;
const SEEDS = Number(process.argv[2] ?? 2);

const path = await responsesFile();

/** One partition from the file, with the seconds that every stage took. */
async function run(seed) {
  const cpu = process.cpuUsage();
  const stages = {};
  let since = performance.now();
  const stage = (name) => {
    stages[name] = (performance.now() - since) / 1000;
    since = performance.now();
  };
  const threads = nodeThreads();
  const data = await openData(path);
  const hashed = data.hashedResponses();
  const normalised = await normaliseResponses(hashed.fields, { threads });
  hashed.sha256();
  stage("read, hash, normalise");
  const bins = await fitBins(normalised, { bins: BINS, seed });
  await normalised.matrix.close();
  stage("bins");
  const partition = partitionBins(bins.binOfSample, { clients: CLIENTS, bins: BINS, alpha: 0.1, seed });
  const inputs = await inputSpace(data.inputs, { threads });
  stage("inputs' scale");
  const { diagnostics } = await measurePartition(partition, bins, inputs);
  stage("diagnostics");
  await data.close();
  const { user, system } = process.cpuUsage(cpu);
  const seconds = Object.values(stages).reduce((a, b) => a + b, 0);
  // The mean squared norm of normalised responses is 1, so that inertia / SAMPLES is the share of variance left.
  const left = bins.inertia / SAMPLES;
  return { seconds, cpu: (user + system) / 1e6, stages, iterations: bins.iterations, left, diagnostics };
}

const ours = [];
let memory = 0; // of the first run: what it leaves behind is collected only in the course of the next
for (let seed = 0; seed < SEEDS; seed++) {
  ours.push(await run(seed));
  memory ||= process.resourceUsage().maxRSS / 1e6;
}

const python = process.env.PDE_DIRICHLET_PYTHON ?? "python3";
const script = fileURLToPath(new URL("peers/k_means.py", import.meta.url));
const peer = spawnSync(python, [script, path, BINS, SEEDS].map(String), { encoding: "utf8" });
const theirs = peer.status === 0 ? JSON.parse(peer.stdout) : undefined;
if (!theirs) console.log(`No peer: ${python} cannot run bench/peers/k_means.py.\n${peer.stderr ?? ""}`);

const describe = ({ seconds, cpu, iterations, left }) =>
  `${seconds.toFixed(1)} s (${cpu.toFixed(1)} s of CPU), ${iterations} iterations, ` +
  `${(100 * left).toFixed(2)} % of variance left`;

console.log(
  `${SAMPLES} responses and inputs of ${GRID} x ${GRID} from HDF5, ${CLIENTS} clients, ${BINS} bins: ` +
    `peak memory ${memory.toFixed(2)} GB`,
);
ours.forEach((our, seed) => {
  const stages = Object.entries(our.stages).map(([name, seconds]) => `${name} ${seconds.toFixed(1)} s`);
  console.log(`seed ${seed}: ours, everything: ${describe(our)}\n          ${stages.join(", ")}`);
  if (!theirs) return;
  const ratio = (theirs[seed].seconds / our.seconds).toFixed(1);
  console.log(`        scikit-learn, KMeans alone: ${describe(theirs[seed])}: ${ratio}x our time`);
});
if (theirs) {
  const total = (fits, key) => fits.reduce((sum, found) => sum + found[key], 0);
  const ratio = (key) => (total(theirs, key) / total(ours, key)).toFixed(2);
  console.log(
    `all: scikit-learn takes ${ratio("seconds")}x our time, ${ratio("cpu")}x our CPU, ` +
      `leaves ${ratio("left")}x our variance`,
  );
}
