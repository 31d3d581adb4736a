/**
 * Partitioning responses that do not fit into memory: fields of 128 x 128 float32 in an NPY file of 1 to 40 GB, 10 bins,
 * 10 clients, within 4 GB; beside scikit-learn's MiniBatchKMeans on a memory map of the same file, which returns labels
 * of all responses too. Each in a process of its own, on all cores. Our time includes hashing the responses, dividing
 * them among clients and the diagnostics.
 *
 *   node bench/beyond-memory.mjs [--json file] [--folder folder] [--alone] [--memory GB] [--minutes n] [gigabytes ...]
 *
 * Writes the file into `folder` (by default that of temporary files), lets it grow from size to size, and removes it at
 * the end, also after a failure. `--alone` leaves the peer out; `--memory` is that of the program, 4 unless given. The
 * peer takes no more batches after `--minutes`, 20 unless given: on a file that exceeds the page cache it may go on for
 * hours. A file that is smaller than the machine's memory is read from the system's cache, by both. Needs a build; Python is the one that PDE_DIRICHLET_PYTHON names, or python3, with scikit-learn.
 */
import { rmSync } from "node:fs";
import { open, readFile, statfs, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { partitionDataFile } from "../dist/exchange/partition-data-file.js";
import { json, peer } from "./processes.mjs";
import { fields, GRID } from "./responses.mjs";

const SELF = fileURLToPath(import.meta.url);
const SIZES = [1, 2, 5, 10, 20, 40];
const BINS = 10;
const CLIENTS = 10;
const ROW_BYTES = 4 * GRID * GRID;
/** Bytes before the numbers of the NPY file, the same for any number of samples. */
const HEADER = 128;
/** Fields that are written at once. */
const PIECE = 256;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    json: { type: "string" },
    folder: { type: "string", default: tmpdir() },
    alone: { type: "boolean", default: false },
    memory: { type: "string", default: "4" },
    minutes: { type: "string", default: "20" },
    run: { type: "string" },
  },
});
if (values.run) console.log(JSON.stringify(await run(values.run)));
else await compare(positionals.length > 0 ? positionals.map(Number) : SIZES);

async function compare(sizes) {
  const path = join(values.folder, `pde-dirichlet-beyond-memory-${process.pid}.npy`);
  const remove = () => rmSync(path, { force: true });
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"])
    process.on(signal, () => {
      remove();
      process.exit(1);
    });
  const results = [];
  try {
    const grow = growingFile(path);
    for (const gigabytes of [...sizes].sort((a, b) => a - b)) {
      const { bavail, bsize } = await statfs(values.folder);
      if (bavail * bsize < gigabytes * 1.02e9) {
        console.log(`${gigabytes} GB: left out, ${values.folder} has no room for it`);
        continue;
      }
      const samples = await grow(gigabytes * 1e9);
      const ours = await json(process.execPath, [SELF, "--run", path, "--memory", values.memory]);
      const theirs = values.alone
        ? undefined
        : await peer("mini_batch_k_means.py", path, BINS, ours.variance, values.minutes);
      results.push({ gigabytes, samples, ours, theirs });
      console.log(`${gigabytes} GB, ${samples} responses of ${GRID} x ${GRID}`);
      console.log(`  ours: ${inWords(ours)}, ${ours.iterations} iterations`);
      if (!values.alone)
        console.log(`  MiniBatchKMeans: ${theirs ? peerInWords(theirs) : "Python cannot run it here"}`);
    }
  } finally {
    remove();
  }
  if (values.json) await writeFile(values.json, `${JSON.stringify(results, undefined, 2)}\n`);
}

function peerInWords(theirs) {
  const end = theirs.stopped ? `, stopped after ${values.minutes} minutes of fitting` : "";
  return `${inWords(theirs)}, ${theirs.steps} batches${end}`;
}

function inWords({ seconds, cpu, memory, read, fromDisk, left }) {
  const requested = read === undefined ? "" : `${(read / 1e9).toFixed(1)} GB read, `;
  return (
    `${seconds.toFixed(1)} s (${cpu.toFixed(1)} s of CPU), peak memory ${(memory / 1e9).toFixed(2)} GB, ${requested}` +
    `${(fromDisk / 1e9).toFixed(1)} GB from disk, ${(100 * left).toFixed(2)} % of variance left`
  );
}

/** An NPY file of responses that grows to sizes that are asked for in rising order. */
function growingFile(path) {
  const source = fields("responses");
  let samples = 0;
  return async (bytes) => {
    const file = await open(path, samples === 0 ? "w" : "r+");
    try {
      const wanted = Math.round(bytes / ROW_BYTES);
      let written = Promise.resolve();
      while (samples < wanted) {
        const count = Math.min(PIECE, wanted - samples);
        const piece = new Float32Array(count * GRID * GRID);
        for (let i = 0; i < count; i++) piece.set(source.next().value, i * GRID * GRID);
        await written;
        written = file.write(new Uint8Array(piece.buffer), 0, piece.byteLength, HEADER + samples * ROW_BYTES);
        samples += count;
      }
      await written;
      const text = `{'descr': '<f4', 'fortran_order': False, 'shape': (${samples}, ${GRID}, ${GRID}), }`;
      const start = Uint8Array.of(0x93, ...new TextEncoder().encode("NUMPY"), 1, 0, HEADER - 10, 0);
      const header = new Uint8Array(HEADER);
      header.set(start);
      header.set(new TextEncoder().encode(`${text.padEnd(HEADER - 11)}\n`), 10);
      await file.write(header, 0, HEADER, 0);
      await file.sync();
    } finally {
      await file.close();
    }
    return samples;
  };
}

/** One partition of the file by this library, measured from within. */
async function run(path) {
  const began = performance.now();
  const { results } = await partitionDataFile(path, [{ seed: 0, alpha: 0.1 }], {
    clients: CLIENTS,
    bins: BINS,
    memory: Number(values.memory),
  });
  const seconds = (performance.now() - began) / 1000;
  const { user, system } = process.cpuUsage();
  const { bins } = results[0].measured;
  const io = await readFile("/proc/self/io", "utf8").catch(() => "");
  const bytes = (name) => Number(new RegExp(`^${name}: (\\d+)`, "m").exec(io)?.[1] ?? Number.NaN);
  return {
    seconds,
    cpu: (user + system) / 1e6,
    memory: process.resourceUsage().maxRSS * 1024,
    read: bytes("rchar"),
    fromDisk: bytes("read_bytes"),
    left: 1 - bins.quality.explainedVariance,
    iterations: bins.iterations,
    variance: bins.scale ** 2 * bins.binOfSample.length,
  };
}
