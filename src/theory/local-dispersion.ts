import { studentTQuantile } from "../analysis/student-t.js";
import { fixed, type Table, textCell } from "../analysis/table.js";
import { activationName, caseName, startName } from "./cases.js";
import { exceeds } from "./exceeds.js";
import type { DispersionCase, DispersionEvidence } from "./local-dispersion-evidence.js";
import { counted, measured, measuredCell } from "./measured.js";
import { type Finding, type Prediction, verdictOf } from "./prediction.js";
import { ALLOWED_SLOPE } from "./trajectory-drift.js";
import { SMALL_STEP } from "./trajectory-drift-evidence.js";

/** Probability of a Student-t deviation as large as is allowed, that of four normal standard errors. */
const TAIL = 6.3e-5;
const [ROOT_ORDER, SQUARE_ORDER] = [2, 3];

/** What local steps say about the fourth prediction (app:local). */
export function localDispersionPrediction(evidence: DispersionEvidence): Prediction {
  const { cases, alpha, clients, draws, noisySteps } = evidence;
  const [smooth, kinked] = [true, false].map((wanted) => cases.filter((one) => one.smooth === wanted));
  const letters = [0, 1, 2].map((i) => String.fromCharCode(96 + cases.length + i));
  return {
    name: "local-dispersion",
    title: "Local dispersion",
    claim:
      "Clients that start together and take E steps on their own end up apart, at first exactly as far as their " +
      "gradients differ: √D_loc is η E √H_g. Curvature changes that by an amount of second order in the learning rate " +
      "η, at most R_E = η^2 L G_0 E(E − 1)/2. Mini-batches add a term of their own, which does not shrink with the " +
      "difference between clients.",
    labels: ["eq:app-local-bound", "eq:app-local-leading", "eq:app-sgd"],
    rules: [
      "The bound holds if no learning rate breaks it by more than 10⁻¹² of the numbers in it. L is the largest " +
        "Hessian norm of a client at the start and at the ends of its path, by Lanczos' method, which errs towards a " +
        "sharper bound; G_0 is the longest gradient along the paths.",
      `Orders are slopes of logarithms where η L E ≤ ${SMALL_STEP}, and hold within ${ALLOWED_SLOPE} of ${ROOT_ORDER} ` +
        `for √D_loc and of ${SQUARE_ORDER} for D_loc.`,
      `Means over ${draws} draws of mini-batches hold within ${fixed(allowedErrors(draws), 1)} standard errors, beyond ` +
        "which Student's t for so few draws is as rare as a normal number beyond four. (Four were allowed at first, " +
        "which is too strict where the error itself comes from so few draws.) Batches are drawn with replacement, " +
        "as independent noise wants it; " +
        "σ_k is that of the start, L and G_0 are also taken at the ends of paths at the paper's learning rate.",
      `${activationName(kinked[0])} has gradients that jump: smoothness is not given, and the statements do not apply.`,
    ],
    findings: [
      ...smooth.map(boundFinding),
      ...smooth.map(orderFinding),
      noisyBoundFinding(cases),
      noiseFinding(cases, draws),
      ...kinked.map(kinkFinding),
    ],
    tables: [dispersionTable(cases)],
    caption:
      `a to ${letters[0]}, |√D_loc − η E √H_g| over the learning rate for full-gradient steps, ${clients} clients at α = ${alpha}, ` +
      `and the bound R_E (dashed). ${letters[1]} and ${letters[2]}, D_loc of mini-batch steps as a multiple of η^2 E^2 H_g over the size of the ` +
      `batches, mean over ${draws} draws with two standard errors, E = ${noisySteps} and η = 10⁻⁵; dashed, what the ` +
      "noise of the batches adds to leading order.",
  };
}

const allowedErrors = (draws: number) => studentTQuantile(1 - TAIL / 2, draws - 1);

const missOf = ({ dispersion, leading }: DispersionCase["points"][number]) => Math.abs(dispersion - leading);

function boundFinding(one: DispersionCase): Finding {
  const broken = one.points.filter((point) => exceeds(missOf(point), point.bound, point.leading)).length;
  const closest = Math.max(...one.points.map((point) => missOf(point) / point.bound));
  return {
    statement: `|√D_loc − η E √H_g| ≤ R_E: ${caseName(one)}`,
    verdict: verdictOf(broken === 0),
    decides:
      `${broken} of ${counted(one.points.length, "pair")} of η and E break it; the difference is at most ` +
      `${measured(100 * closest, 2)} % of the bound, with L = ${measured(one.smoothness)} and G_0 = ${measured(one.gradientBound)} at the start`,
  };
}

const slopeWords = ({ orders }: DispersionCase, of: "root" | "square") =>
  orders.map(({ steps, [of]: { slope } }) => `${fixed(slope, 2)} (E = ${steps})`).join(", ");

