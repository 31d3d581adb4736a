import type { Case } from "../../../src/paper/theory/cases.js";
import type { AlignmentEvidence } from "../../../src/paper/theory/evidence/alignment-evidence.js";
import type { TransferEvidence } from "../../../src/paper/theory/evidence/gradient-transfer-evidence.js";
import type { DispersionEvidence } from "../../../src/paper/theory/evidence/local-dispersion-evidence.js";
import type { RiskEvidence } from "../../../src/paper/theory/evidence/risk-sign-evidence.js";
import type { DriftEvidence } from "../../../src/paper/theory/evidence/trajectory-drift-evidence.js";

/** Evidence as training would give it, from formulas: figures of it are the same on every machine. */

const CASES: readonly Case[] = [
  { activation: "tanh", smooth: true, start: "initial", rounds: 0 },
  { activation: "tanh", smooth: true, start: "trained", rounds: 200 },
  { activation: "relu", smooth: false, start: "initial", rounds: 0 },
  { activation: "relu", smooth: false, start: "trained", rounds: 200 },
];
const ALPHAS = [100, 10, 1, 0.1, 0.01];
const SEEDS = [1, 2];
const RATES = [1e-1, 1e-2, 1e-3, 1e-4, 1e-5];
const TASK = "Antiderivative";

/** Partitions of every concentration, with an H_q that grows as alpha falls. */
const partitions = ALPHAS.flatMap((alpha, i) =>
  SEEDS.map((seed) => ({ alpha, seed, hQ: 0.008 * 3 ** i * (1 + 0.2 * seed) })),
);
const order = (slope: number) => ({ slope, localSlopes: [slope, slope], rates: RATES.slice(2) });

export const transfer: TransferEvidence = {
  task: TASK,
  bins: 10,
  clients: 10,
  cMin: 0.4,
  cMax: 3.3,
  cases: CASES.map((one, i) => ({
    ...one,
    smallest: i === 3 ? 0 : 0.3,
    largest: 8,
    wholeBinDeviation: 1e-15,
    points: partitions.map(({ alpha, seed, hQ }) => ({
      alpha,
      seed,
      hQ,
      hW: 1.4 * hQ,
      hMixture: (3 + seed) * hQ,
      hRealised: (3 + seed) * hQ + 0.05 * (i + 1),
      hTarget: 3 * hQ,
      epsilon: 0.1,
      noise: 0.05 * (i + 1),
      expectedNoise: 0.05 * (i + 1),
    })),
  })),
};

export const dispersion: DispersionEvidence = {
  task: TASK,
  alpha: 0.1,
  clients: 10,
  noisySteps: 5,
  draws: { leading: 32, paper: 8 },
  cases: CASES.map((one, i) => ({
    ...one,
    hG: 2,
    smoothness: 60,
    gradientBound: 5,
    points: RATES.slice(1).flatMap((rate) =>
      [2, 5, 10].map((steps) => {
        const bound = rate * rate * 150 * steps * (steps - 1);
        const leading = rate * steps * Math.sqrt(2);
        return { rate, steps, leading, dispersion: leading - 0.2 * bound, bound, floor: 1e-16 * rate };
      }),
    ),
    orders: [2, 5, 10].map((steps) => ({ steps, root: order(2), square: order(3) })),
    noisy: [1e-2, 1e-5].flatMap((rate) =>
      [1, 4, 16, 64].map((batch) => {
        const leading = rate * 5 * Math.sqrt(2);
        const expected = leading ** 2 * (1 + (3 * (i + 1)) / batch);
        return {
          rate,
          batch,
          draws: 32,
          mean: expected * 1.05,
          standardError: expected * 0.04,
          expected,
          leading,
          bound: 5 * leading,
          startBound: leading,
        };
      }),
    ),
  })),
};

export const drift: DriftEvidence = {
  task: TASK,
  alpha: 0.1,
  clients: 10,
  paperRate: 0.01,
  paperSteps: 5,
  cases: CASES.map((one) => ({
    ...one,
    smoothness: 60,
    gradientSize: 4,
    points: RATES.flatMap((rate) =>
      [1, 2, 5, 10].map((steps) => {
        const leading = rate * rate * 3 * steps * (steps - 1);
        const remainder = 1e-17 * rate + (one.smooth ? 40 * rate ** 3 : 0.3 * rate ** 2) * (steps - 1);
        return { rate, steps, leading, remainder, drift: leading + remainder, floor: 1e-15 * rate };
      }),
    ),
    orders: [2, 5, 10].map((steps) => ({ steps, ...order(one.smooth ? 3 : 2) })),
  })),
};

export const alignment: AlignmentEvidence = {
  task: TASK,
  clients: 10,
  bins: 10,
  draws: 400,
  cases: CASES.map((one, i) => ({
    ...one,
    points: partitions.map(({ alpha, seed, hQ }) => ({
      alpha,
      seed,
      hQ,
      mixture: (20 * (i + 1) + 10 * seed) * hQ,
      realised: (20 * (i + 1) + 12 * seed) * hQ + 0.3,
    })),
    upper: [{ alpha: 100, hQ: 0.01, realised: 0.4, bound: 0.8 }],
    scaling: [1000, 10, 0.1].map((alpha) => ({
      alpha,
      spread: 10 * alpha + 1,
      square: (300 * (i + 1)) / (10 * alpha + 1) ** 2,
    })),
    constructed: { worstContrast: 0.4, randomBins: 2 + i, twinBins: 0 },
  })),
};

export const risk: RiskEvidence = {
  task: TASK,
  clients: 10,
  rate: 0.001,
  steps: 5,
  cases: CASES.map((one, i) => ({
    ...one,
    risk: 0.2,
    slope: 2,
    smallestCurvature: -4,
    largestCurvature: 35,
    points: partitions.map(({ alpha, seed, hQ }) => {
      const sign = i === 1 && alpha === 100 ? -1 : 1;
      const bound = 1e-6 * hQ ** 2 * seed;
      return {
        alpha,
        seed,
        drift: 1e-3 * hQ,
        difference: sign * 1e-3 * hQ,
        linear: sign * 1e-3 * hQ - 0.6 * bound,
        bound,
      };
    }),
  })),
  witnesses: Array.from({ length: 12 }, (_, i) => {
    const formula = i % 4 === 0 ? 0 : (i - 6) * 2e-3;
    return {
      curvatureDifference: i % 4,
      drift: formula,
      formula,
      riskDifference: formula / 10,
      atMinimum: formula ** 2,
      size: 1,
    };
  }),
};
