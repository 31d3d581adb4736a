import { readFileSync } from "node:fs";
import { findings } from "../dist/analysis/findings.js";
import { finalRecords } from "../dist/analysis/observations.js";
import { taskTitle } from "../dist/analysis/settings.js";
import { measuredCost } from "./cost.mjs";

/** What the public page says before its results: what the data are, how they look, and how they are split. */
export function publicSections(results, full) {
  const statistics = readFileSync(`${results}public/partition-statistics.md`, "utf8");
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
    "Training on this page is at a scale that two cores finish within the hour; the study `public` is the paper's.",
    ...fullRuns(full),
    "This is `studies/public-small.yaml`:",
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

/** What there is of the study `public` so far. */
function fullRuns(records) {
  if (records.length === 0) return [];
  const { coverage } = findings(records);
  const without = records.filter(({ d_theta }) => Number.isNaN(d_theta)).map(({ task }) => taskTitle(task));
  const names = [...new Set(without)].join(" and ");
  return [
    `So far, of that study: ${coverage.run.join(" ")} [Records](records/public/records.parquet), judged among`,
    `[the claims](claims.md#public-tasks).${names ? ` The parameters of the runs of ${names} were not kept: there is no D_θ.` : ""}`,
    measuredCost("public", finalRecords(records)).replace("behind these pages ", ""),
    "",
  ];
}
