import { measured, measuredCell } from "../../analysis/numbers.js";
import { type Table, textCell } from "../../analysis/tables/table.js";
import { activationName, caseName, startName } from "./cases.js";
import type { RiskCase, RiskEvidence, RiskPoint } from "./evidence/risk-sign-evidence.js";
import { type Finding, type Prediction, verdictOf } from "./prediction.js";

/** Round-off of a difference of two risks, as a part of the risk. */
const RISK_ROUND_OFF = 1e-13;
/** Round-off of the witness, as a part of the parameter. */
const WITNESS_ROUND_OFF = 1e-14;

/** What test risks say about the seventh prediction (app:risk, app:quadratic). */
export function riskSignPrediction(evidence: RiskEvidence): Prediction {
  const { cases, rate, steps, clients, witnesses } = evidence;
  const [smooth, kinked] = [true, false].map((wanted) => cases.filter((one) => one.smooth === wanted));
  return {
    name: "risk-sign",
    title: "Sign of the risk difference",
    claim:
      "Drift need not hurt. To first order the test risk changes by ∇R(θ_C)·Δ_θ, which has either sign: federated " +
      "averaging may end up with the better or with the worse model. Only near a stationary point of a strongly convex " +
      "risk is the difference bound to be positive. Two quadratic bins show it in numbers: their drift is " +
      "η^2 Var(q) Δh Δg, whichever sign that has, and none at all for bins of equal curvature.",
    labels: ["eq:app-risk-bound", "eq:app-risk-lower", "eq:app-quadratic"],
    rules: [
      "The quadratic bound holds if no round breaks it by more than 10⁻¹³ of the risk; L_R is the largest absolute " +
        "eigenvalue of the risk's Hessian at both ends of the segment, by Lanczos' method, which errs towards a sharper bound.",
      "The sign is unrestricted if both signs are found. One sign alone on a task's partitions would refute nothing: the " +
        "statement would then not apply to them (at first it would have failed). What the risk of quadratic bins does was added " +
        "after the first run.",
      "The lower bound needs a strongly convex risk: it applies to the task where the smallest eigenvalue found is positive " +
        "and known to be the smallest. Lanczos' method knows it from above alone, so that the quadratic bins decide.",
      `The witness holds if steps that are really taken differ from the formula by less than ${measured(WITNESS_ROUND_OFF, 1)} ` +
        "of the parameter. The same is round-off for its signs.",
    ],
    findings: [
      ...smooth.map((one) => boundFinding(one, "verdict")),
      signFinding(cases),
      linearFinding(cases),
      convexFinding(cases),
      ...witnessFindings(witnesses),
      ...witnessRiskFindings(witnesses),
      ...kinked.map((one) => boundFinding(one, "beside")),
    ],
    tables: [signTable(cases)],
    caption:
      `a and b, Test risk of the federated less that of the centralised model, as a part of the latter, after one round ` +
      `of E = ${steps} full-gradient steps at η = ${measured(rate, 1)}; ${clients} clients, every dot a partition. c, What ` +
      "the linear term leaves of it against the quadratic bound; no dot may lie above the diagonal. d, Drift of " +
      "two-bin quadratics after two steps against the formula; crosses have bins of equal curvature.",
  };
}

const rest = ({ difference, linear }: RiskPoint): number => Math.abs(difference - linear);

function boundFinding(one: RiskCase, role: "verdict" | "beside"): Finding {
  const broken = one.points.filter((point) => rest(point) > point.bound + RISK_ROUND_OFF * one.risk).length;
  const closest = Math.max(...one.points.map((point) => rest(point) / point.bound));
  return {
    statement:
      role === "verdict"
        ? `|Δ_R − ∇R(θ_C)·Δ_θ| ≤ L_R/2 ‖Δ_θ‖²: ${caseName(one)}`
        : `The same with kinks, where ∇R jumps: ${caseName(one)}`,
    verdict: role === "verdict" ? verdictOf(broken === 0) : "does not apply",
    decides:
      `${broken} of ${one.points.length} rounds break it; what is left is at most ${measured(100 * closest, 2)} % of the ` +
      `bound, with L_R = ${measured(one.largestCurvature)} at θ_C`,
  };
}

const positive = (points: readonly RiskPoint[]): number =>
  points.filter(({ difference }) => difference > 0).length;

function signFinding(cases: readonly RiskCase[]): Finding {
  const all = cases.flatMap(({ points }) => points);
  const worse = positive(all);
  return {
    statement: "Δ_R takes both signs on partitions of the task",
    verdict: worse > 0 && worse < all.length ? "holds" : "does not apply",
    decides:
      `federated averaging is worse in ${worse} and better in ${all.length - worse} of ${all.length} rounds: ` +
      cases
        .map((one) => `${positive(one.points)} of ${one.points.length} worse (${caseName(one)})`)
        .join(", "),
  };
}

