import { squaredDistance } from "../../diagnostics/divergences.js";
import { exp, log } from "../../numerics/elementary.js";
import { logNormalise } from "../../random/dirichlet.js";

/** One vector per client, with one number per bin. */
export type Profiles = readonly ArrayLike<number>[];

/** Equal weights of so many clients. */
export function equalWeights(clients: number): number[] {
  return new Array<number>(clients).fill(1 / clients);
}

/** The weighted root mean square distance between two lists of profiles: eps_part of prop:app-finite. */
export function profileError(a: Profiles, b: Profiles, weights: ArrayLike<number>): number {
  return Math.sqrt(a.reduce((sum, profile, k) => sum + weights[k] * squaredDistance(profile, b[k]), 0));
}

/** The client profiles of one draw of shares, before counts are drawn (eq:app-profiles). */
export interface DrawnProfiles {
  /** u_kb = K pi_b R_kb. */
  readonly raw: readonly Float64Array[];
  /** s_k, the sum of u_k: the client's mass divided by its expectation. */
  readonly mass: Float64Array;
  /** q_k = u_k / s_k. */
  readonly normalised: readonly Float64Array[];
}

/**
 * Computes the profiles of `logShares[bin][client]`. It uses logarithms because at alpha = 0.001 whole clients are
 * below 1e-308.
 */
export function drawnProfiles(
  logShares: readonly ArrayLike<number>[],
  masses: readonly number[],
): DrawnProfiles {
  const clients = logShares[0].length;
  const logMasses = masses.map((mass) => log(clients * mass));
  const raw: Float64Array[] = [];
  const normalised: Float64Array[] = [];
  for (let k = 0; k < clients; k++) {
    const logs = Float64Array.from(logMasses, (logMass, b) => logMass + logShares[b][k]);
    raw.push(logs.map(exp));
    normalised.push(logNormalise(logs).map(exp));
  }
  return { raw, mass: Float64Array.from(raw, (profile) => profile.reduce((a, b) => a + b, 0)), normalised };
}

/**
 * The deviation of client masses from their expectation 1: the largest (delta of lem:app-normalization) and the root
 * mean square.
 */
export function massDeviation(mass: ArrayLike<number>): { readonly largest: number; readonly rms: number } {
  let largest = 0;
  let square = 0;
  for (let k = 0; k < mass.length; k++) {
    largest = Math.max(largest, Math.abs(mass[k] - 1));
    square += (mass[k] - 1) * (mass[k] - 1);
  }
  return { largest, rms: Math.sqrt(square / mass.length) };
}

/** Computes each client's histogram from its counts, and its share p_k of all samples. */
export function histogramsOf(counts: readonly (readonly number[])[]): {
  readonly histograms: readonly Float64Array[];
  readonly weights: Float64Array;
} {
  const sizes = counts.map((row) => row.reduce((a, b) => a + b, 0));
  const total = sizes.reduce((a, b) => a + b, 0);
  return {
    histograms: counts.map((row, k) => Float64Array.from(row, (count) => (sizes[k] ? count / sizes[k] : 0))),
    weights: Float64Array.from(sizes, (size) => size / total),
  };
}