function orderFinding(one: DispersionCase): Finding {
  const near = (slope: number, wanted: number) => Math.abs(slope - wanted) <= ALLOWED_SLOPE;
  return {
    statement: `D_loc = η^2 E^2 H_g + O(η^3): ${caseName(one)}`,
    verdict:
      one.orders.length === 0
        ? "does not apply"
        : verdictOf(
            one.orders.every(
              ({ root, square }) => near(root.slope, ROOT_ORDER) && near(square.slope, SQUARE_ORDER),
            ),
          ),
    decides: `slopes of √D_loc ${slopeWords(one, "root")}; of D_loc ${slopeWords(one, "square")}`,
  };
}

function noisyBoundFinding(cases: readonly DispersionCase[]): Finding {
  const all = cases.flatMap(({ noisy }) => noisy);
  const miss = ({ mean, leading }: (typeof all)[number]) => Math.abs(Math.sqrt(mean) - leading);
  const broken = all.filter((point) => exceeds(miss(point), point.bound)).length;
  const closest = Math.max(...all.map((point) => miss(point) / point.bound));
  return {
    statement: "|√E[D_loc] − η E √H_g| ≤ R_E + η √(E Σ p_k σ_k^2) with mini-batches",
    verdict: verdictOf(broken === 0),
    decides: `${broken} of ${all.length} break it; the difference is at most ${measured(100 * closest, 2)} % of the bound`,
  };
}

function noiseFinding(cases: readonly DispersionCase[], draws: number): Finding {
  const rate = Math.min(...cases.flatMap(({ noisy }) => noisy.map((point) => point.rate)));
  const smallest = cases.flatMap(({ noisy }) => noisy.filter((point) => point.rate === rate));
  const errors = smallest.map(({ mean, expected, standardError }) => (mean - expected) / standardError);
  const largest = Math.max(...errors.map(Math.abs));
  const parts = cases.map(({ noisy }) => noisy.filter((point) => point.rate === rate).at(-1)!);
  return {
    statement:
      "Beyond the paper: to leading order E[D_loc] = η^2 (E^2 H_g + E Σ p_k (1 − p_k) σ_k^2), the noise less what " +
      "averaging takes off",
    verdict: verdictOf(largest <= allowedErrors(draws)),
    decides:
      `at η = ${measured(rate, 1)} the largest of ${errors.length} deviations is ${fixed(largest, 1)} standard errors; with ` +
      `batches of ${parts[0].batch} noise makes D_loc ` +
      cases
        .map((one, i) => `${measured(parts[i].expected / parts[i].leading ** 2)} (${caseName(one)})`)
        .join(", ") +
      " times η^2 E^2 H_g",
  };
}

function kinkFinding(one: DispersionCase): Finding {
  const broken = one.points.filter((point) => exceeds(missOf(point), point.bound, point.leading)).length;
  const local = one.orders.flatMap(({ root }) => root.localSlopes);
  return {
    statement: `The same with kinks: ${caseName(one)}`,
    verdict: "does not apply",
    decides:
      `slopes of √D_loc ${slopeWords(one, "root")}, between neighbouring learning rates from ` +
      `${fixed(Math.min(...local), 1)} to ${fixed(Math.max(...local), 1)}; ${broken} of ${one.points.length} pairs above ` +
      "what would be the bound",
  };
}

function dispersionTable(cases: readonly DispersionCase[]): Table {
  return {
    name: "local-dispersion",
    title: "Orders of the remainders, and dispersion at the paper's learning rate",
    caption: "√D_loc and its leading term at the largest learning rate of the figure.",
    columns: [
      { heading: "activation", csv: ["activation"], align: "left" },
      { heading: "parameters", csv: ["parameters"], align: "left" },
      { heading: "E", csv: ["local_steps"] },
      { heading: "slope of √D_loc", csv: ["root_slope"] },
      { heading: "slope of D_loc", csv: ["square_slope"] },
      { heading: "√D_loc", csv: ["root_dispersion"] },
      { heading: "η E √H_g", csv: ["leading"] },
      { heading: "R_E", csv: ["bound"] },
    ],
    groups: cases.map((one) => {
      const largest = Math.max(...one.points.map(({ rate }) => rate));
      return one.points
        .filter(({ rate }) => rate === largest)
        .map(({ steps, dispersion, leading, bound }) => {
          const order = one.orders.find((some) => some.steps === steps);
          return [
            textCell(activationName(one)),
            textCell(startName(one)),
            textCell(String(steps)),
            measuredCell(order?.root.slope),
            measuredCell(order?.square.slope),
            measuredCell(dispersion),
            measuredCell(leading),
            measuredCell(bound),
          ];
        });
    }),
  };
}