function linearFinding(cases: readonly RiskCase[]): Finding {
  const all = cases.flatMap(({ points }) => points);
  const decided = all.filter((point) => Math.abs(point.linear) > point.bound);
  const wrong = decided.filter(
    ({ linear, difference }) => Math.sign(linear) !== Math.sign(difference),
  ).length;
  return {
    statement: "Where the linear term is larger than the quadratic bound, it decides the sign",
    verdict: decided.length === 0 ? "does not apply" : verdictOf(wrong === 0),
    decides: `${wrong} of ${decided.length} such rounds, of ${all.length}, have another sign`,
  };
}

function convexFinding(cases: readonly RiskCase[]): Finding {
  return {
    statement: "Δ_R ≥ ∇R(θ_C)·Δ_θ + μ_R/2 ‖Δ_θ‖² where R is strongly convex: on the task",
    verdict: "does not apply",
    decides:
      "no strong convexity is known: the smallest eigenvalue of the risk's Hessian at θ_C is at most " +
      cases
        .map(
          (one) =>
            `${measured(one.smallestCurvature, 2)}, with ‖∇R‖ = ${measured(one.slope, 2)} (${caseName(one)})`,
        )
        .join("; "),
  };
}

function witnessFindings(witnesses: RiskEvidence["witnesses"]): Finding[] {
  const miss = Math.max(...witnesses.map(({ drift, formula, size }) => Math.abs(drift - formula) / size));
  const equal = witnesses.filter(({ curvatureDifference }) => curvatureDifference === 0);
  const left = Math.max(...equal.map(({ drift, size }) => Math.abs(drift) / size));
  const up = witnesses.filter(({ drift }) => drift > WITNESS_ROUND_OFF).length;
  const down = witnesses.filter(({ drift }) => drift < -WITNESS_ROUND_OFF).length;
  return [
    {
      statement: "Two quadratic bins drift by η^2 Var_p(q_k) Δh Δg after two steps, exactly",
      verdict: verdictOf(miss <= WITNESS_ROUND_OFF),
      decides: `largest difference ${measured(miss, 2)} over ${witnesses.length} witnesses; ${up} drift up, ${down} down`,
    },
    {
      statement: "They do not drift if Δh = 0, however much their gradients differ",
      verdict: verdictOf(left <= WITNESS_ROUND_OFF),
      decides: `largest drift ${measured(left, 2)} over ${equal.length} witnesses`,
    },
  ];
}

function witnessRiskFindings(witnesses: RiskEvidence["witnesses"]): Finding[] {
  const worse = witnesses.filter((one) => one.riskDifference > WITNESS_ROUND_OFF).length;
  const better = witnesses.filter((one) => one.riskDifference < -WITNESS_ROUND_OFF).length;
  const least = Math.min(...witnesses.map(({ atMinimum }) => atMinimum));
  const positive = witnesses.filter(({ atMinimum }) => atMinimum > WITNESS_ROUND_OFF).length;
  return [
    {
      statement: "Δ_R takes both signs for quadratic bins, with the clients' own mean as the risk",
      verdict: verdictOf(worse > 0 && better > 0),
      decides: `federated averaging is worse for ${worse} and better for ${better} of ${witnesses.length} witnesses`,
    },
    {
      statement:
        "Δ_R ≥ 0 from a stationary point of a strongly convex risk: quadratic bins that start at the minimum",
      verdict: verdictOf(least >= -WITNESS_ROUND_OFF),
      decides: `smallest Δ_R ${measured(least, 2)}; positive for ${positive} of ${witnesses.length} witnesses`,
    },
  ];
}

function signTable(cases: readonly RiskCase[]): Table {
  const alphas = [...new Set(cases.flatMap(({ points }) => points.map(({ alpha }) => alpha)))];
  return {
    name: "risk-sign",
    title: "How often federated averaging has the higher test risk",
    caption: "Rounds with Δ_R > 0 of all, by concentration.",
    columns: [
      { heading: "activation", csv: ["activation"], align: "left" },
      { heading: "parameters", csv: ["parameters"], align: "left" },
      { heading: "R(θ_C)", csv: ["risk"] },
      { heading: "L_R", csv: ["risk_curvature"] },
      ...alphas.map((alpha) => ({ heading: `α = ${alpha}`, csv: [`worse_${alpha}`, `rounds_${alpha}`] })),
    ],
    groups: [
      cases.map((one) => [
        textCell(activationName(one)),
        textCell(startName(one)),
        measuredCell(one.risk),
        measuredCell(one.largestCurvature),
        ...alphas.map((alpha) => {
          const some = one.points.filter((point) => point.alpha === alpha);
          const values = [positive(some), some.length];
          return { text: values.join(" of "), values };
        }),
      ]),
    ],
  };
}
