import { overSeeds, withoutReference } from "../../analysis/observations.js";
import { changeText, estimateText, list, trend } from "../../analysis/phrases.js";
import { atAlpha, meanOf, pairedChange } from "../../analysis/seed-contrasts.js";
import { fixed } from "../../analysis/tables/table.js";
import type { SeedRecord } from "../../records/seed-record.js";
import { settingOf } from "../settings.js";
import { CONTROLLED_NAMES, taskTitle } from "../titles.js";
import { PAPER_ALPHAS, PAPER_SPEARMAN, paperExcess } from "../values.js";
import { type ClaimDefinition, type Evidence, notMeasured, type Part } from "./claim.js";
import {
  contrastPart,
  correlationPart,
  finalRuns,
  perTask,
  rank,
  SEVERE,
  strengthPart,
} from "./claim-parts.js";
import {
  earlyPeak,
  excessPart,
  gradientTrend,
  meanSizes,
  parameterGrowth,
  referenceErrors,
  transientParts,
  transientSpread,
} from "./training-claims.js";
import { positive } from "./verdicts.js";

const SECTION = "sec:result-controlled";
const TABLE = "tab:alpha001-summary";
/** Percentage points from which on we read "several". */
const SEVERAL = 2;
/** Concentrations between near-IID and severe. */
const MODERATE = [10, 1];

