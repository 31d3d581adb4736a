import {
  expectedHeterogeneity,
  expectedRealisedHeterogeneity,
  heterogeneityVariance,
} from "../../../../../diagnostics/concentration-law.js";
import type { DialView, SplitView } from "../../../../lab/lab.js";
import { alphaAt } from "../controls/dial-places.js";

/** A place along the dial, from 0 to 1, and what is drawn over it. */
export interface DialPoint {
  readonly alpha: number;
  readonly value: number;
}

/** H_u along the dial: the exact law, how far single draws lie from it, and the draw of this seed. */
export interface LawCurves {
  readonly law: readonly DialPoint[];
  /** One standard deviation of a draw about the law; empty for shares that counts realise. */
  readonly band: readonly { readonly alpha: number; readonly low: number; readonly high: number }[];
  readonly draw: readonly DialPoint[];
  /** The present split: at its own alpha, or at the one that its counts imply. */
  readonly present?: DialPoint;
  /** The value of one owner for each bin. No draw exceeds it. */
  readonly most: number;
  /** Whether H_u is that of drawn shares, not of counts. */
  readonly isDrawn: boolean;
}

/** Places at which the law is drawn. */
const PLACES = 121;
const alphas = Array.from({ length: PLACES }, (_, i) => alphaAt(i / (PLACES - 1)));

/** H_u along the dial for bins of these sizes. */
export function lawCurves(split: SplitView, sizes: readonly number[], dial: DialView | undefined): LawCurves {
  const { clients, metrics, alpha } = split;
  const total = sizes.reduce((a, b) => a + b, 0);
  const masses = sizes.map((size) => size / total);
  const isDrawn = metrics.h_u !== null;
  const expected = (at: number) =>
    isDrawn ? expectedHeterogeneity(clients, at, masses) : expectedRealisedHeterogeneity(clients, at, sizes);
  const most = (clients - 1) * masses.reduce((sum, mass) => sum + mass * mass, 0);
  const law = alphas.map((at) => ({ alpha: at, value: expected(at) }));
  const present = isDrawn
    ? { alpha: alpha!, value: metrics.h_u! }
    : metrics.alpha_implied === null
      ? undefined
      : { alpha: metrics.alpha_implied, value: metrics.h_u_realised };
  return {
    law,
    band: isDrawn
      ? law.map(({ alpha: at, value }) => {
          const spread = Math.sqrt(heterogeneityVariance(clients, at, masses));
          return { alpha: at, low: Math.max(0, value - spread), high: Math.min(most, value + spread) };
        })
      : [],
    draw: dial?.heterogeneities ? pointsOf(dial.alphas, dial.heterogeneities) : [],
    ...(present && { present }),
    most,
    isDrawn,
  };
}

/** D_sol along the dial. */
export const distanceCurve = (dial: DialView | undefined): readonly DialPoint[] =>
  dial ? pointsOf(dial.alphas, dial.distances) : [];

const pointsOf = (at: readonly number[], values: readonly number[]): DialPoint[] =>
  at.map((alpha, i) => ({ alpha, value: values[i] }));
