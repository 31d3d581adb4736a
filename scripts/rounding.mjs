/**
 * What rounding alone does to a run: docs/results/records/rounding has the last rounds of the runs of rounding-again, as an
 * earlier version computed them, most of whose kernels add up numbers in another order. Both had repair from the closest client.
 */
import { list } from "../dist/analysis/phrases.js";
import { mean, standardDeviation } from "../dist/analysis/statistics.js";
import { escapeMarkdown } from "../dist/analysis/tables/table-formats.js";
import { isControlled, taskTitle } from "../dist/paper/titles.js";

const OPTIMIZERS = { adam: "Adam", sgd: "momentum SGD" };

/** A section of a page in Markdown, of records with other roundings and of all records, which `judge` has claims of. */
export function roundingSection(earlier, records, judge) {
  const again = new Map(records.map((row) => [keyOf(row), row]));
  const pairs = earlier.map((row) => [row, again.get(keyOf(row))]);
  const settings = [...grouped(pairs, ([row]) => settingOf(row)).values()].map(compared);
  const same = settings.filter(({ byRounding }) => byRounding === 0);
  const others = settings.filter((one) => !same.includes(one));
  const shares = [...grouped(others, ({ trained }) => trained)].map(([trained, alike]) => {
    const percent = alike.map(({ byRounding, bySeed }) => (100 * byRounding) / bySeed);
    const ends = [...new Set([Math.min(...percent), Math.max(...percent)].map((one) => one.toPrecision(1)))];
    return `about ${ends.map(Number).join(" to ")} % for ${trained}`;
  });
  return [
    "## The same runs, rounded otherwise",
    "",
    `${pairs.length} runs were carried out twice on GPUs of one kind, by versions of this program of which most kernels add up numbers`,
    "in other orders; data, partitions, starts and batches are the same. How much their test errors differ in the end is what",
    `rounding alone leads to, a part of the standard deviation between seeds at the same α: ${list(shares)}.`,
    "Intervals over seeds include it; a comparison of single runs does not.",
    ...same.map(
      ({ title, runs }) =>
        `The ${runs} runs of ${title} have the same test errors both times, to the last bit.`,
    ),
    "",
    "| | test error | deviation by rounding | between seeds | mean excess at α = 0.01 | the first time |",
    "|---|---|---|---|---|---|",
    ...others.map(rowOf),
    "",
    ...otherVerdicts(earlier, records, judge),
  ];
}

/** Which claims would be judged otherwise by the last rounds as they were the first time. */
function otherVerdicts(earlier, records, judge) {
  const before = new Map(earlier.map((row) => [keyOf(row), row]));
  const now = counted(judge(records));
  const then = counted(judge(records.map((row) => before.get(keyOf(row)) ?? row)));
  const both = [...now].filter(([key]) => then.has(key));
  const changed = both.filter(([key, { verdict }]) => then.get(key).verdict !== verdict);
  if (changed.length === 0) return [`All ${both.length} claims are judged alike both times.`];
  return [
    `Of ${both.length} claims, counted by task or setting, ${changed.length} would be judged otherwise by the runs as they were the first`,
    "time: those are too close to call.",
    "",
    ...changed.map(
      ([key, { text, subject, verdict }]) =>
        `- ${escapeMarkdown(text)}, ${subject}: ${verdict}, the first time ${then.get(key).verdict}.`,
    ),
  ];
}

/** Parts of claims that count, by name and subject; those on early rounds are left out, which were kept only once. */
function counted(groups) {
  const parts = groups
    .flatMap(({ claims }) => claims)
    .filter(({ name }) => !name.endsWith("transient"))
    .flatMap(({ name, text, parts }) => parts.map((part) => [`${name} ${part.subject}`, { text, ...part }]));
  return new Map(parts.filter(([, { variant, verdict }]) => !variant && verdict !== "not measured"));
}

/** How far apart the same runs are, in percentage points. */
function compared(pairs) {
  const [[first]] = pairs;
  const differences = pairs.map(([then, now]) => 100 * (now.test_error - then.test_error));
  const byAlpha = [...grouped(pairs, ([, now]) => now.alpha).values()].map((some) =>
    standardDeviation(some.map(([, now]) => 100 * now.test_error)),
  );
  const severe = pairs.filter(([{ alpha }]) => alpha === 0.01);
  return {
    title: titleOf(first),
    runs: pairs.length,
    trained: `${isControlled(first.task) ? "DeepONet" : "FNO2D"} with ${OPTIMIZERS[first.settings.optimizer]}`,
    error: mean(pairs.map(([, now]) => 100 * now.test_error)),
    byRounding: Math.sqrt(mean(differences.map((difference) => difference ** 2)) / 2),
    bySeed: Math.sqrt(mean(byAlpha.map((deviation) => deviation ** 2))),
    now: mean(severe.map(([, now]) => now.excess_error)),
    before: mean(severe.map(([then]) => then.excess_error)),
  };
}

function rowOf({ title, error, byRounding, bySeed, now, before }) {
  const points = (value) => `${value.toFixed(3).replace("-", "−")} pp`;
  const sizes = [byRounding, bySeed].map((value) => `${Number(value.toPrecision(2))} pp`);
  const cells = [`${error.toFixed(2)} %`, ...sizes, points(now), points(before)];
  return `| ${title} | ${cells.join(" | ")} |`;
}

const keyOf = (row) => `${settingOf(row)} ${row.alpha} ${row.seed} ${row.round}`;
const settingOf = ({ task, settings: { viscosity, optimizer, clients } }) =>
  `${task} ${viscosity} ${optimizer} ${clients}`;

/** The task, and what of its setting is not the usual. */
function titleOf({ task, settings: { viscosity, optimizer, clients } }) {
  return [
    taskTitle(task),
    ...(task === "burgers" && viscosity !== 0.1 ? [`ν = ${viscosity}`] : []),
    ...(optimizer === "adam" ? [] : [OPTIMIZERS[optimizer]]),
    ...(clients === 10 ? [] : [`${clients} clients`]),
  ].join(", ");
}

function grouped(items, keyOf) {
  const groups = new Map();
  for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item]);
  return groups;
}
