/** The page on growth: what bench/scaling.mjs and bench/many-runs.mjs measured, and what follows for large studies and data. */
import { readFileSync } from "node:fs";
import * as Plot from "@observablehq/plot";
import { runDemand } from "../dist/federation/run-demand.js";
import { runOptions } from "../dist/federation/run-options.js";
import { figure, framed, grid, heading, panelLetter, plotMargins, stack } from "../dist/figures/compose.js";
import { figureDocument } from "../dist/figures/document.js";
import { SERIES_STYLES } from "../dist/figures/palette.js";
import { logTicks, powerLabels } from "../dist/figures/ticks.js";
import { FAINT_INK, GRID, PRINT_WIDTH } from "../dist/figures/typography.js";
import { rowStorage } from "../dist/numerics/row-storage.js";
import { measuredRounds, roundMilliseconds } from "../dist/studies/estimate/measured-rounds.js";

const NAME = "growth";
export const GROWTH = {
  name: NAME,
  title: "Growth, measured and reckoned",
  about:
    "what clients, samples, parameters, jobs and runs cost, and what breaks first at 100,000 runs or 1 TB of data.",
};

const RUNS = 100_000;
const TERABYTE = 1e12;
/** Samples of the benchmark beyond memory: 128 x 128 numbers of 4 bytes. */
const COLUMNS = 128 * 128;
const MEMORY = 4e9;
/** What usually ends first: Slurm's and Node's defaults, and a common quota of files. */
const LIMITS = {
  memory: { limit: 4.3, unit: "GB", words: "heap of Node on a machine of 16 GB" },
  files: { limit: 1e6, unit: "files", words: "a common quota" },
  seconds: { limit: 3600, unit: "s", words: "an hour of waiting" },
  parts: { limit: 10_000, unit: "tasks", words: "Slurm's default of `MaxJobCount`" },
};
const HOUR = 3600;

/** What the columns of the tables and the rows of the figure are. */
const MEASURES = {
  prepare: "prepare (s)",
  round: "ms per round",
  rate: "rounds/s in all",
  memory: "memory (GB)",
  state: "state (MB)",
};
const REMARKS = {
  clients:
    "Before the first round, diagnostics compare all pairs of clients: that part grows fastest, and rounds hardly grow.",
};
const AXES = {
  clients: "clients",
  samples: "samples",
  parameters: "parameters",
  jobs: "runs at once",
};
const DRAWN = { rate: "rounds per second", memory: "memory (GB)" };

/** The page and its figure by file name. */
export async function growthPage(root) {
  const record = (name) =>
    JSON.parse(readFileSync(`${root}docs/results/records/${NAME}/${name}.json`, "utf8"));
  const [scaling, many] = ["scaling", "many-runs"].map(record);
  const memory = beyondMemory(readFileSync(`${root}docs/performance.md`, "utf8"));
  const text = [
    `# ${GROWTH.title}`,
    "",
    `Measured by \`bench/scaling.mjs\` and \`bench/many-runs.mjs\` on ${scaling.hardware}. The slope is the power by which a quantity`,
    "grows over the last decade of its axis: 0 where it does not grow, 1 where it grows in proportion.",
    "",
    "![Rounds per second and memory](growth/figures/growth.svg)",
    "",
    "*Rounds per second (all runs together) and peak memory (all processes together) against clients, samples, parameters and runs at",
    "once, on logarithmic axes. Antiderivative, 5 local Adam steps, batches of 64; of the clients, ten take part.*",
    "",
    ...Object.entries(AXES).flatMap(([name, words]) => axisTable(words, scaling.axes[name], REMARKS[name])),
    "## Many runs",
    "",
    "A study of tiny runs (two rounds on 64 samples), so that little of the time is training. Seconds, with the memory in GB.",
    "",
    ...manyTable(many.points),
    "",
    `## ${count(RUNS)} runs, reckoned`,
    "",
    "Each quantity is extrapolated from the last row with the slope of the last two rows.",
    "",
    ...(await runsReckoned(many.points)),
    "",
    "## 1 TB of responses, reckoned",
    "",
    ...terabyteReckoned(memory),
    "",
    "## How to measure it again",
    "",
    "```",
    "node bench/scaling.mjs --json docs/results/records/growth/scaling.json",
    "node bench/many-runs.mjs --json docs/results/records/growth/many-runs.json",
    "npm run bench -- beyond-memory --write",
    "node bench/round-costs.mjs",
    "npm run results    # writes this page",
    "```",
    "",
  ].join("\n");
  return { text, figures: new Map([["growth.svg", drawing(scaling.axes)]]) };
}

const digits = (value) => Number(value.toPrecision(3));
const shown = (value) => (value >= 1e5 ? value.toExponential(1).replace("e+", "e") : String(digits(value)));
const count = (value) => Math.round(value).toLocaleString("en");
const row = (cells) => `| ${cells.join(" | ")} |`;
const right = (columns) => row(["---", ...Array(columns - 1).fill("---:")]);

