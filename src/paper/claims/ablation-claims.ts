import { type SeedSummary, withoutReference } from "../../analysis/observations.js";
import { changeText, estimateText, list, trend } from "../../analysis/phrases.js";
import { atAlpha, type BySeed, meanOf, pairedChange } from "../../analysis/seed-contrasts.js";
import { fixed } from "../../analysis/tables/table.js";
import { ABLATIONS, isAblated, type Level, settingOf } from "../settings.js";
import { CONTROLLED_NAMES, PUBLIC_NAMES, taskTitle } from "../titles.js";
import { PAPER_ALPHAS, PAPER_EXCESS_ERRORS, paperExcess, REFERENCE_ALPHA } from "../values.js";
import {
  type ClaimDefinition,
  type Evidence,
  isSimulated,
  namesOf,
  notMeasured,
  type Part,
} from "./claim.js";
import { finalRuns, SEVERE, trendPart } from "./claim-parts.js";
import { excessPart, excessSize, referenceErrors } from "./training-claims.js";
import { positive } from "./verdicts.js";

const SECTION = "sec:result-ablation";
const TWENTY = { clients: 20 };
const SGD = { optimizer: "sgd" };
const VISCOSITIES = ABLATIONS.find(({ name }) => name === "viscosity")!.levels;
const COMPARED = PAPER_ALPHAS.filter((alpha) => alpha !== REFERENCE_ALPHA);

/** Claims on client count, optimiser and physical regime. */
export const ABLATION_CLAIMS: readonly ClaimDefinition[] = [
  {
    name: "viscosity-rises",
    section: SECTION,
    text: "At α = 0.01 the excess error of Burgers increases as viscosity falls from 0.1 to 0.05 and 0.01",
    rule: "trend",
    headline: true,
    judge: (evidence) => [alongViscosity(evidence, SEVERE, "0.916, 3.007, 4.157 pp")],
  },
  {
    name: "viscosity-rises-moderately",
    section: SECTION,
    text: "The same ordering is already visible at α = 0.1",
    rule: "trend",
    judge: (evidence) => [alongViscosity(evidence, 0.1, "visible")],
  },
  {
    name: "viscosity-positive",
    section: SECTION,
    text: "The excess error of Burgers at low viscosity is positive, at α = 0.01",
    rule: "sign",
    headline: true,
    judge: (evidence) =>
      VISCOSITIES.slice(1).flatMap(({ label, change }) =>
        excessPart(evidence, settingOf("burgers", change), SEVERE, `Burgers, ${label}`),
      ),
  },
  {
    name: "largest-effect",
    section: "abstract",
    text: "The largest effect occurs for low-viscosity Burgers",
    rule: "sign",
    judge: (evidence) => largestEffects(evidence),
  },
  {
    name: "clients-positive",
    section: SECTION,
    text: "With 20 clients the excess error at α = 0.01 is positive",
    rule: "sign",
    headline: true,
    judge: (evidence) =>
      ["burgers", "diffusion-reaction"].flatMap((task) =>
        excessPart(evidence, settingOf(task, TWENTY), SEVERE, taskTitle(task)),
      ),
  },
  {
    name: "clients-unresolved",
    section: SECTION,
    text: "With 20 clients Antiderivative remains unresolved at α = 0.01",
    rule: "zero",
    judge: (evidence) =>
      excessPart(evidence, settingOf("antiderivative", TWENTY), SEVERE, taskTitle("antiderivative")),
  },
  {
    name: "clients-increase",
    section: SECTION,
    text: "From 10 to 20 clients the mean excess error at α = 0.01 increases (20 clients less 10)",
    rule: "sign",
    judge: (evidence) => ["burgers", "diffusion-reaction"].map((task) => increase(evidence, task)),
  },
  {
    name: "clients-overlap",
    section: SECTION,
    text: "The intervals for the two client counts overlap, at α = 0.01",
    rule: "count",
    judge: (evidence) => CONTROLLED_NAMES.map((task) => overlap(evidence, task)),
  },
  {
    name: "clients-not-uniform",
    section: SECTION,
    text: "From 10 to 20 clients there is no uniform increase in excess error",
    rule: "count",
    judge: (evidence) => [uniformIncrease(evidence)],
  },
  {
    name: "sgd-unresolved",
    section: SECTION,
    text: "With momentum SGD all three intervals at α = 0.01 include zero",
    rule: "zero",
    headline: true,
    judge: (evidence) =>
      CONTROLLED_NAMES.flatMap((task) => excessPart(evidence, settingOf(task, SGD), SEVERE, taskTitle(task))),
  },
  {
    name: "sgd-reference-error",
    section: SECTION,
    text: "Near-IID relative test error with momentum SGD after 1000 rounds",
    rule: "size",
    judge: (evidence) => referenceErrors(evidence, CONTROLLED_NAMES, SGD, ", SGD"),
  },
  {
    name: "sgd-higher-error",
    section: SECTION,
    text: "SGD converges to a region with higher error than Adam (near-IID error, SGD less Adam)",
    rule: "sign",
    judge: (evidence) => CONTROLLED_NAMES.map((task) => higherError(evidence, task)),
  },
  {
    name: "sgd-smaller-excess",
    section: SECTION,
    text: "SGD produces smaller excess errors than Adam at α = 0.01 (Adam less SGD)",
    rule: "sign",
    judge: (evidence) => CONTROLLED_NAMES.flatMap((task) => smallerExcess(evidence, task)),
  },
  {
    name: "sgd-not-monotone",
    section: SECTION,
    text: "SGD produces non-monotonic excess errors (their mean both rises and falls as α falls from 10 to 0.01)",
    rule: "count",
    judge: (evidence) => CONTROLLED_NAMES.map((task) => nonMonotone(evidence, task)),
  },
  {
    name: "excess-size",
    section: "tab:alpha001-summary, sec:result-ablation",
    text: "Mean excess error after 1000 rounds",
    rule: "size",
    judge: (evidence) =>
      PAPER_EXCESS_ERRORS.filter(({ task }) => CONTROLLED_NAMES.includes(task!)).flatMap(
        ({ task, alpha, ...change }) => {
          const { clients, optimizer, viscosity } = change;
          const setting = settingOf(task!, {
            ...(clients && { clients }),
            ...(optimizer && { optimizer }),
            ...(viscosity && { viscosity }),
          });
          const label = clients ? ", 20 clients" : viscosity ? `, ν = ${viscosity}` : "";
          return excessSize(evidence, setting, alpha, `${taskTitle(task!)}${label}, α = ${alpha}`);
        },
      ),
  },
];

