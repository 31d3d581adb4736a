/**
 * Normalising and binning 10,000 responses of 128 x 128 float32 (655 MB) into 20 bins, beside scikit-learn's
 * KMeans(n_init=1) alone on the same numbers, each on all cores. Our time includes reading the file; scikit-
 * learn's starts with the array in memory. Needs a build; Python is the one that PDE_DIRICHLET_PYTHON names,
 * or python3, with scikit-learn. Takes the number of seeds as its argument, 3 unless given.
 */
import { spawnSync } from "node:child_process";
import { closeSync, openSync, readSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { kMeans } from "../dist/numerics/k-means.js";
import { nodeThreads } from "../dist/numerics/kernels/node-threads.js";
import { normaliseResponses } from "../dist/partition/normalise.js";
import { stream } from "../dist/random/stream.js";
import { GRID, responsesFile, SAMPLES } from "./responses.mjs";

const BINS = 20;
const SEEDS = Number(process.argv[2] ?? 3);

const path = responsesFile();
const file = openSync(path);
const size = GRID * GRID;
const fields = {
  samples: SAMPLES,
  shape: [GRID, GRID],
  dtype: "float32",
  async read(start, end) {
    const values = new Float32Array((end - start) * size);
    readSync(file, new Uint8Array(values.buffer), 0, values.byteLength, start * size * 4);
    return values;
  },
};

async function fit(seed) {
  const start = performance.now();
  const cpu = process.cpuUsage();
  const { matrix } = await normaliseResponses(fields, { threads: nodeThreads() });
  const normalised = performance.now();
  const { iterations, inertia } = await kMeans(matrix, { clusters: BINS, random: stream(seed, "bins") });
  const seconds = (performance.now() - start) / 1000;
  await matrix.close();
  const { user, system } = process.cpuUsage(cpu);
  // The mean squared norm of normalised responses is 1: inertia / SAMPLES is the share of variance that is
  // left.
  const left = inertia / SAMPLES;
  return { seconds, cpu: (user + system) / 1e6, normalising: (normalised - start) / 1000, iterations, left };
}

const ours = [];
let memory = 0; // of the first fit: what it leaves behind is collected only in the course of the next
for (let seed = 0; seed < SEEDS; seed++) {
  ours.push(await fit(seed));
  memory ||= process.resourceUsage().maxRSS / 1e6;
}
closeSync(file);

const python = process.env.PDE_DIRICHLET_PYTHON ?? "python3";
const script = fileURLToPath(new URL("peers/k_means.py", import.meta.url));
const peer = spawnSync(python, [script, path, SAMPLES, BINS, SEEDS].map(String), { encoding: "utf8" });
const theirs = peer.status === 0 ? JSON.parse(peer.stdout) : undefined;
if (!theirs) console.log(`No peer: ${python} cannot run bench/peers/k_means.py.\n${peer.stderr ?? ""}`);

const describe = ({ seconds, cpu, iterations, left }) =>
  `${seconds.toFixed(1)} s (${cpu.toFixed(1)} s of CPU), ${iterations} iterations, ` +
  `${(100 * left).toFixed(2)} % of variance left`;

console.log(
  `Binning ${SAMPLES} responses of ${GRID} x ${GRID} into ${BINS}, peak memory ${memory.toFixed(2)} GB`,
);
ours.forEach((our, seed) => {
  console.log(`seed ${seed}: ours ${describe(our)}, of which normalising ${our.normalising.toFixed(1)} s`);
  if (!theirs) return;
  const ratio = (theirs[seed].seconds / our.seconds).toFixed(1);
  console.log(`        scikit-learn ${describe(theirs[seed])}: ${ratio}x our time`);
});
if (theirs) {
  const total = (fits, key) => fits.reduce((sum, found) => sum + found[key], 0);
  const ratio = (key) => (total(theirs, key) / total(ours, key)).toFixed(2);
  console.log(
    `all: scikit-learn takes ${ratio("seconds")}x our time, ${ratio("cpu")}x our CPU, ` +
      `leaves ${ratio("left")}x our variance`,
  );
}