/** Claims on training the controlled tasks in the main setting. */
export const CONTROLLED_CLAIMS: readonly ClaimDefinition[] = [
  {
    name: "reference-error",
    section: SECTION,
    text: "Near-IID relative test error after 1000 rounds",
    rule: "size",
    headline: true,
    judge: (evidence) => referenceErrors(evidence, CONTROLLED_NAMES),
  },
  {
    name: "transient",
    section: SECTION,
    text:
      "Pronounced heterogeneity costs several percentage points during the first tens of rounds, and much of the gap is " +
      "reduced by continued communication (judged by the reduction: mean of early rounds, less round 1000)",
    rule: "sign",
    judge: (evidence) =>
      CONTROLLED_NAMES.flatMap((task) => transientParts(evidence, task, { text: "several pp, reduced" })),
  },
  {
    name: "size-transient",
    section: SECTION,
    text:
      "Pronounced heterogeneity causes several percentage points of transient excess error during the first tens of " +
      `rounds (judged by the largest mean of a checkpoint up to round 50, at least ${SEVERAL} pp)`,
    rule: "least",
    judge: (evidence) => CONTROLLED_NAMES.flatMap((task) => severalPoints(evidence, task)),
  },
  {
    name: "spread-transient",
    section: "fig:formal-drift",
    text:
      "Transient drift is substantially more variable than final-round drift (standard deviation over seeds at α = 0.01, " +
      "mean of early rounds against round 1000)",
    rule: "spread",
    judge: (evidence) => CONTROLLED_NAMES.flatMap((task) => transientSpread(evidence, task)),
  },
  {
    name: "excess-positive",
    section: SECTION,
    text: "The excess error at α = 0.01 is positive",
    rule: "sign",
    headline: true,
    judge: (evidence) => stated(evidence, SEVERE, true),
  },
  {
    name: "excess-unresolved",
    section: SECTION,
    text: "The interval of the excess error at α = 0.01 includes zero",
    rule: "zero",
    headline: true,
    judge: (evidence) => stated(evidence, SEVERE, false),
  },
  {
    name: "excess-positive-moderately",
    section: SECTION,
    text: "The excess error at α = 0.1 is positive",
    rule: "sign",
    judge: (evidence) => stated(evidence, 0.1, true),
  },
  {
    name: "moderate-negative",
    section: SECTION,
    text: "At moderate heterogeneity (α = 10 and 1) some mean excess errors are negative",
    rule: "count",
    judge: (evidence) =>
      counted(evidence, "some", (runs) => {
        const means = MODERATE.flatMap((alpha) => overSeeds(runs, alpha, "excess_error")?.mean ?? []);
        return means.length < MODERATE.length ? undefined : means.filter((mean) => mean < 0).length > 0;
      }),
  },
  {
    name: "not-monotone",
    section: SECTION,
    text: "A smaller α need not monotonically increase the final test error",
    rule: "count",
    judge: (evidence) =>
      counted(evidence, "not in every task", (runs) => {
        const found = trend(withoutReference(runs), "excess_error");
        return found && found.alphas.length === PAPER_ALPHAS.length - 1 ? found.breaks.length > 0 : undefined;
      }),
  },
  {
    name: "gradients-rise",
    section: "sec:result-synthesis",
    text: "A smaller α produces larger gradient disagreement H_g^norm",
    rule: "trend",
    headline: true,
    judge: (evidence) => gradientTrend(evidence, CONTROLLED_NAMES),
  },
  {
    name: "parameters-rise",
    section: "sec:result-synthesis",
    text: "A smaller α produces larger parameter deviation D_θ (α = 0.01 less α = 10; at α = 100 it is zero by definition)",
    rule: "sign",
    judge: (evidence) => parameterGrowth(evidence, CONTROLLED_NAMES),
  },
  {
    name: "gradient-size",
    section: TABLE,
    text: "Gradient dissimilarity H_g^norm at α = 0.01",
    rule: "size",
    judge: (evidence) => meanSizes(evidence, CONTROLLED_NAMES, "h_g_norm"),
  },
  {
    name: "parameter-size",
    section: SECTION,
    text: "Relative parameter divergence D_θ at α = 0.01",
    rule: "size",
    judge: (evidence) => meanSizes(evidence, CONTROLLED_NAMES, "d_theta"),
  },
  {
    name: "distance-gradient",
    section: SECTION,
    text: "D_sol is positively associated with initial gradient dissimilarity (ρ_s, without α = 100)",
    rule: "correlation",
    headline: true,
    judge: (evidence) => ranks(evidence, "h_g_norm"),
  },
  {
    name: "distance-parameter",
    section: SECTION,
    text: "D_sol is positively associated with final parameter divergence (ρ_s, without α = 100)",
    rule: "correlation",
    headline: true,
    judge: (evidence) => ranks(evidence, "d_theta"),
  },
  {
    name: "spearman-size",
    section: SECTION,
    text: "Rank correlations of D_sol with gradients, parameters and excess error (ρ_s, without α = 100)",
    rule: "strength",
    judge: (evidence) => CONTROLLED_NAMES.flatMap((task) => rankSizes(evidence, task)),
  },
  {
    name: "distance-excess",
    section: SECTION,
    text: "The association of D_sol with the final excess error is weaker than with gradients (ρ_s)",
    rule: "contrast",
    judge: (evidence) =>
      CONTROLLED_NAMES.map((task) => {
        const { h_g_norm, excess_error } = PAPER_SPEARMAN[task];
        const values = [h_g_norm!, excess_error!] as const;
        const paper = { values, text: values.map((value) => fixed(value, 2)).join(" against ") };
        const runs = withoutReference(finalRuns(evidence, task));
        return contrastPart(runs, task, [rank("h_g_norm"), rank("excess_error")], paper, "stronger");
      }),
  },
  {
    name: "more-sensitive",
    section: SECTION,
    text: "Parameter deviation is a more sensitive indicator than test error (change from α = 10 to 0.01)",
    rule: "resolved",
    judge: (evidence) => CONTROLLED_NAMES.map((task) => sensitivity(evidence, task)),
  },
  {
    name: "seeds",
    section: SECTION,
    text:
      "Antiderivative has positive and negative seed-level effects; the increase is more reproducible for Burgers and " +
      "diffusion-reaction (seeds with a positive excess error at α = 0.01)",
    rule: "count",
    judge: (evidence) => CONTROLLED_NAMES.map((task) => seedSigns(evidence, task)),
  },
];

/** Excess errors in the main setting of which the paper says that their interval excludes zero, or includes it. */
function stated(evidence: Evidence, alpha: number, excludesZero: boolean): Part[] {
  return CONTROLLED_NAMES.filter(
    (task) => paperExcess(settingOf(task), alpha)?.excludesZero === excludesZero,
  ).flatMap((task) => excessPart(evidence, settingOf(task), alpha, taskTitle(task)));
}

