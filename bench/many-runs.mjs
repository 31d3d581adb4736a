/**
 * What a study of many runs costs beside their training: seconds and memory to plan it, to carry it out, to show its status, to
 * write its table and report, and to verify it; files and bytes of its folder. The runs are real and tiny (two rounds
 * on 64 samples), so that training is the smallest part. Each step is a process of its own. Needs a build.
 *
 *   node bench/many-runs.mjs [--json file] [number of runs ...]
 */

import { mkdtemp, readdir, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { PAPER_ADDITIONS } from "../dist/paper/additions.js";
import { writeReport } from "../dist/report/write-report.js";
import { studyRecords } from "../dist/studies/collect-records.js";
import { inlineRunner } from "../dist/studies/execution/runner.js";
import { planStudy } from "../dist/studies/plan.js";
import { readSpecification } from "../dist/studies/read-specification.js";
import { studyStatus } from "../dist/studies/status.js";
import { runStudy } from "../dist/studies/study.js";
import { studyFacts } from "../dist/studies/study-facts.js";
import { verifyStudy } from "../dist/studies/verify.js";
import { hardware, json } from "./processes.mjs";

const SELF = fileURLToPath(import.meta.url);
/** Two runs a seed: near-IID and alpha 0.1. */
const specification = (runs) => `name: many
tasks: [{ task: antiderivative, train: 64, test: 16 }]
alphas: [100, 0.1]
seeds: ${JSON.stringify(Array.from({ length: runs / 2 }, (_, seed) => seed))}
federation: { clients: 2, rounds: 2, local_steps: 1, batch: 16 }
partition: { bins: 4, min_size: 4 }
`;

const STEPS = {
  plan: (_, runs) => planned(runs),
  study: async (folder, runs) => runStudy(folder, await planned(runs), inlineRunner),
  status: (folder) => studyStatus(folder),
  table: (folder) => studyRecords(folder),
  report: async (folder) =>
    writeReport(folder, { ...(await studyFacts(folder)), additions: PAPER_ADDITIONS }),
  verify: (folder) => verifyStudy(folder),
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { json: { type: "string" }, step: { type: "string" }, folder: { type: "string" } },
});
const counts = (positionals.length > 0 ? positionals : ["100", "1000", "4000"]).map(Number);
if (values.step) console.log(JSON.stringify(await step(values.step, values.folder, counts[0])));
else await compare();

function planned(runs) {
  return planStudy(readSpecification(specification(runs), "many.yaml", []));
}

async function step(name, folder, runs) {
  const began = performance.now();
  await STEPS[name](folder, runs);
  return { seconds: (performance.now() - began) / 1000, memory: process.resourceUsage().maxRSS / 2 ** 20 };
}

async function compare() {
  const points = [];
  console.log(
    `      runs${Object.keys(STEPS)
      .map((name) => `${name}, s (GB)`.padStart(18))
      .join("")}     files        MB`,
  );
  for (const runs of counts) {
    const root = await mkdtemp(join(tmpdir(), "pde-dirichlet-many-"));
    try {
      const folder = join(root, "out");
      const environment = { PDE_DIRICHLET_CACHE: join(root, "cache") };
      const steps = {};
      for (const name of Object.keys(STEPS))
        steps[name] = await json(
          process.execPath,
          [SELF, "--step", name, "--folder", folder, `${runs}`],
          environment,
        );
      const size = await sizeOf(folder);
      points.push({ runs, steps, ...size });
      const cells = Object.values(steps).map(
        ({ seconds, memory }) => `${seconds.toPrecision(3)} (${memory.toFixed(2)})`,
      );
      console.log(
        `${String(runs).padStart(10)}${cells.map((cell) => cell.padStart(18)).join("")}${String(size.files).padStart(10)}${(size.bytes / 1e6).toFixed(1).padStart(10)}`,
      );
    } finally {
      await rm(root, { recursive: true, force: true });
    }
  }
  if (!values.json) return;
  await writeFile(values.json, `${JSON.stringify({ hardware: hardware(), points }, undefined, 1)}\n`);
}

/** Files below a folder, and their bytes. */
async function sizeOf(folder) {
  const size = { files: 0, bytes: 0 };
  for (const entry of await readdir(folder, { withFileTypes: true, recursive: true })) {
    if (!entry.isFile()) continue;
    size.files++;
    size.bytes += (await stat(join(entry.parentPath, entry.name))).size;
  }
  return size;
}
