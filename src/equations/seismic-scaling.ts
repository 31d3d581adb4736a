import { log } from "../numerics/elementary.js";

/**
 * The constants by which OpenFWI scales FlatVel-A, from its `dataset_config.json`: fixed, not fitted. Data are scaled
 * after the logarithm, by its values at `dataMin` and `dataMax`.
 */
export const FLATVEL_A = {
  dataMin: -26.95,
  dataMax: 52.77,
  /** Metres a second. */
  velocityMin: 1500,
  velocityMax: 4500,
  /** Metres between neighbouring points and receivers. */
  spacing: 10,
  /** Seconds between samples of a trace. */
  timeStep: 0.001,
} as const;

const LOW = logarithmic(FLATVEL_A.dataMin);
const HIGH = logarithmic(FLATVEL_A.dataMax);

/** A recorded pressure on the scale of [-1, 1]; a shot in the fastest rock goes 0.3 % beyond. */
export function scaledPressure(value: number): number {
  return (2 * (logarithmic(value) - LOW)) / (HIGH - LOW) - 1;
}

/** A velocity on the scale of [-1, 1]. */
export function scaledVelocity(value: number): number {
  const { velocityMin, velocityMax } = FLATVEL_A;
  return (2 * (value - velocityMin)) / (velocityMax - velocityMin) - 1;
}

/** sign(x) ln(1 + |x|), which draws late reflections and the direct wave together. */
function logarithmic(value: number): number {
  return value < 0 ? -log(1 - value) : log(1 + value);
}