function ranks(evidence: Evidence, relation: "h_g_norm" | "d_theta"): Part[] {
  return CONTROLLED_NAMES.map((task) => {
    const low = PAPER_SPEARMAN[task][relation]!;
    const runs = withoutReference(finalRuns(evidence, task));
    return correlationPart(runs, task, rank(relation), { low, text: fixed(low, 2) });
  });
}

function rankSizes(evidence: Evidence, task: string): Part[] {
  const words = { h_g_norm: "gradients", d_theta: "parameters", excess_error: "excess error" } as const;
  return (Object.keys(words) as (keyof typeof words)[]).map((relation) => {
    const low = PAPER_SPEARMAN[task][relation]!;
    const runs = withoutReference(finalRuns(evidence, task));
    const subject = `${taskTitle(task)}, ${words[relation]}`;
    return strengthPart(runs, subject, rank(relation), { low, text: fixed(low, 2) });
  });
}

/** The largest early mean, less what counts as several percentage points. */
function severalPoints(evidence: Evidence, task: string): Part[] {
  const paper = "several pp";
  return perTask(evidence.runs, task, paper, (_, name): Part | undefined => {
    const peak = earlyPeak(evidence, name, 50);
    if (!peak) return undefined;
    const { round, values, summary } = peak;
    const above = meanOf(new Map([...values].map(([seed, value]) => [seed, value - SEVERAL])))!;
    return {
      subject: taskTitle(name),
      paper,
      ours: `${estimateText(summary, 3, "pp")} at round ${round}`,
      verdict: positive(above),
    };
  });
}

/** A claim that something is so in some task. */
function counted(
  evidence: Evidence,
  paper: string,
  test: (runs: readonly SeedRecord[]) => boolean | undefined,
): Part[] {
  const judged = CONTROLLED_NAMES.flatMap((task) => {
    const found = test(finalRuns(evidence, task));
    return found === undefined ? [] : [{ task, found }];
  });
  const subject = "the controlled tasks";
  if (judged.length === 0) return [notMeasured(subject, paper)];
  const those = judged.filter(({ found }) => found).map(({ task }) => taskTitle(task));
  // One task that shows it is enough; that none does is known only when all were looked at.
  const none = judged.length < CONTROLLED_NAMES.length ? "undecided" : "does not hold";
  return [
    {
      subject,
      paper,
      ours: `so in ${those.length} of ${judged.length}${those.length > 0 ? `: ${list(those)}` : ""}`,
      verdict: those.length > 0 ? "holds" : none,
    },
  ];
}

/** Which of two paired changes is resolved: that of the parameters, that of the error, both or neither. */
function sensitivity(evidence: Evidence, task: string): Part {
  const runs = finalRuns(evidence, task);
  const change = (name: "d_theta" | "excess_error") =>
    pairedChange(atAlpha(runs, MODERATE[0], name), atAlpha(runs, SEVERE, name));
  const [parameters, error] = [change("d_theta"), change("excess_error")];
  const paper = "more sensitive";
  if (!parameters || !error) return notMeasured(taskTitle(task), paper);
  const [seen, missed] = [positive(parameters) === "holds", positive(error) !== "holds"];
  return {
    subject: taskTitle(task),
    paper,
    ours: `D_θ ${changeText(parameters)}, error ${changeText(error, 3, "pp")}`,
    verdict: seen === !missed ? "undecided" : seen ? "holds" : "does not hold",
  };
}

/** How many seeds are worse off than near-IID; Antiderivative's are what the others are compared with. */
function seedSigns(evidence: Evidence, task: string): Part {
  const mixed = "antiderivative";
  const [own, others] = [task, mixed].map((name) => {
    const values = [...atAlpha(finalRuns(evidence, name), SEVERE, "excess_error").values()];
    return { seeds: values.length, above: values.filter((value) => value > 0).length };
  });
  const paper = task === mixed ? "both signs" : "more reproducible";
  if (own.seeds === 0 || others.seeds === 0) return notMeasured(taskTitle(task), paper);
  const so =
    task === mixed
      ? own.above > 0 && own.above < own.seeds
      : own.above / own.seeds > others.above / others.seeds;
  return {
    subject: taskTitle(task),
    paper,
    ours: `${own.above} of ${own.seeds} seeds positive`,
    verdict: so ? "holds" : "does not hold",
  };
}
