/**
 * Writes docs/results/controlled.md and its figures from the seed-level records in docs/results/records, which were
 * computed by `pde-dirichlet study`. Needs a build.
 */
import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { findings } from "../dist/analysis/findings.js";
import { distinctRecords } from "../dist/analysis/observations.js";
import { resultsMarkdown } from "../dist/analysis/report-markdown.js";
import { reportTables } from "../dist/analysis/report-tables.js";
import { readRecords } from "../dist/cli/write-report.js";
import { reportFigures } from "../dist/figures/report-figures.js";

const RESULTS = fileURLToPath(new URL("../docs/results/", import.meta.url));
const folders = readdirSync(`${RESULTS}records`);
const records = distinctRecords(
  (await Promise.all(folders.map((name) => readRecords(`${RESULTS}records/${name}`)))).flat(),
);

const figures = reportFigures(records);
rmSync(`${RESULTS}controlled`, { recursive: true, force: true });
mkdirSync(`${RESULTS}controlled`);
for (const { name, svg } of figures) writeFileSync(`${RESULTS}controlled/${name}.svg`, svg);

const page = resultsMarkdown(
  {
    title: "The controlled tasks, beside the paper",
    findings: findings(records),
    tables: reportTables(records),
    figures,
    facts: [["Records", `${records.length}, in [records](records)`]],
    commands: ["node scripts/controlled-results.mjs"],
  },
  { figures: "controlled" },
);
writeFileSync(`${RESULTS}controlled.md`, page);
