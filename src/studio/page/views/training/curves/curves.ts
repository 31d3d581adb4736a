import type { Lap, RunPoint } from "../../../../training/trainer.js";

/** Quantities that are drawn against the round. */
export const CURVES = [
  "testError",
  "dTheta",
  "dLoc",
  "trainLoss",
] as const satisfies readonly (keyof RunPoint)[];
export type CurveName = (typeof CURVES)[number];

/** Measured rounds of all runs: arrays that grow, since copies of thousands of rounds would take time. */
export interface Curves {
  readonly rounds: number[];
  /** Of each run; null where a quantity was not measured. */
  readonly values: Readonly<Record<CurveName, (number | null)[][]>>;
}

export function emptyCurves(runs: number): Curves {
  const lists = () => Array.from({ length: runs }, (): (number | null)[] => []);
  return {
    rounds: [],
    values: { testError: lists(), dTheta: lists(), dLoc: lists(), trainLoss: lists() },
  };
}

/** Adds a measured round, or completes the last one. */
export function addLap({ rounds, values }: Curves, lap: Lap): void {
  const isKnown = rounds.at(-1) === lap.round;
  if (!isKnown) rounds.push(lap.round);
  for (const name of CURVES)
    for (const [i, list] of values[name].entries()) {
      const value = lap.runs[i]?.[name];
      // All quantities are positive; a drift of zero, at the start, has no place on a logarithmic axis.
      const measured = value !== undefined && Number.isFinite(value) && value > 0 ? value : null;
      if (!isKnown) list.push(measured);
      else if (measured !== null) list[list.length - 1] = measured;
    }
}
