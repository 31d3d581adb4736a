import { spectralEnds } from "../../../numerics/lanczos.js";
import { dot, minus, norm, plus } from "../../../numerics/vector.js";
import { normal } from "../../../random/normal.js";
import { stream } from "../../../random/stream.js";
import { type Case, caseOf, casesOf, hessianNorm, randomVector } from "../cases.js";
import { gradientsOf } from "../clients.js";
import {
  type QuadraticWitness,
  witnessDrift,
  witnessFormula,
  witnessMinimum,
  witnessRiskDifference,
} from "../quadratic-witness.js";
import type { OnProgress } from "../setting.js";
import type { StartingPoint, TheoryProblem, TheoryProblems } from "../theory-problem.js";
import { PAPER_ALPHAS } from "./gradient-transfer-evidence.js";
import { centralisedPath, trainingRound } from "./local-paths.js";

/** Federated against centralised test risk after one round. */
export interface RiskPoint {
  readonly alpha: number;
  readonly seed: number;
  /** ||Delta_theta|| */
  readonly drift: number;
  /** Delta_R = R(theta_FA) - R(theta_C) */
  readonly difference: number;
  /** grad R(theta_C) . Delta_theta */
  readonly linear: number;
  /** L_R / 2 ||Delta_theta||^2, with L_R at both ends of the segment, from below. */
  readonly bound: number;
}

export interface RiskCase extends Case {
  /** R(theta_C) */
  readonly risk: number;
  /** ||grad R(theta_C)|| */
  readonly slope: number;
  /** Ends of the spectrum of the risk's Hessian at theta_C, from within: a negative one shows that it is not convex. */
  readonly smallestCurvature: number;
  readonly largestCurvature: number;
  readonly points: readonly RiskPoint[];
}

/** A two-bin witness: the drift of steps that were taken and the formula for it. */
export interface WitnessPoint {
  /** Delta h */
  readonly curvatureDifference: number;
  readonly drift: number;
  readonly formula: number;
  /** Delta_R with the clients' own mean as the risk, and the same from that mean's minimum, where it cannot be negative. */
  readonly riskDifference: number;
  readonly atMinimum: number;
  /** What round-off is measured by: the size of the parameter. */
  readonly size: number;
}

export interface RiskEvidence {
  readonly task: string;
  readonly clients: number;
  readonly rate: number;
  readonly steps: number;
  readonly cases: readonly RiskCase[];
  readonly witnesses: readonly WitnessPoint[];
}

const RATE = 1e-3;
const WITNESSES = 200;

/** Rounds from every point on partitions of every concentration, and quadratic witnesses. */
export async function gatherRiskSign(
  problems: TheoryProblems,
  onProgress?: OnProgress,
): Promise<RiskEvidence> {
  const all = casesOf(problems);
  const cases: RiskCase[] = [];
  for (const { problem, start } of all) {
    cases.push(await riskCase(problem, start));
    onProgress?.(cases.length, all.length);
  }
  const { title, options } = problems.smooth;
  return {
    task: title,
    clients: options.clients,
    rate: RATE,
    steps: options.localSteps,
    cases,
    witnesses: randomWitnesses(options.seed),
  };
}

async function riskCase(problem: TheoryProblem, start: StartingPoint): Promise<RiskCase> {
  const { train, risk, options, effort } = problem;
  const { theta } = start;
  const steps = options.localSteps;
  const path = await centralisedPath(train, theta, { rate: RATE, steps });
  const centralised = plus(theta, path[steps - 1]);
  const slope = await risk.gradient(centralised);
  const atCentralised = await spectralEnds(
    (v) => risk.hessianVector(centralised, v),
    randomVector(theta.length),
    { steps: 2 * effort.lanczos },
  );
  const riskThere = await risk.loss(centralised);
  const points: RiskPoint[] = [];
  for (const alpha of PAPER_ALPHAS)
    for (let seed = options.seed; seed < options.seed + effort.seeds; seed++) {
      const clients = problem.partition(alpha, seed);
      const gradients = await gradientsOf(train, theta, clients.groups);
      const round = await trainingRound(train, theta, clients, {
        rate: RATE,
        steps,
        gradients,
        centralised: path,
      });
      const drift = minus(round.federated[steps - 1], path[steps - 1]);
      const federated = plus(centralised, drift);
      const curvature = Math.max(
        -atCentralised.smallest,
        atCentralised.largest,
        await hessianNorm(risk, federated, { steps: Math.ceil(effort.lanczos / 2) }),
      );
      points.push({
        alpha,
        seed,
        drift: norm(drift),
        difference: (await risk.loss(federated)) - riskThere,
        linear: dot(slope, drift),
        bound: (curvature / 2) * dot(drift, drift),
      });
    }
  return {
    ...caseOf(problem, start),
    risk: riskThere,
    slope: norm(slope),
    smallestCurvature: atCentralised.smallest,
    largestCurvature: atCentralised.largest,
    points,
  };
}

/** Witnesses with random bins and clients; in every fourth the bins have the same curvature. */
function randomWitnesses(seed: number): WitnessPoint[] {
  const random = stream(seed, "theory witnesses");
  const positive = () => 0.2 + 3 * random.uniform();
  return Array.from({ length: WITNESSES }, (_, i) => {
    const h = positive();
    const raw = Array.from({ length: 2 + random.below(9) }, positive);
    const total = raw.reduce((a, b) => a + b, 0);
    const witness: QuadraticWitness = {
      curvatures: [h, i % 4 === 0 ? h : positive()],
      minima: [normal(random), normal(random)],
      weights: raw.map((weight) => weight / total),
      shares: raw.map(() => random.uniform()),
      theta: normal(random),
      rate: 0.1,
    };
    return {
      curvatureDifference: witness.curvatures[0] - witness.curvatures[1],
      drift: witnessDrift(witness),
      formula: witnessFormula(witness),
      riskDifference: witnessRiskDifference(witness),
      atMinimum: witnessRiskDifference({ ...witness, theta: witnessMinimum(witness) }),
      size: Math.max(1, Math.abs(witness.theta)),
    };
  });
}
