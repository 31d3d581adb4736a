import { readFileSync } from "node:fs";
import { finalRecords, summarise } from "../dist/analysis/observations.js";
import { estimateText, list } from "../dist/analysis/phrases.js";
import { scaledVelocity } from "../dist/equations/seismic-scaling.js";
import { drawVelocityLayers } from "../dist/equations/velocity-layers.js";
import { sameSize } from "../dist/paper/claims/verdicts.js";
import { settingOf } from "../dist/paper/settings.js";
import { taskTitle } from "../dist/paper/titles.js";
import { paperExcess, paperReferenceError } from "../dist/paper/values.js";
import { stream } from "../dist/random/stream.js";
import { measuredCost, peersCost } from "./cost.mjs";

const DATA = [
  "All data here are simulated by `pde-dirichlet generate`, by the equations of PDEBench, CFDBench and OpenFWI, on which the",
  "paper's values were measured. They are not those data, and [differ from them](../readings.md#public-tasks): numbers stand",
  "beside one another, and need not agree. `pde-dirichlet import` brings the published files in.",
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
    measuredCost("public", finalRecords(records), "public tasks"),
    ...peersCost(
      finalRecords(records),
      ", by rounds with batches of 16, also for cylinder flow, which has 8",
    ),
    ...repairedOtherwise(records),
    ...inMetres(finalRecords(records)),
    "Labels of Darcy flow are steady here. [Another page](darcy-pdebench.md) has them with the transient of PDEBench's labels.",
    "",
  ];
}

/** Tasks whose runs were not repeated yet with the rule of repair of the bundled studies. */
function repairedOtherwise(records) {
  const titles = records.filter(({ repair }) => repair === "closest").map(({ task }) => taskTitle(task));
  if (titles.length === 0) return [];
  return [
    `The runs of ${list([...new Set(titles)])} are of an earlier version: the closest client gave to clients that were too small,`,
    "in the order of the file, while the others have repair from the largest client in the seeded order.",
  ];
}

const FLAT = "flat-velocity";

/** Errors of velocities in m/s beside those of velocities from -1 to 1: a field's norm depends on where its zero is. */
function inMetres(final) {
  const { error, excess } = errorsInMetres(final);
  if (!error) return [];
  return [
    `Errors of ${taskTitle(FLAT)} are of velocities from −1 to 1, as OpenFWI has them and InversionNet predicts them. In`,
    `metres a second, further from zero, the same predictions have an error of ${estimateText(error, 2, "%")} at α = 100 and an excess`,
    `of ${estimateText(excess, 2, "pp")} at α = 0.01. The paper does not say which of the two it means.`,
  ];
}

/** What of the paper's claims on velocities would be judged otherwise if it means metres a second. */
export function metresNote(final) {
  const { error, excess } = errorsInMetres(final);
  if (!error) return "";
  const stated = settingOf(FLAT);
  const percent = paperReferenceError(stated);
  const { mean, low, high } = paperExcess(stated, 0.01);
  const judged = [
    [`near-IID error ${estimateText(error, 2, "%")}`, sameSize(error, { low: percent })],
    [
      `mean excess error ${estimateText(excess, 3, "pp")}`,
      sameSize(excess, { low: mean, half: (high - low) / 2 }),
    ],
  ];
  return (
    `Errors of ${taskTitle(FLAT)} are of velocities from −1 to 1. If the paper means metres a second, the same predictions have a ` +
    `${list(judged.map(([words, verdict]) => `${words} (${verdict})`))}.`
  );
}

function errorsInMetres(final) {
  const runs = final.filter(({ task }) => task === FLAT);
  const [reference, severest] = [100, 0.01].map((alpha) => runs.filter((run) => run.alpha === alpha));
  const factors = new Map(reference.map(({ seed }) => [seed, metresFactor(seed)]));
  const summary = (some, numberOf) => summarise(some.map((run) => factors.get(run.seed) * numberOf(run)));
  return {
    error: summary(reference, ({ test_error }) => 100 * test_error),
    excess: summary(severest, ({ excess_error }) => excess_error),
  };
}

/** By how much an error over the test set of a seed is smaller in m/s. */
function metresFactor(seed, samples = 200) {
  let [scaled, plain] = [0, 0];
  for (let i = 0; i < samples; i++)
    for (const velocity of drawVelocityLayers(stream(seed, "flat-velocity", "test", i))) {
      scaled += scaledVelocity(velocity) ** 2;
      plain += velocity ** 2;
    }
  const unit = 1 / (scaledVelocity(1) - scaledVelocity(0));
  return unit * Math.sqrt(scaled / plain);
}

/** What the page of the small study says before its results. */
export function smallSections() {
  return [
    ...DATA,
    "Training on this page is at a scale that two cores finish within the hour; [another page](public.md) has the paper's. The runs",
    "shown here were carried out on a GPU.",
    "This is `studies/public-small.yaml`:",
    "",
    "```yaml",
    readFileSync(new URL("../studies/public-small.yaml", import.meta.url), "utf8").trimEnd(),
    "```",
    "",
  ];
}
