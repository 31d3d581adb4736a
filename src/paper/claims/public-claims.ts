import { taskContrast } from "../../analysis/correlation-intervals.js";
import { withoutReference } from "../../analysis/observations.js";
import { estimateText, statedWords } from "../../analysis/phrases.js";
import type { Relation } from "../../analysis/published.js";
import { atAlpha, bySeed, meanOf } from "../../analysis/seed-contrasts.js";
import { fixed } from "../../analysis/tables/table.js";
import { settingOf } from "../settings.js";
import { PUBLIC_NAMES, taskTitle } from "../titles.js";
import {
  PAPER_PUBLIC_RANKS,
  PAPER_SPEARMAN,
  PAPER_TRANSIENTS,
  paperExcess,
  REFERENCE_ALPHA,
} from "../values.js";
import { type ClaimDefinition, type Evidence, namesOf, notMeasured, type Part } from "./claim.js";
import {
  contrastPart,
  correlationPart,
  finalRuns,
  type PaperCorrelation,
  rank,
  SEVERE,
  sizePart,
  strengthPart,
} from "./claim-parts.js";
import {
  earlyPeak,
  excessPart,
  excessSize,
  gradientTrend,
  meanSizes,
  parameterGrowth,
  publicParts,
  referenceErrors,
  transientParts,
} from "./training-claims.js";
import { positive } from "./verdicts.js";

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
      Object.entries(PAPER_TRANSIENTS).flatMap(([task, { low, early, late }]) => {
        const text = `${early}, then ${fixed(late)} pp`;
        return transientParts(evidence, task, { text, reduction: low - late });
      }),
  },
  {
    name: "public-size-transient",
    section: `${SECTION}, fig:public-drift`,
    text: "The largest mean excess error at α = 0.01 before round 100 (largest mean of a checkpoint up to round 100)",
    rule: "size",
    judge: (evidence) => Object.keys(PAPER_TRANSIENTS).flatMap((task) => earlySize(evidence, task)),
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
    name: "public-gradient-rank-size",
    section: SECTION,
    text: "Rank correlation of D_sol with gradient dissimilarity (ρ_s)",
    rule: "strength",
    judge: (evidence) => rankSizes(evidence, "h_g_norm"),
  },
  {
    name: "public-parameter-rank-size",
    section: SECTION,
    text: "Rank correlation of D_sol with final parameter divergence (ρ_s)",
    rule: "strength",
    judge: (evidence) => rankSizes(evidence, "d_theta"),
  },
  {
    name: "public-excess-rank-size",
    section: SECTION,
    text: "The rank correlation of D_sol with the final excess error ranges from 0.03 for Darcy flow to 0.76 for shallow water",
    rule: "strength",
    judge: (evidence) => rankSizes(evidence, "excess_error"),
  },
  {
    name: "cylinder-weaker",
    section: SECTION,
    text: "The association of D_sol with final parameter divergence is weaker for cylinder flow",
    rule: "contrast",
    judge: (evidence) =>
      PUBLIC_NAMES.filter((task) => task !== "cylinder").flatMap((task) => aboveCylinder(evidence, task)),
  },
  {
    name: "public-seeds",
    section: `${SECTION}, fig:public-seeds`,
    text:
      "Seed-level effects vary for cylinder flow, Darcy flow and full-waveform inversion (both signs occur below α = 100), " +
      "whereas that of shallow water under severe heterogeneity is directionally consistent",
    rule: "count",
    judge: (evidence) => PUBLIC_NAMES.flatMap((task) => seedSigns(evidence, task)),
  },
  {
    name: "public-distance-excess",
    section: SECTION,
    text: "The association of D_sol with the final excess error is weaker than with gradients (ρ_s)",
    rule: "contrast",
    judge: (evidence) =>
      PUBLIC_NAMES.flatMap((task) => {
        const text = `${paperRank(task, "h_g_norm").text} against ${paperRank(task, "excess_error").text}`;
        return publicParts(
          evidence,
          task,
          (name) => {
            const runs = withoutReference(finalRuns(evidence, name));
            return [contrastPart(runs, name, [rank("h_g_norm"), rank("excess_error")], { text }, "stronger")];
          },
          text,
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
      statedWords(stated),
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
    const paper = paperRank(task, relation);
    return publicParts(
      evidence,
      task,
      (name) => [correlationPart(withoutReference(finalRuns(evidence, name)), name, rank(relation), paper)],
      paper.text,
    );
  });
}

/** What the paper says of a rank correlation: its value, or the range of the four tasks. */
function paperRank(task: string, relation: Relation): PaperCorrelation {
  const value = PAPER_SPEARMAN[task][relation];
  return value === undefined ? PAPER_PUBLIC_RANKS[relation] : { low: value, text: fixed(value, 2) };
}

function rankSizes(evidence: Evidence, relation: Relation): Part[] {
  return PUBLIC_NAMES.flatMap((task) => {
    const paper = paperRank(task, relation);
    return publicParts(
      evidence,
      task,
      (name) => {
        const runs = withoutReference(finalRuns(evidence, name));
        return [strengthPart(runs, taskTitle(name), rank(relation), paper)];
      },
      paper.text,
    );
  });
}

/** The rank correlation of a task less that of cylinder flow. */
function aboveCylinder(evidence: Evidence, task: string): Part[] {
  const values = [PAPER_SPEARMAN[task].d_theta!, PAPER_SPEARMAN.cylinder.d_theta!] as const;
  const paper = values.map((value) => fixed(value, 2)).join(" against ");
  const [cylinder] = namesOf(evidence.final, "cylinder");
  return publicParts(
    evidence,
    task,
    (name) => {
      const subject = `than ${taskTitle(name)}`;
      if (!cylinder) return [notMeasured(subject, paper)];
      const runs = [name, cylinder].map((one) => withoutReference(finalRuns(evidence, one)));
      const more = taskContrast(runs[0], runs[1], rank("d_theta"));
      if (!more) return [notMeasured(subject, paper)];
      const verdict = positive(more, Math.atanh(values[0]) - Math.atanh(values[1]));
      return [{ subject, paper, ours: `Δz = ${estimateText(more, 2)}`, verdict }];
    },
    paper,
  );
}

/** Whether the seeds of a task agree on the sign of the excess error. */
function seedSigns(evidence: Evidence, task: string): Part[] {
  const consistent = task === "dam-break";
  const paper = consistent ? "consistent at α = 0.01" : "vary";
  return publicParts(
    evidence,
    task,
    (name) => {
      const runs = withoutReference(finalRuns(evidence, name));
      const some = consistent ? runs.filter(({ alpha }) => alpha === SEVERE) : runs;
      const values = some.map(({ excess_error }) => excess_error).filter(Number.isFinite);
      if (values.length === 0) return [notMeasured(taskTitle(name), paper)];
      const above = values.filter((value) => value > 0).length;
      const mixed = above > 0 && above < values.length;
      const ours = `${above} of ${values.length} ${consistent ? "seeds" : "runs of all seeds and α"} positive`;
      const so = consistent ? above === values.length : mixed;
      return [{ subject: taskTitle(name), paper, ours, verdict: so ? "holds" : "does not hold" }];
    },
    paper,
  );
}

/** The largest early mean beside the paper's. */
function earlySize(evidence: Evidence, task: string): Part[] {
  const { low, high, early } = PAPER_TRANSIENTS[task];
  return publicParts(
    evidence,
    task,
    (name) => {
      const peak = earlyPeak(evidence, name, 100);
      if (!peak) return [notMeasured(taskTitle(name), early)];
      const subject = `${taskTitle(name)}, round ${peak.round}`;
      return [sizePart(subject, peak.values, { low, high, text: early }, 3, "pp")];
    },
    early,
  );
}
