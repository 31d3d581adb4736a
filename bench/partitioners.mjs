/**
 * Every partitioner on 100,000 samples, 10 bins and 1,000 clients: seconds for the clients and for all diagnostics, which
 * compare half a million pairs of clients, and the peak memory of a process that does nothing else. Fields are small, so
 * that reading and binning, which are not timed, do not matter. Needs a build. Names of partitioners as arguments choose.
 */
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { fieldsInMemory } from "../dist/datasets/fields.js";
import { drawPartition } from "../dist/partition/partition.js";
import { PARTITIONER_NAMES, PARTITIONERS, takesAlpha } from "../dist/partition/partitioners.js";
import { binData } from "../dist/pipeline/binned-data.js";
import { measurePartition } from "../dist/pipeline/measured-partition.js";
import { normal } from "../dist/random/normal.js";
import { stream } from "../dist/random/stream.js";

const SAMPLES = 100_000;
const CLIENTS = 1_000;
const BINS = 10;
const POINTS = 16;
/** Small enough for repair to move thousands of samples. */
const ALPHA = 0.1;
const NEEDED = { by: { by: "parameter", strictness: 0.5 }, file: { file: "theirs.csv" } };

const [child, name] = process.argv.slice(2);
if (child === "--one") await one(name);
else {
  const names = process.argv.length > 2 ? process.argv.slice(2) : PARTITIONER_NAMES;
  console.log(`${SAMPLES} samples, ${BINS} bins, ${CLIENTS} clients, alpha ${ALPHA} where one is taken`);
  console.log("partitioner        clients, s  diagnostics, s  moved  memory, GB");
  for (const partitioner of names) {
    const script = fileURLToPath(import.meta.url);
    const ran = spawnSync(process.execPath, [script, "--one", partitioner], { encoding: "utf8" });
    if (ran.status !== 0) throw new Error(`${partitioner}: ${ran.stderr}`);
    process.stdout.write(ran.stdout);
  }
}

/** Draws and measures one partition, and prints a row. */
async function one(name) {
  if (!(name in PARTITIONERS))
    throw new Error(`there is no partitioner ${name}; there are ${PARTITIONER_NAMES.join(", ")}`);
  const random = stream(1, "bench");
  const values = () => Float32Array.from({ length: SAMPLES * POINTS }, () => normal(random));
  const responses = fieldsInMemory(values(), SAMPLES, [POINTS]);
  const inputs = fieldsInMemory(values(), SAMPLES, [POINTS]);
  const { bins, inputs: space } = await binData({ responses, inputs }, { bins: BINS, seed: 1 });
  const data = {
    bins: BINS,
    binOfSample: bins.binOfSample,
    attribute: Float64Array.from({ length: SAMPLES }, () => random.uniform()),
    inputBins: Int32Array.from({ length: SAMPLES }, () => random.below(BINS)),
    clients: {
      clientOfSample: Int32Array.from({ length: SAMPLES }, (_, i) => i % CLIENTS),
      clientNames: Array.from({ length: CLIENTS }, (_, client) => String(client)),
    },
  };
  const before = performance.now();
  const partition = drawPartition(data, {
    clients: CLIENTS,
    seed: 1,
    alpha: takesAlpha(name) ? ALPHA : null,
    partitioner: { name, ...NEEDED[name] },
  });
  const between = performance.now();
  await measurePartition(partition, bins, space);
  const after = performance.now();
  const seconds = (from, to) => ((to - from) / 1000).toFixed(2);
  const memory = (process.resourceUsage().maxRSS / 1e6).toFixed(2);
  console.log(
    name.padEnd(17) +
      seconds(before, between).padStart(12) +
      seconds(between, after).padStart(16) +
      String(partition.repairs.length).padStart(7) +
      memory.padStart(12),
  );
}
