/**
 * Runs every benchmark but the large ones, or those that are named, and prints what they print; `--write` puts it into
 * docs/performance.md as well, with the words below and the machine. `--check` only looks whether the page has these words
 * for the large ones, which are seldom run again.
 * Machines are noisy: read the ratios, which come from one run on one machine, rather than the times.
 */
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { hardware } from "./processes.mjs";

const BENCHMARKS = {
  partition: {
    title: "Partitioning a large dataset",
    about:
      "Everything from the HDF5 file to the diagnostics, beside scikit-learn's KMeans alone on an array in memory. Rows whose " +
      "distance bounds show that their bin cannot change are not read again (Elkan's bounds), which saves most of the passes " +
      "over 655 MB that plain Lloyd iterations make.",
  },
  partitioners: {
    title: "Partitioners",
    about:
      "Every partitioner at 100,000 samples, 10 bins and 1,000 clients. Diagnostics are D_sol and its plans over all 499,500 " +
      "pairs of clients, the IID floor, input W1 and the divergences. The memory is that of a process of its own, with the data.",
  },
  "beyond-memory": {
    title: "Data that do not fit into memory",
    about:
      "Partitions of 1 to 40 GB of responses within 4 GB of memory, beside scikit-learn's MiniBatchKMeans (batches of 4096) on " +
      "a memory map. Rows that do not fit are read again. Sketches of all rows, 64 coordinates along principal directions " +
      "and the length of the rest, bound their distances, so that few rows have to be read to know their bins. The bins have " +
      "the same bits as those computed in memory. Where a file exceeds the page cache, MiniBatchKMeans waits for the disk with " +
      "every batch of random rows. The benchmark ends its fit after 20 minutes, and it then labels all rows.",
    isLarge: true, // writes a file of 40 GB
  },
  "training-from-disk": {
    title: "Training from disk",
    about:
      "Rounds with samples in memory and with samples that are read from an HDF5 file that has left the page cache, while the " +
      "round before is computed. One thread computes; reading takes part of the second core.",
    isLarge: true, // drops files from the page cache
  },
  transport: {
    title: "Transport distances",
    about:
      "All pairs of 100 clients with 50 bins, beside a loop over POT's `ot.emd2` and SciPy's `linprog` (HiGHS), timed on " +
      "some of the pairs and scaled. Mass that two histograms share stays in place, which shrinks each problem first.",
  },
  training: {
    title: "Federated training",
    about:
      "One client's optimiser step on the paper's shapes, one run on one core and two runs side by side on two (what a sweep " +
      "does), beside JAX with the whole round compiled and PyTorch's usual loop on all cores. Ratios are those of two runs " +
      "side by side. On large grids gradients are summed over tiles of the grid whose activations stay in the cache.",
  },
  strategies: {
    title: "Strategies",
    about:
      "Milliseconds of a round of every strategy, in brackets beside federated averaging with the same options, which takes " +
      "turns with it in one process; `!` marks more than 1.15 times its time, or 1.35 times for SCAFFOLD I, which needs each " +
      "client's gradient over all its samples. Ditto trains two models. One process beside JAX (the same strategy, the whole " +
      "round compiled) on one core, and two processes side by side, per run, beside JAX on all cores. Ten clients with 5 Adam " +
      "steps. Last: ten participants of 1,000 clients beside ten clients.",
  },
  replicas: {
    title: "Replicas",
    about:
      "Runs that differ in seed and alpha as replicas of one program, per run and round, and what a checkpoint takes. " +
      "It pays on a GPU; on a CPU activations of more runs leave the cache.",
  },
  models: {
    title: "Models",
    about:
      "A training step of FNO on 64 x 64 points (width 32, 12 modes, batch 16), on 1024 points (width 64, 16 modes, batch 32) and " +
      "on 32 x 32 x 32 points (width 20, 8 modes, batch 4), of DeepONet with 100 sensors on 64 x 64 points (width 64, depth 3, " +
      "batch 64) and of InversionNet-lite on recordings of 1000 and 250 samples (batch 16): one process with one thread beside " +
      "PyTorch with one, and two processes side by side, per step, beside PyTorch and JAX with two.",
  },
  "studio-dial": {
    title: "The studio's dial",
    about:
      "A step of the dial in Chromium, from the slider's input event to the frame that shows the split: 1,000 samples of 101 x 101, " +
      "10 clients, 10 bins, with repair at small alpha. A frame of the screen lasts 16.7 ms.",
  },
  "studio-training": {
    title: "Training in a page",
    about:
      "Rounds a second of one run and of three side by side in Chromium, with all that the page measures and draws meanwhile, " +
      "beside ONNX Runtime for Node on one thread: Antiderivative, 10 clients, 5 local steps, batches of 64.",
  },
  generate: {
    title: "Generating data",
    about:
      "The paper's sets at their full sizes; samples are independent and shared out over threads in blocks.",
  },
};

const INTRODUCTION =
  "Written by `npm run bench -- --write`, section by section. Read the ratios: those of a section come from one run on one machine.";

/** The text of a section: what is measured, where, and what came of it. */
const section = ({ title, about }, machine, output) =>
  `## ${title}\n\n${about} ${MEASURED} ${machine}.\n\n\`\`\`\n${output}\n\`\`\``;
const MEASURED = "Measured on";

const names = process.argv.slice(2).filter((argument) => !argument.startsWith("--"));
const unknown = names.find((name) => !(name in BENCHMARKS));
if (unknown)
  throw new Error(`there is no benchmark "${unknown}"; there are ${Object.keys(BENCHMARKS).join(", ")}`);
const page = new URL("../docs/performance.md", import.meta.url);
const machine = hardware();
// Sections of the page that are not measured now stay as they are.
const sections = new Map(
  readFileSync(page, "utf8")
    .split(/^(?=## )/m)
    .slice(1)
    .map((section) => [/^## (.*)/.exec(section)[1], section.trimEnd()]),
);
if (process.argv.includes("--check")) {
  const stale = Object.values(BENCHMARKS).find(
    ({ title, about, isLarge }) =>
      isLarge && !sections.get(title)?.startsWith(`## ${title}\n\n${about} ${MEASURED} `),
  );
  if (stale)
    throw new Error(`docs/performance.md: other words under "${stale.title}" than a benchmark writes there`);
} else measure();

function measure() {
  const usual = Object.keys(BENCHMARKS).filter((name) => !BENCHMARKS[name].isLarge);
  for (const name of names.length > 0 ? names : usual) {
    const script = fileURLToPath(new URL(`${name}.mjs`, import.meta.url));
    const { status, stdout, stderr } = spawnSync(process.execPath, [script], { encoding: "utf8" });
    if (status !== 0) throw new Error(`${name}: ${stderr}`);
    console.log(`${stdout}`);
    sections.set(BENCHMARKS[name].title, section(BENCHMARKS[name], machine, stdout.trimEnd()));
  }
  if (!process.argv.includes("--write")) return;
  const titles = Object.values(BENCHMARKS).map(({ title }) => title);
  const others = [...sections.keys()].filter((title) => !titles.includes(title));
  const known = [...titles, ...others].flatMap((title) => sections.get(title) ?? []);
  writeFileSync(page, `${["# Performance", INTRODUCTION, ...known].join("\n\n")}\n`);
}