function axisTable(words, { title, points, slopes }, remark) {
  const keys = Object.keys(MEASURES);
  return [
    `## ${words[0].toUpperCase()}${words.slice(1)}`,
    "",
    `${title[0].toUpperCase()}${title.slice(1)}.${remark ? ` ${remark}` : ""}`,
    "",
    row([words, ...Object.values(MEASURES)]),
    right(1 + keys.length),
    ...points.map((point) => row([count(point.value), ...keys.map((key) => shown(point[key]))])),
    row(["slope", ...keys.map((key) => slopes[key].toFixed(2).replace("-", "−"))]),
    "",
  ];
}

function manyTable(points) {
  const steps = Object.keys(points[0].steps);
  return [
    row(["runs", ...steps, "files", "MB"]),
    right(3 + steps.length),
    ...points.map(({ runs, steps: own, files, bytes }) =>
      row([
        count(runs),
        ...steps.map((step) => `${shown(own[step].seconds)} (${shown(own[step].memory)})`),
        count(files),
        shown(bytes / 1e6),
      ]),
    ),
  ];
}

/** A quantity of the last two points, carried on. */
function carriedOn(points, quantity, to, place = ({ runs }) => runs) {
  const [before, last] = points.slice(-2);
  const slope = Math.log(quantity(last) / quantity(before)) / Math.log(place(last) / place(before));
  return quantity(last) * (to / place(last)) ** Math.max(0, slope);
}

async function runsReckoned(points) {
  const steps = Object.keys(points[0].steps).filter((step) => step !== "study");
  const needs = [
    ...steps.flatMap((step) => [
      {
        part: `\`${step}\`: time`,
        need: carriedOn(points, (one) => one.steps[step].seconds, RUNS),
        ...LIMITS.seconds,
      },
      {
        part: `\`${step}\`: memory`,
        need: carriedOn(points, (one) => one.steps[step].memory, RUNS),
        ...LIMITS.memory,
      },
    ]),
    { part: "files of the folder", need: carriedOn(points, ({ files }) => files, RUNS), ...LIMITS.files },
  ];
  const cpu = await trainingHours("cpu");
  const gpu = await trainingHours("cuda");
  needs.push({ part: "tasks of an hour on 4 cores (Burgers)", need: cpu.burgers / 4, ...LIMITS.parts });
  const sorted = needs.map((one) => ({ ...one, use: one.need / one.limit })).sort((a, b) => b.use - a.use);
  const [first] = sorted;
  const bytes = carriedOn(points, (one) => one.bytes, RUNS);
  const breaking = sorted.filter(({ use }) => use > 1);
  return [
    row(["part", "needs", "limit", "share of the limit"]),
    row(["---", "---:", "---:", "---:"]),
    ...sorted.map(({ part, need, limit, unit, words, use }) =>
      row([part, `${amount(need)} ${unit}`, `${amount(limit)} ${unit}: ${words}`, `${amount(use)}`]),
    ),
    "",
    breaking.length === 0
      ? `Nothing exceeds its limit. The first to do so, at ${count(RUNS / first.use)} runs, is ${first.part}.`
      : `**What breaks first is ${first.part}**, at about ${count(RUNS / first.use)} runs. ` +
        (breaking.length === 1
          ? "All else stays within its limit."
          : `So would ${breaking
              .slice(1)
              .map(({ part, use }) => `${part} (from ${count(RUNS / use)} runs on)`)
              .join(", ")}.`),
    "",
    `Tiny runs take ${amount(bytes / 1e9)} GB. The training of ${count(RUNS)} runs of 1000 rounds takes ${amount(cpu.antiderivative)} core-hours of`,
    `Antiderivative and ${amount(cpu.burgers)} of Burgers, or ${amount(gpu.antiderivative)} and ${amount(gpu.burgers)} hours of one GPU, by the rounds that`,
    "`submit --dry-run` estimates from. Split such a study by data or strategy into folders of some thousand runs: `report` reads several folders.",
  ];
}

const amount = (value) => (value >= 1000 ? count(digits(value)) : String(digits(value)));

/** Hours that so many runs train on one core or one GPU. */
async function trainingHours(device) {
  const measured = await measuredRounds(device);
  const hours = (task) => {
    const options = runOptions({ task, alpha: 0.1, seed: 0 });
    const { model, work } = runDemand(options);
    return (RUNS * options.rounds * roundMilliseconds(measured, model, work)) / 1000 / HOUR;
  };
  return { antiderivative: hours("antiderivative"), burgers: hours("burgers") };
}

/** Rows of the section on data beyond memory. */
function beyondMemory(page) {
  const found = [
    ...page.matchAll(
      /^(\d+) GB, (\d+) responses.*\n +ours: ([\d.]+) s .*peak memory ([\d.]+) GB, ([\d.]+) GB read, ([\d.]+) GB from disk/gm,
    ),
  ];
  return found.map(([, ...numbers]) => {
    const [gigabytes, rows, seconds, memory, read] = numbers.map(Number);
    return { gigabytes, rows, seconds, memory, read };
  });
}

