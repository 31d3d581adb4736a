import type { ClaimDefinition, Evidence, Part } from "./claim.js";
import { contrastPart, correlationPart, finalRuns, rank, SEVERE, sizePart } from "./claim-parts.js";
import { withoutReference } from "./observations.js";
import {
  PAPER_PUBLIC_RANKS,
  PAPER_SPEARMAN,
  PAPER_TRANSIENTS,
  REFERENCE_ALPHA,
  type Relation,
} from "./paper-values.js";
import { paperWords } from "./phrases.js";
import { atAlpha, bySeed, meanOf } from "./seed-contrasts.js";
import { PUBLIC_NAMES, paperExcess, settingOf, taskTitle } from "./settings.js";
import { fixed } from "./table.js";
import {
  excessPart,
  excessSize,
  gradientTrend,
  meanSizes,
  parameterGrowth,
  publicParts,
  referenceErrors,
  transientParts,
} from "./training-claims.js";

const SECTION = "sec:result-public";

/** Claims on the public tasks, on whatever data were trained on: simulated here, or imported. */
export const PUBLIC_CLAIMS: readonly ClaimDefinition[] = [
  {
    name: "public-reference-error",
    section: "tab:alpha001-summary",
    text: "Near-IID relative test error of the public tasks after 1000 rounds",
    rule: "size",
    judge: (evidence) => referenceErrors(evidence, PUBLIC_NAMES),
  },
  {
    name: "public-excess-positive",
    section: SECTION,
    text: "The excess error at α = 0.01 is positive",
    rule: "sign",
    judge: (evidence) => excesses(evidence, true),
  },
  {
    name: "public-excess-unresolved",
    section: SECTION,
    text: "The interval of the excess error at α = 0.01 includes zero",
    rule: "zero",
    judge: (evidence) => excesses(evidence, false),
  },
  {
    name: "public-excess-size",
    section: SECTION,
    text: "Mean excess error of the public tasks at α = 0.01 after 1000 rounds",
    rule: "size",
    headline: true,
    judge: (evidence) =>
      PUBLIC_NAMES.flatMap((task) =>
        publicParts(
          evidence,
          task,
          (name) => excessSize(evidence, settingOf(name), SEVERE, taskTitle(name)),
          `${fixed(paperExcess(settingOf(task), SEVERE)!.mean!)} pp`,
        ),
      ),
  },
  {
    name: "shallow-water-relative",
    section: SECTION,
    text: "The small excess error of shallow water is a large part of the mean reference error",
    rule: "size",
    judge: (evidence) =>
      publicParts(evidence, "dam-break", (name) => relativeIncrease(evidence, name), "about 27 %"),
  },
  {
    name: "public-transient",
    section: SECTION,
    text: "The penalty is transient: large in early rounds, then reduced (mean of early rounds, less round 1000)",
    rule: "sign",
    judge: (evidence) =>
      Object.entries(PAPER_TRANSIENTS).flatMap(([task, paper]) => transientParts(evidence, task, paper)),
  },
  {
    name: "public-gradients-rise",
    section: "sec:result-synthesis",
    text: "A smaller α produces larger gradient disagreement H_g^norm",
    rule: "trend",
    judge: (evidence) => gradientTrend(evidence, PUBLIC_NAMES),
  },
  {
    name: "public-parameters-rise",
    section: "sec:result-synthesis",
    text: "A smaller α produces larger parameter deviation D_θ (α = 0.01 less α = 10)",
    rule: "sign",
    judge: (evidence) => parameterGrowth(evidence, PUBLIC_NAMES),
  },
  {
    name: "public-gradient-size",
    section: "tab:alpha001-summary",
    text: "Gradient dissimilarity H_g^norm at α = 0.01",
    rule: "size",
    judge: (evidence) => meanSizes(evidence, PUBLIC_NAMES, "h_g_norm"),
  },
  {
    name: "public-parameter-size",
    section: "tab:alpha001-summary",
    text: "Relative parameter divergence D_θ at α = 0.01",
    rule: "size",
    judge: (evidence) => meanSizes(evidence, PUBLIC_NAMES, "d_theta"),
  },
  {
    name: "public-distance-gradient",
    section: SECTION,
    text: "D_sol has a positive rank correlation with gradient dissimilarity on all four tasks",
    rule: "correlation",
    judge: (evidence) => ranks(evidence, "h_g_norm"),
  },
  {
    name: "public-distance-parameter",
    section: SECTION,
    text: "D_sol has a positive rank correlation with final parameter divergence",
    rule: "correlation",
    judge: (evidence) => ranks(evidence, "d_theta"),
  },
  {
    name: "public-distance-excess",
    section: SECTION,
    text: "The association of D_sol with the final excess error is weaker than with gradients (ρ_s)",
    rule: "contrast",
    judge: (evidence) =>
      PUBLIC_NAMES.flatMap((task) => {
        const paper = `${rankText(task, "h_g_norm")} against ${rankText(task, "excess_error")}`;
        return publicParts(
          evidence,
          task,
          (name) => {
            const runs = withoutReference(finalRuns(evidence, name));
            return [contrastPart(runs, name, [rank("h_g_norm"), rank("excess_error")], paper, "stronger")];
          },
          paper,
        );
      }),
  },
];

function excesses(evidence: Evidence, excludesZero: boolean): Part[] {
  return PUBLIC_NAMES.flatMap((task) => {
    const stated = paperExcess(settingOf(task), SEVERE)!;
    if (stated.excludesZero !== excludesZero) return [];
    return publicParts(
      evidence,
      task,
      (name) => excessPart(evidence, settingOf(name), SEVERE, taskTitle(name)),
      paperWords(stated),
    );
  });
}

function relativeIncrease(evidence: Evidence, name: string): Part[] {
  const paper = "about 27 %";
  const runs = finalRuns(evidence, name);
  const reference = meanOf(atAlpha(runs, REFERENCE_ALPHA, "test_error", 100));
  const parts = bySeed(
    runs.filter(({ alpha }) => alpha === SEVERE),
    ({ excess_error }) => (100 * excess_error) / (reference?.mean ?? NaN),
  );
  return [sizePart(taskTitle(name), parts, { low: 27, text: paper }, 1, "%")];
}

function ranks(evidence: Evidence, relation: "h_g_norm" | "d_theta"): Part[] {
  return PUBLIC_NAMES.flatMap((task) => {
    const paper = rankText(task, relation);
    return publicParts(
      evidence,
      task,
      (name) => [correlationPart(withoutReference(finalRuns(evidence, name)), name, rank(relation), paper)],
      paper,
    );
  });
}

function rankText(task: string, relation: Relation): string {
  const value = PAPER_SPEARMAN[task][relation];
  return value === undefined ? PAPER_PUBLIC_RANKS[relation] : fixed(value, 2);
}
