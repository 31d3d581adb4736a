/**
 * Writes docs/results/controlled.md and docs/results/public.md with their figures from the seed-level records in
 * docs/results/records, which were computed by `pde-dirichlet study`. Needs a build.
 */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { findings } from "../dist/analysis/findings.js";
import { distinctRecords } from "../dist/analysis/observations.js";
import { resultsMarkdown } from "../dist/analysis/report-markdown.js";
import { reportTables } from "../dist/analysis/report-tables.js";
import { readRecords } from "../dist/cli/write-report.js";
import { reportFigures } from "../dist/figures/report-figures.js";

const RESULTS = fileURLToPath(new URL("../docs/results/", import.meta.url));
const PAGES = {
  controlled: {
    title: "The controlled tasks, beside the paper",
    records: ["paper"],
  },
  public: {
    title: "The public tasks, simulated, beside the paper",
    records: ["public-small"],
    about: publicSections,
  },
};

for (const [name, { title, records: folders, about }] of Object.entries(PAGES)) {
  const found = folders.map((folder) => `${RESULTS}records/${folder}`).filter((folder) => existsSync(folder));
  if (found.length > 0) await writePage(name, title, found, about);
}

async function writePage(name, title, folders, about = () => []) {
  const records = distinctRecords((await Promise.all(folders.map(readRecords))).flat());
  const figures = reportFigures(records);
  rmSync(`${RESULTS}${name}/figures`, { recursive: true, force: true });
  mkdirSync(`${RESULTS}${name}/figures`, { recursive: true });
  for (const { name: figure, svg } of figures) writeFileSync(`${RESULTS}${name}/figures/${figure}.svg`, svg);
  const page = resultsMarkdown(
    {
      title,
      findings: findings(records),
      tables: reportTables(records),
      figures,
      facts: [["Records", `${records.length}, in [records](records)`]],
      commands: ["node scripts/results.mjs"],
    },
    { figures: `${name}/figures` },
  );
  writeFileSync(
    `${RESULTS}${name}.md`,
    page.replace("## What was run", [...about(), "## What was run"].join("\n")),
  );
}

/** What the public page says before its results: what the data are, how they look, and how they are split. */
function publicSections() {
  const statistics = readFileSync(`${RESULTS}public/partition-statistics.md`, "utf8");
  const section = (heading) => {
    const found = statistics.split(/^## /m).find((part) => part.startsWith(heading));
    if (!found) throw new Error(`public/partition-statistics.md has no section "${heading}"`);
    return found.slice(found.indexOf("\n")).trim();
  };
  const pictures = {
    darcy: "Darcy flow: permeability and pressure",
    "dam-break": "Radial dam break: depth and discharge before and after",
    cylinder: "Flow past a cylinder, half a period of shedding apart",
    "flat-velocity": "Shot gathers over flat velocity layers",
  };
  return [
    "All data here are simulated by `pde-dirichlet generate`, with the same physics as PDEBench, CFDBench and OpenFWI, on",
    "which the paper's values were measured. They are not those data: numbers stand beside one another, and need not",
    "agree. `pde-dirichlet import` brings the published files in.",
    "",
    "Training is at a scale that two cores finish within the hour; the study `public` is the paper's. This is",
    "`studies/public-small.yaml`:",
    "",
    "```yaml",
    readFileSync(new URL("../studies/public-small.yaml", import.meta.url), "utf8").trimEnd(),
    "```",
    "",
    "## A sample of each task",
    "",
    ...Object.entries(pictures).flatMap(([task, words]) => [
      `![${words}](public/samples/${task}.png)`,
      "",
      `*${words}.*`,
      "",
    ]),
    "## Partitions",
    "",
    "At the paper's sizes and resolutions, over five seeds; [all statistics](public/partition-statistics.md).",
    "",
    "![Partition statistics](public/partition-statistics.svg)",
    "",
    section("Solution distance"),
    "",
    section("What the records say"),
    "",
  ];
}