function terabyteReckoned(points) {
  const size = TERABYTE / 1e9;
  const rows = TERABYTE / (4 * COLUMNS);
  const place = ({ gigabytes }) => gigabytes;
  const seconds = carriedOn(points, (one) => one.seconds, size, place);
  const read = carriedOn(points, (one) => one.read, size, place);
  const last = points.at(-1);
  const { sketch, limit } = rowStorage(rows, COLUMNS, MEMORY);
  const { sketch: lastSketch } = rowStorage(last.rows, COLUMNS, MEMORY);
  return [
    `[Partitions of 1 to ${last.gigabytes} GB](../performance.md#data-that-do-not-fit-into-memory) take up to ${amount(last.seconds)} s and ${last.memory} GB of memory.`,
    `Extrapolated from the last two of them, 1 TB of fields of 128 x 128 (${count(rows)} samples) takes ${amount(seconds / HOUR)} hours and reads`,
    `${amount(read / 1000)} TB from the disk, within the same ${MEMORY / 1e9} GB of memory.`,
    "",
    `**What breaks first is the disk.** Labels and bounds of all samples leave ${amount(limit / 1e9)} GB, of which sketches take at most 40 %: they shrink from ${lastSketch} to`,
    `${sketch} coordinates, bound distances less tightly, and more rows are read again. So the time is a lower bound.`,
    "To avoid it, fit bins on a part of the data and count the others in them (`bins fit`, `bins count`), which reads each sample once.",
    "Training reads batches from disk and takes the same memory for any size.",
  ];
}

const MARGINS = { top: 6, right: 10, bottom: 32, left: 50 };
const HEIGHT = 120;
const GAP = { x: 8, y: 10 };

/** Panels of logarithmic axes: a row a quantity, a column an axis. */
function drawing(axes) {
  const names = Object.keys(AXES);
  const width = (PRINT_WIDTH - 8 - GAP.x * (names.length - 1)) / names.length;
  const panels = Object.entries(DRAWN).flatMap(([key, words], r) => {
    const all = names.flatMap((name) => axes[name].points.map((point) => point[key]));
    const domain = [Math.min(...all) / 1.3, Math.max(...all) * 1.3];
    return names.map((name, i) => {
      const letter = panelLetter(r * names.length + i, 2 * names.length);
      const { points, slopes } = axes[name];
      const over = heading(
        { letter, title: `slope ${slopes[key].toFixed(2).replace("-", "−")}` },
        MARGINS.left,
        width,
      );
      const plot = panel(points, key, {
        width,
        domain,
        color: SERIES_STYLES[r].color,
        symbol: SERIES_STYLES[r].symbol,
      });
      return stack([over, framed(plot, MARGINS, { x: AXES[name], y: i === 0 ? words : undefined })], 3);
    });
  });
  return figure(grid(panels, names.length, GAP), {
    name: "Growth",
    description: "Rounds per second and memory against clients, samples, parameters and runs at once.",
    width: PRINT_WIDTH,
  });
}

function panel(points, key, { width, domain, color, symbol }) {
  const values = points.map(({ value }) => value);
  const across = [Math.min(...values) / 1.25, Math.max(...values) * 1.25];
  const isShort = across[1] / across[0] < 20;
  const powers = (ticks) => ticks.filter((tick) => Number.isInteger(Math.log10(tick)));
  const xTicks = isShort ? values : powers(logTicks(...across));
  const yTicks = logTicks(...domain);
  const yLabelled = domain[1] / domain[0] < 100 ? yTicks : powers(yTicks);
  // Places are logarithms, so that every tick has the label that it is given.
  const [x, y] = [({ value }) => Math.log10(value), (point) => Math.log10(point[key])];
  const axis = (ticks, format) => ({
    ...{ label: null, tickSize: 0, tickPadding: 4, fontVariant: "normal" },
    tickFormat: (_, k) => format(ticks[k]),
  });
  const logs = (ticks) => ticks.map(Math.log10);
  return Plot.plot({
    document: figureDocument(),
    width,
    height: HEIGHT + MARGINS.top + MARGINS.bottom,
    ...plotMargins(MARGINS),
    x: { domain: logs(across), axis: null },
    y: { domain: logs(domain), axis: null },
    marks: [
      Plot.ruleY(logs(yTicks), { stroke: GRID, strokeWidth: 0.75 }),
      Plot.lineY(points, { x, y, stroke: color, strokeWidth: 1.25 }),
      Plot.dot(points, { x, y, symbol, r: 2, fill: color }),
      Plot.ruleY(logs([domain[0]]), { stroke: FAINT_INK, strokeWidth: 0.75 }),
      Plot.axisX(logs(xTicks), axis(xTicks, isShort ? String : powerLabels(xTicks))),
      Plot.axisY(logs(yLabelled), axis(yLabelled, String)),
    ],
  });
}