function excessAt(evidence: Evidence, task: string, change: Level["change"], alpha = SEVERE) {
  return atAlpha(finalRuns(evidence, task, change), alpha, "excess_error");
}

function alongViscosity(evidence: Evidence, alpha: number, paper: string): Part {
  const levels = VISCOSITIES.map(({ change }) => excessAt(evidence, "burgers", change, alpha));
  return trendPart("Burgers", levels, paper, "pp");
}

/** The claim with and without tasks that are simulated here. */
function largestEffects(evidence: Evidence): Part[] {
  const names = PUBLIC_NAMES.flatMap((task) => namesOf(evidence.final, task));
  const subject = "all settings, α = 0.01";
  const part = largestEffect(
    evidence,
    names.filter((name) => !isSimulated(name)),
    subject,
  );
  return names.some(isSimulated) && part.verdict !== "not measured"
    ? [part, { ...largestEffect(evidence, names, `${subject}, with simulated tasks`), simulated: true }]
    : [part];
}

/** The largest mean excess error at low viscosity, less the largest of all other settings and tasks that were run. */
function largestEffect(evidence: Evidence, publicTasks: readonly string[], subject: string): Part {
  const paper = "4.157 pp at ν = 0.01";
  const controlled = CONTROLLED_NAMES.flatMap((task) =>
    ABLATIONS.filter((ablation) => isAblated(task, ablation)).flatMap(({ levels }) =>
      levels.map(({ label, change }) => ({ name: `${taskTitle(task)}, ${label}`, task, change })),
    ),
  );
  const found = [
    ...controlled,
    ...publicTasks.map((task) => ({
      name: taskTitle(task),
      task,
      change: {} as Level["change"],
    })),
  ].flatMap(({ name, task, change }) => {
    const values = excessAt(evidence, task, change);
    const mean = meanOf(values)?.mean;
    return mean === undefined ? [] : [{ name, values, mean, low: change.viscosity !== undefined }];
  });
  const [low, other] = [true, false].map((which) =>
    found
      .filter((one) => one.low === which)
      .sort((a, b) => b.mean - a.mean)
      .at(0),
  );
  const more = low && other && pairedChange(other.values, low.values);
  if (!more) return notMeasured(subject, paper);
  const ours = `${fixed(low.mean)} of ${low.name}, less ${fixed(other.mean)} of ${other.name}: ${changeText(more, 3, "pp")}`;
  return { subject, paper, ours, verdict: positive(more) };
}

