import type { Pairing } from "../../analysis/correlation-intervals.js";
import { withoutReference } from "../../analysis/observations.js";
import type { Relation } from "../../analysis/published.js";
import { fixed } from "../../analysis/tables/table.js";
import { CONTROLLED_NAMES, taskTitle } from "../titles.js";
import { PAPER_PEARSON, REFERENCE_ALPHA } from "../values.js";
import type { ClaimDefinition, Evidence, Part } from "./claim.js";
import { contrastPart, finalRuns, strengthPart } from "./claim-parts.js";

const SECTION = "sec:result-synthesis, tab:distance-comparison";

/** Claims on the solution distance beside the input-space distance. */
export const DISTANCE_CLAIMS: readonly ClaimDefinition[] = [
  {
    name: "input-gradient",
    section: SECTION,
    text: "D_sol is comparable to input-space W_1 for gradient heterogeneity (Pearson)",
    rule: "alike",
    judge: (evidence) => compare(evidence, "h_g_norm", "solution", "alike"),
  },
  {
    name: "input-parameter",
    section: SECTION,
    text: "D_sol is consistently more correlated than input-space W_1 with parameter divergence (Pearson)",
    rule: "contrast",
    headline: true,
    judge: (evidence) => compare(evidence, "d_theta", "solution", "stronger"),
  },
  {
    name: "input-excess",
    section: SECTION,
    text: "Input-space W_1 is slightly more strongly correlated than D_sol with the final excess error (Pearson)",
    rule: "contrast",
    judge: (evidence) => compare(evidence, "excess_error", "input", "stronger"),
  },
  {
    name: "pearson-size",
    section: SECTION,
    text: "Pearson correlations of both distances with gradients, parameters and excess error",
    rule: "strength",
    judge: (evidence) => CONTROLLED_NAMES.flatMap((task) => sizes(evidence, task)),
  },
];

const RELATIONS: Readonly<Record<Relation, string>> = {
  h_g_norm: "gradients",
  d_theta: "parameters",
  excess_error: "excess error",
};

/** Every entry of the paper's table, beside ours. */
function sizes(evidence: Evidence, task: string): Part[] {
  const runs = finalRuns(evidence, task);
  return (Object.keys(RELATIONS) as Relation[]).flatMap((y) =>
    [["d_sol", "solution", "D_sol"] as const, ["input_w1", "input", "W_1"] as const].map(
      ([x, which, sign]) => {
        const low = PAPER_PEARSON[task][y][which];
        const subject = `${taskTitle(task)}, ${sign} and ${RELATIONS[y]}`;
        return strengthPart(runs, subject, { kind: "pearson", x, y }, { low, text: fixed(low, 2) });
      },
    ),
  );
}

/**
 * The named distance first; over all records, as the paper has it, and without the references, whose parameters have no
 * distance from themselves and whose error no excess: zeros by definition, at the smallest distances.
 */
function compare(
  evidence: Evidence,
  relation: Relation,
  first: "solution" | "input",
  claim: "stronger" | "alike",
): Part[] {
  const solution: Pairing = { kind: "pearson", x: "d_sol", y: relation };
  const input: Pairing = { kind: "pearson", x: "input_w1", y: relation };
  return CONTROLLED_NAMES.flatMap((task) => {
    const values = PAPER_PEARSON[task][relation];
    const second = first === "solution" ? "input" : "solution";
    const stated = [values[first], values[second]] as const;
    const paper = { values: stated, text: stated.map((value) => fixed(value, 2)).join(" against ") };
    const pairings = first === "solution" ? ([solution, input] as const) : ([input, solution] as const);
    const runs = finalRuns(evidence, task);
    const all = contrastPart(runs, task, pairings, paper, claim);
    const rest = contrastPart(withoutReference(runs), task, pairings, { ...paper, text: "–" }, claim);
    const variant = `without α = ${REFERENCE_ALPHA}`;
    return rest.verdict === "not measured"
      ? [all]
      : [all, { ...rest, subject: `${rest.subject}, ${variant}`, variant }];
  });
}
