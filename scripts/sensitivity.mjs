/**
 * Measures the recorded partitions of the controlled tasks again with other bins, representations and ground metrics: D_sol
 * and its floor of every partition under every reading. Clients stay as they were, and nothing is trained. The first reading is
 * the paper's and has to give the recorded D_sol. Writes docs/results/records/sensitivity/distances.json. Needs a build.
 *
 *   node scripts/sensitivity.mjs
 */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { bytesInMemory, openNpz } from "pde-dirichlet";
import { finalRecords } from "../dist/analysis/observations.js";
import { diagnose } from "../dist/diagnostics/diagnose.js";
import { prepareData } from "../dist/federation/prepared-data.js";
import { runOptions } from "../dist/federation/run-options.js";
import { paperSetting, sameSetting, settingOf } from "../dist/paper/settings.js";
import { binCost } from "../dist/partition/bins.js";
import { readRecords } from "../dist/report/write-report.js";

const RECORDS = fileURLToPath(new URL("../docs/results/records/", import.meta.url));
const BINS = 10;
/** The paper's reading first; every other one changes one thing. */
const READINGS = [
  { bins: BINS, representation: "field", cost: "l2" },
  ...[2, 3, 5, 20, 50].map((bins) => ({ bins, representation: "field", cost: "l2" })),
  ...["pca:5", "pca:20", "spectrum", "gradient"].map((representation) => ({
    ...{ bins: BINS, representation, cost: "l2" },
  })),
  ...["h1", "discrete"].map((cost) => ({ bins: BINS, representation: "field", cost })),
];

const runs = finalRecords(await readRecords(`${RECORDS}paper`)).filter(
  (record) => sameSetting(paperSetting(record), settingOf(record.task)) && record.study === "controlled",
);
const partitions = await openNpz(bytesInMemory(readFileSync(`${RECORDS}paper/partitions.npz`), "partitions"));
const clientsOf = async (run) => {
  const array = await partitions.array(run.run_id);
  return array.read(0, array.rows);
};

const measured = new Map();
for (const task of new Set(runs.map((run) => run.task))) {
  for (const [i, reading] of READINGS.entries()) {
    for (const seed of new Set(runs.map((run) => run.seed))) {
      const own = runs.filter((run) => run.task === task && run.seed === seed);
      const { bins, notes } = await binsOf(own[0], reading);
      for (const run of own) {
        const counts = table(await clientsOf(run), bins.binOfSample, reading.bins);
        const { metrics } = diagnose({ counts, cost: binCost(bins), seed, plans: false });
        if (i === 0 && metrics.d_sol !== run.d_sol)
          throw new Error(`${run.run_id}: D_sol is ${metrics.d_sol}, recorded is ${run.d_sol}`);
        const { d_sol, d_sol_floor } = metrics;
        measured.set(run.run_id, [...(measured.get(run.run_id) ?? []), [d_sol, d_sol_floor]]);
      }
      if (seed === 0) console.log(`${task}: ${Object.values(reading).join(", ")}${notes}`);
    }
  }
}
mkdirSync(`${RECORDS}sensitivity`, { recursive: true });
const found = { readings: READINGS, distances: Object.fromEntries(measured) };
writeFileSync(
  `${RECORDS}sensitivity/distances.json`,
  `${JSON.stringify(found, undefined, 1)
    .replace(/\n {3,}/g, " ")
    .replace(/\n {2}\]/g, "]")}\n`,
);

/** Bins of a run's responses under a reading. */
async function binsOf({ task, seed, settings: { train, test } }, reading) {
  const { bins } = await prepareData(runOptions({ task, seed, alpha: 100, train, test, ...reading }));
  return { bins, notes: bins.notes?.length > 0 ? ` (${bins.notes.join(" ")})` : "" };
}

/** Samples of every client in every bin. */
function table(clients, binOfSample, bins) {
  const counts = Array.from({ length: Math.max(...clients) + 1 }, () => Array(bins).fill(0));
  for (const [sample, client] of clients.entries()) counts[client][binOfSample[sample]]++;
  return counts;
}