function overlap(evidence: Evidence, task: string): Part {
  const [ten, twenty] = [{}, TWENTY].map((change) => meanOf(excessAt(evidence, task, change)));
  const paper = "overlap";
  if (!ten || !twenty || !hasInterval(ten) || !hasInterval(twenty))
    return notMeasured(taskTitle(task), paper);
  return {
    subject: taskTitle(task),
    paper,
    ours: `${estimateText(ten)} and ${estimateText(twenty)}`,
    verdict: ten.low! <= twenty.high! && twenty.low! <= ten.high! ? "holds" : "does not hold",
  };
}

function increase(evidence: Evidence, task: string): Part {
  const [ten, twenty] = [{}, TWENTY].map(
    (change) => paperExcess(settingOf(task, change), SEVERE)?.mean ?? NaN,
  );
  const paper = `${fixed(ten)} to ${fixed(twenty)} pp`;
  const change = pairedChange(excessAt(evidence, task, {}), excessAt(evidence, task, TWENTY));
  if (!change) return notMeasured(taskTitle(task), paper);
  return {
    subject: taskTitle(task),
    paper,
    ours: changeText(change, 3, "pp"),
    verdict: positive(change, twenty - ten),
  };
}

/** Whether the mean excess error of SGD rises at some steps to a smaller concentration and falls at others. */
function nonMonotone(evidence: Evidence, task: string): Part {
  const paper = "non-monotonic";
  const found = trend(withoutReference(finalRuns(evidence, task, SGD)), "excess_error");
  if (!found || found.alphas.length < COMPARED.length) return notMeasured(taskTitle(task), paper);
  const { alphas, means, breaks } = found;
  return {
    subject: taskTitle(task),
    paper,
    ours: `${means.map((mean, i) => `${fixed(mean)} (α = ${alphas[i]})`).join(", ")} pp`,
    verdict: breaks.length > 0 && breaks.length < means.length - 1 ? "holds" : "does not hold",
  };
}

const hasInterval = ({ low, high }: SeedSummary): boolean => low !== null && high !== null;

/** Means that do not increase with the client count, over tasks and concentrations. */
function uniformIncrease(evidence: Evidence): Part {
  const changes = CONTROLLED_NAMES.flatMap((task) =>
    COMPARED.flatMap((alpha) => {
      const [ten, twenty] = [{}, TWENTY].map((change) => excessAt(evidence, task, change, alpha));
      const change = pairedChange(ten, twenty);
      return change ? [{ name: `${taskTitle(task)} at α = ${alpha}`, change }] : [];
    }),
  );
  const subject = "all tasks and α";
  const paper = "not uniform";
  if (changes.length === 0) return notMeasured(subject, paper);
  const falls = changes.filter(({ change }) => change.mean <= 0);
  return {
    subject,
    paper,
    ours:
      `${falls.length} of ${changes.length} means do not increase` +
      (falls.length > 0 ? `: ${list(falls.map(({ name }) => name))}` : ""),
    verdict:
      falls.length > 0
        ? "holds"
        : changes.length < CONTROLLED_NAMES.length * COMPARED.length
          ? "undecided"
          : "does not hold",
  };
}

function higherError(evidence: Evidence, task: string): Part {
  const [adam, sgd] = [{}, SGD].map((change) =>
    atAlpha(finalRuns(evidence, task, change), REFERENCE_ALPHA, "test_error", 100),
  );
  const change = pairedChange(adam, sgd);
  const paper = "higher";
  if (!change) return notMeasured(taskTitle(task), paper);
  return {
    subject: taskTitle(task),
    paper,
    ours: changeText(change, 2, "pp"),
    verdict: positive(change),
  };
}

/** By their values and, read otherwise, by their sizes: what is compressed may be negative as well. */
function smallerExcess(evidence: Evidence, task: string): Part[] {
  const [adam, sgd] = [{}, SGD].map((change) => excessAt(evidence, task, change));
  const mean = paperExcess(settingOf(task), SEVERE)?.mean;
  const paper = mean === undefined ? "smaller" : `smaller than ${fixed(mean)} pp`;
  const sizes = (values: BySeed): BySeed =>
    new Map([...values].map(([seed, value]) => [seed, Math.abs(value)]));
  const variant = "by size, without sign";
  const [plain, bySize] = [pairedChange(sgd, adam), pairedChange(sizes(sgd), sizes(adam))];
  if (!plain || !bySize) return [notMeasured(taskTitle(task), paper)];
  const part = (change: SeedSummary): Omit<Part, "subject"> => ({
    paper,
    ours: changeText(change, 3, "pp"),
    verdict: positive(change),
  });
  return [
    { subject: taskTitle(task), ...part(plain) },
    { subject: `${taskTitle(task)}, ${variant}`, ...part(bySize), paper: "–", variant },
  ];
}
