import { readFileSync } from "node:fs";
import { finalRecords } from "../dist/analysis/observations.js";
import { taskTitle } from "../dist/analysis/settings.js";
import { measuredCost, studiesOf } from "./cost.mjs";

const DATA = [
  "All data here are simulated by `pde-dirichlet generate`, with the same physics as PDEBench, CFDBench and OpenFWI, on",
  "which the paper's values were measured. They are not those data: numbers stand beside one another, and need not",
  "agree. `pde-dirichlet import` brings the published files in.",
  "",
];

/** What the public page says before its results: what the data are, how they look, and how they are split. */
export function publicSections(results, records) {
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
    ...DATA,
    ...whatWasTrained(records),
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

/** What there is of the study `public` so far, and what it took. */
function whatWasTrained(records) {
  const without = records.filter(({ d_theta }) => Number.isNaN(d_theta)).map(({ task }) => taskTitle(task));
  const names = [...new Set(without)].join(" and ");
  return [
    "Training is at the paper's scale, by the study `public`; all four tasks at a smaller one are on",
    `[a page of their own](public-small.md).${names ? ` The parameters of the runs of ${names} were not kept: there is no D_θ.` : ""}`,
    measuredCost("public", finalRecords(records)).replace("behind these pages ", ""),
    ...oneScale(),
    "",
  ];
}

/** Which runs had one scale for all channels, as their commands say. */
function oneScale() {
  const parts = studiesOf("public")
    .filter(({ command }) => command.includes("normalise: standard"))
    .map(({ part }) => part);
  if (parts.length === 0) return [];
  return [
    `Runs of ${parts.join(" and ")} had one mean and one deviation for all channels of a field (\`normalise: standard\`): what`,
    "the channels' means differ by is then part of all gradients at the start, and H_g^norm the smaller for it. Each channel",
    "has its own by default.",
  ];
}

/** What the page of the small study says before its results. */
export function smallSections() {
  return [
    ...DATA,
    "Training on this page is at a scale that two cores finish within the hour; [another page](public.md) has the paper's.",
    "This is `studies/public-small.yaml`:",
    "",
    "```yaml",
    readFileSync(new URL("../studies/public-small.yaml", import.meta.url), "utf8").trimEnd(),
    "```",
    "",
  ];
}
