import type { Activation } from "../../models/activation.js";
import { spectralNorm } from "../../numerics/lanczos.js";
import { plus } from "../../numerics/vector.js";
import { normal } from "../../random/normal.js";
import { stream } from "../../random/stream.js";
import type { Clients } from "./clients.js";
import type { Objective, SampleGroup } from "./objectives.js";
import type { StartingPoint, TheoryProblem, TheoryProblems } from "./theory-problem.js";

/** Where a statement was checked: with which activation and at which parameters. */
export interface Case {
  readonly activation: Activation;
  /** Whether the activation has the derivatives that the statements assume. */
  readonly smooth: boolean;
  readonly start: StartingPoint["name"];
  /** Rounds of training behind the parameters. */
  readonly rounds: number;
}

/** Both activations at both points, smooth ones first. */
export function casesOf({
  smooth,
  kinked,
}: TheoryProblems): readonly { readonly problem: TheoryProblem; readonly start: StartingPoint }[] {
  return [smooth, kinked].flatMap((problem) => problem.starts.map((start) => ({ problem, start })));
}

export function caseOf({ activation, smooth }: TheoryProblem, { name, rounds }: StartingPoint): Case {
  return { activation, smooth, start: name, rounds };
}

const NAMES: Readonly<Record<Activation, string>> = {
  tanh: "tanh",
  gelu: "GELU",
  relu: "ReLU",
  "leaky-relu": "leaky ReLU",
};

/** "ReLU" */
export const activationName = ({ activation }: Pick<Case, "activation">): string => NAMES[activation];

/** "ReLU, at the start" or "tanh, after 200 rounds" */
export function caseName(one: Case): string {
  return `${activationName(one)}, ${startName(one)}`;
}

export const startName = ({ start, rounds }: Pick<Case, "start" | "rounds">): string =>
  start === "initial" ? "at the start" : `after ${rounds} rounds`;

/** The largest absolute eigenvalue of the Hessian of a group's objective, from below, by so many products. */
export function hessianNorm(
  objective: Objective,
  theta: Float64Array,
  { group, steps }: { readonly group?: SampleGroup; readonly steps: number },
): Promise<number> {
  return spectralNorm((v) => objective.hessianVector(theta, v, group), randomVector(objective.parameters), {
    steps,
  });
}

/** The largest Hessian norm of any client. */
export async function largestHessianNorm(
  objective: Objective,
  theta: Float64Array,
  { groups }: Clients,
  steps: number,
): Promise<number> {
  let largest = 0;
  for (const group of groups)
    largest = Math.max(largest, await hessianNorm(objective, theta, { group, steps }));
  return largest;
}

/** The same where each client has gone by a displacement of its own. */
export async function largestNormAtEnds(
  { train, effort }: TheoryProblem,
  theta: Float64Array,
  { groups }: Clients,
  ends: readonly Float64Array[],
): Promise<number> {
  let largest = 0;
  for (const [k, group] of groups.entries())
    largest = Math.max(
      largest,
      await hessianNorm(train, plus(theta, ends[k]), { group, steps: effort.lanczos }),
    );
  return largest;
}

/** Where Lanczos' method begins; the same every time. */
export function randomVector(length: number): Float64Array {
  const random = stream(0, "lanczos");
  return Float64Array.from({ length }, () => normal(random));
}
