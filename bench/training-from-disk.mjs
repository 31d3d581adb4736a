/**
 * Milliseconds per round of federated training with samples in memory and read from disk, at E = 5 local Adam steps, and
 * the peak memory of both. Data are random, in an HDF5 file of about 1 GB that is made and removed here; before each turn
 * the file leaves the page cache (by `dd` of GNU coreutils; without it the cache is said to be warm). Needs a build.
 *
 * Machines are noisy: both take turns, and the fastest turn counts. Arguments: names of cases; all by default.
 * `--gigabytes 4` makes larger files, `--folder` puts them on another disk, `--turns 1` takes fewer turns.
 */

import { spawnSync } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { openDataset } from "../dist/datasets/files/labelled-file.js";
import { backendOf } from "../dist/federation/backends.js";
import { replicaData } from "../dist/federation/replicas/replicas-data.js";
import { startRounds } from "../dist/federation/rounds/rounds.js";
import { runOptions } from "../dist/federation/run-options.js";
import { openReader } from "../dist/federation/samples/reader-thread.js";
import { trainingSamples } from "../dist/federation/scaling.js";
import { initialState } from "../dist/federation/trainer.js";
import { describeTrainingFile } from "../dist/federation/training-file.js";
import { writeHdf5 } from "../dist/files/hdf5-writer.js";
import { fieldSize } from "../dist/models/model.js";
import { modelOf } from "../dist/models/models.js";
import { json } from "./processes.mjs";

const SELF = fileURLToPath(import.meta.url);
const one = (...grid) => ({ channels: 1, grid });
/** Models with their usual batches; clients and rounds make a turn of some seconds. */
const CASES = {
  "fno2d-64": { model: "fno", inputs: one(64, 64), responses: one(64, 64), clients: 2, rounds: 2 },
  "fno2d-128": { model: "fno", inputs: one(128, 128), responses: one(128, 128), clients: 1, rounds: 1 },
  fno1d: { model: "fno", inputs: one(1024), responses: one(1024), clients: 10, rounds: 4 },
  "deeponet-101": { model: "deeponet", inputs: one(101), responses: one(101, 101), clients: 10, rounds: 4 },
};
/** Such as a standardised file has. */
const SCALING = { inputs: [{ offset: 0.5, scale: 0.3 }], responses: [{ offset: 0.5, scale: 0.3 }] };
const TEST = 16;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    run: { type: "string" },
    data: { type: "string" },
    gigabytes: { type: "string", default: "1" },
    turns: { type: "string", default: "3" },
    folder: { type: "string", default: tmpdir() },
  },
});
if (values.run)
  console.log(JSON.stringify(await measure(positionals[0], values.run, JSON.parse(values.data))));
else await compare(positionals.filter((name) => name in CASES));

/** The time of a round in this process, and the memory that it took at most. */
async function measure(name, where, data) {
  const { model, inputs, responses, clients, rounds } = CASES[name];
  const options = runOptions({
    task: data.task,
    data,
    alpha: 100,
    seed: 1,
    clients: 10,
    model: { name: model },
  });
  const operator = modelOf(model).build({ inputs, responses });
  const samples = await samplesIn(where, data);
  const own = Math.floor(data.train / clients);
  const problem = {
    ...samples,
    operator,
    // Clients of a partition hold samples from anywhere in the file.
    clientIndices: Array.from({ length: clients }, (_, k) =>
      Int32Array.from({ length: own }, (_, i) => i * clients + k),
    ),
    weights: new Float64Array(clients).fill(1 / clients),
  };
  const backend = await backendOf("onnx");
  const replica = { problem, options, start: initialState(problem, options) };
  const running = await startRounds([replica], replicaData([problem], backend), backend);
  await running.next(false);
  const start = performance.now();
  for (let round = 0; round < rounds; round++) await running.next(false);
  const milliseconds = (performance.now() - start) / rounds;
  await running.close();
  const taken = clients * Math.min(own, options.localSteps * options.batch);
  const bytes = 4 * taken * (fieldSize(inputs) + fieldSize(responses));
  return { milliseconds, bytes, gigabytes: process.resourceUsage().maxRSS / 2 ** 20 };
}

