import { measured, measuredCell } from "../../analysis/numbers.js";
import { type Table, textCell } from "../../analysis/tables/table.js";
import { activationName, caseName, startName } from "./cases.js";
import { type DriftCase, type DriftEvidence, SMALL_STEP } from "./evidence/trajectory-drift-evidence.js";
import { ordersInWords, slopesInWords, TOO_FEW_RATES } from "./orders-in-words.js";
import { BEYOND, type Finding, type Prediction, verdictOf } from "./prediction.js";

/** How far a measured order may be below the stated one. */
export const ALLOWED_SLOPE = 0.1;
/** Round-off that equal steps may differ by, as a part of the step. */
const EQUAL = 1e-13;
/** Part of the drift that a leading term may miss and still be called a prediction of it. */
const CLOSE = 0.1;
const ORDER = 3;
/** Largest distance of parameters that the figure has room for: steps that are too large diverge. */
export const LARGEST_SHOWN = 1e5;

/** What full-gradient rounds say about the fifth prediction (app:trajectory). */
export function trajectoryDriftPrediction(evidence: DriftEvidence): Prediction {
  const { cases, alpha, clients } = evidence;
  const [smooth, kinked] = [true, false].map((wanted) => cases.filter((one) => one.smooth === wanted));
  const atStart = cases.some(({ start }) => start === "initial");
  return {
    name: "trajectory-drift",
    title: "Trajectory drift",
    claim:
      "Averaging clients that take one full step each is the same as training on all data. From the second step on it " +
      "is not: the averaged model drifts away from the centralised one, and for small learning rates η the drift is " +
      "known from gradients and Hessians at the common start, η^2 E(E − 1)/2 times Σ p_k (H_k − H)(g_k − g). Clients " +
      "have to differ in curvature and in gradient at once. What is left is of third order in η.",
    labels: ["eq:app-second-drift", "thm:app-trajectory"],
    rules: [
      `One step counts as equal if the two models differ by less than ${measured(EQUAL, 1)} of the step.`,
      `The order of the remainder is the least-squares slope of its logarithm over that of η, where η L E ≤ ` +
        `${SMALL_STEP} with L the largest Hessian norm of a client and the remainder is above round-off; it holds ` +
        `from ${ORDER} on, less ${ALLOWED_SLOPE}; a steeper one is no objection to a bound (at first it was). Round-off is 16 times, for each step, what the two models differ by after one. ` +
        "(At first it was 16 units in the last place, which is less than the round-off of Diffusion–reaction's gradients.)",
      `At the paper's learning rate the leading term holds as a prediction if it misses less than ${100 * CLOSE} % of ` +
        "the drift.",
      `${activationName(kinked[0])} has no second derivative at its kink: the theorem does not apply to it, and what ` +
        "is measured stands beside.",
    ],
    findings: [
      oneStepFinding(cases),
      ...smooth.map(orderFinding),
      ...smooth.map((one) => paperRateFinding(one, evidence)),
      ...kinked.map(kinkFinding),
    ],
    tables: [driftTable(evidence)],
    caption:
      `Distance between federated and centralised model after one round of E full-gradient steps from the same ` +
      `parameters (grey: E = 1, round-off; black: E = 5, its leading term dashed), and what is left of it without the ` +
      `leading term (coloured) over the learning rate η; ${clients} clients, α = ${alpha}, double precision. Dotted: ` +
      "third order. With a smooth activation remainders follow it. With kinks they are of second order where units " +
      `lie on a kink${atStart ? ", as at the start, where biases are zero," : ""} and jump where a step carries a unit ` +
      "across one." +
      (cases.some(({ points }) => points.some(({ remainder }) => remainder > LARGEST_SHOWN))
        ? " Arrowheads: steps that diverge beyond the axis."
        : ""),
  };
}

function oneStepFinding(cases: readonly DriftCase[]): Finding {
  const largest = Math.max(
    ...cases.flatMap(({ points, gradientSize }) =>
      points.filter(({ steps }) => steps === 1).map(({ drift, rate }) => drift / (rate * gradientSize)),
    ),
  );
  return {
    statement: "For E = 1 federated and centralised training are exactly equal, whatever the activation",
    verdict: verdictOf(largest < EQUAL),
    decides: `largest difference ${measured(largest, 2)} of the step, over all learning rates`,
  };
}

function orderFinding(one: DriftCase): Finding {
  const { orders } = one;
  const smallest = one.points.filter(({ steps }) => steps > 1).at(-1)!;
  return {
    statement: `Drift less its leading term is O(η^3): ${caseName(one)}`,
    verdict:
      orders.length === 0
        ? "does not apply"
        : verdictOf(orders.every(({ slope }) => slope >= ORDER - ALLOWED_SLOPE)),
    decides:
      (orders.length === 0 ? TOO_FEW_RATES : `slopes ${slopesInWords(orders)}`) +
      `; at η = ${measured(smallest.rate, 1)} and E = ${smallest.steps} the leading term misses ` +
      `${measured((100 * smallest.remainder) / smallest.drift, 2)} % of the drift`,
  };
}

function paperRateFinding(one: DriftCase, { paperRate, paperSteps }: DriftEvidence): Finding {
  const point = one.points.find(({ rate, steps }) => nearly(rate, paperRate) && steps === paperSteps)!;
  const missed = point.remainder / point.drift;
  return {
    statement:
      `${BEYOND}the leading term is the drift at the paper's learning rate too, η = ${paperRate} with ` +
      `E = ${paperSteps}: ${caseName(one)}`,
    verdict: verdictOf(missed <= CLOSE),
    decides:
      `it misses ${measured(100 * missed, 2)} % of the drift, with ` +
      `η L E = ${measured(paperRate * one.smoothness * paperSteps, 2)}, which the theorem wants small`,
  };
}

function kinkFinding(one: DriftCase): Finding {
  return {
    statement: `The same with kinks: ${caseName(one)}`,
    verdict: "does not apply",
    decides: ordersInWords("slopes", one.orders),
  };
}

const nearly = (a: number, b: number) => Math.abs(a / b - 1) < 1e-6;

function driftTable({ cases, paperRate }: DriftEvidence): Table {
  return {
    name: "trajectory-drift",
    title: "Order of the remainder, and the leading term at the paper's learning rate",
    caption: `Leading term and drift at η = ${paperRate}.`,
    columns: [
      { heading: "activation", csv: ["activation"], align: "left" },
      { heading: "parameters", csv: ["parameters"], align: "left" },
      { heading: "E", csv: ["local_steps"] },
      { heading: "L", csv: ["hessian_norm"] },
      { heading: "slope of the remainder", csv: ["slope"] },
      { heading: "drift", csv: ["drift"] },
      { heading: "leading term", csv: ["leading"] },
      { heading: "missed by it", csv: ["missed"] },
    ],
    groups: cases.map((one) =>
      one.points
        .filter(({ rate, steps }) => nearly(rate, paperRate) && steps > 1)
        .map(({ steps, drift, leading, remainder }) => [
          textCell(activationName(one)),
          textCell(startName(one)),
          textCell(String(steps)),
          measuredCell(one.smoothness),
          measuredCell(one.orders.find((order) => order.steps === steps)?.slope),
          measuredCell(drift),
          measuredCell(leading),
          measuredCell(remainder / drift),
        ]),
    ),
  };
}