/** Samples as training takes them, in `memory` or on `disk`. */
async function samplesIn(where, data) {
  if (where === "memory") {
    const dataset = await openDataset(data, { isUnchanged: true });
    const train = await trainingSamples(await dataset.read("train"), SCALING);
    const test = await trainingSamples(await dataset.read("test"), SCALING);
    await dataset.close();
    return { train, test };
  }
  const count = ({ axes }) => axes.reduce((size, { length }) => size * length, 1);
  const sizes = { inputs: count(data.inputs), responses: count(data.responses) };
  const reader = openReader({ data, scaling: SCALING, sizes });
  const half = (split, samples) => ({
    samples,
    sizes,
    read: (chosen, into) => reader.read(split, chosen, into),
  });
  return { train: half("train", data.train), test: half("test", data.test) };
}

async function compare(chosen) {
  console.log("ms per round of federated training, E = 5, one thread; a ratio of 1 is the speed in memory");
  const folder = await mkdtemp(join(values.folder, "pde-dirichlet-bench-"));
  try {
    for (const name of chosen.length > 0 ? chosen : Object.keys(CASES)) await compareCase(name, folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function compareCase(name, folder) {
  const file = join(folder, `${name}.h5`);
  await makeFile(name, file, Number(values.gigabytes) * 1e9);
  const data = JSON.stringify(await describeTrainingFile(file, {})); // it hashes the file: once
  const best = {};
  let isCold = true;
  for (let turn = 0; turn < Number(values.turns); turn++)
    for (const where of ["memory", "disk"]) {
      isCold = dropCache(file) && isCold;
      const found = await json(process.execPath, [SELF, name, "--run", where, "--data", data]);
      if (!(found.milliseconds >= best[where]?.milliseconds)) best[where] = found;
    }
  await rm(file);
  const { memory, disk } = best;
  const speed = disk.bytes / 1e6 / (disk.milliseconds / 1e3);
  console.log(
    `${name}: in memory ${memory.milliseconds.toPrecision(3)} (peak ${memory.gigabytes.toFixed(2)} GB), ` +
      `from disk ${disk.milliseconds.toPrecision(3)} (peak ${disk.gigabytes.toFixed(2)} GB), ` +
      `ratio ${(memory.milliseconds / disk.milliseconds).toFixed(2)}; ` +
      `${(disk.bytes / 1e6).toPrecision(3)} MB a round, ${speed.toPrecision(3)} MB/s${isCold ? "" : ", warm cache"}`,
  );
}

/** Numbers between 0 and 1, a block of them over and over. */
async function makeFile(name, file, bytes) {
  const { inputs, responses } = CASES[name];
  const size = fieldSize(inputs) + fieldSize(responses);
  const train = Math.floor(bytes / 4 / size);
  const block = Float32Array.from({ length: 2 ** 22 }, (_, i) => ((i * 2654435761) % 2 ** 32) / 2 ** 32);
  const stack = (shape, samples) => {
    const length = fieldSize(shape);
    const rows = (start, end) => {
      const values = new Float32Array((end - start) * length);
      for (let at = 0; at < values.length; at += block.length)
        values.set(block.subarray(0, values.length - at), at);
      return values;
    };
    return { shape: [samples, ...shape.grid], values: { dtype: "float32", rows } };
  };
  const half = (split, samples) => ({
    [`/${split}/inputs`]: stack(inputs, samples),
    [`/${split}/responses`]: stack(responses, samples),
  });
  await writeHdf5(file, { attributes: {}, datasets: { ...half("train", train), ...half("test", TEST) } });
}

/** Whether the file left the page cache. */
function dropCache(file) {
  spawnSync("sync", [file]);
  return spawnSync("dd", [`if=${file}`, "iflag=nocache", "count=0"]).status === 0;
}
