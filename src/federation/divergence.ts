import { DataError } from "../errors.js";
import type { Checkpoint } from "./trainer.js";

/** Times the error of the start, or of predicting nothing at all, that no training comes back from. */
const BEYOND_RETURN = 1e6;

/**
 * Refuses a checkpoint of a run that has diverged: numbers that are none, or an error that is absurd beside that of the
 * start, if that was measured.
 */
export function checkConvergence(
  what: string,
  { round, testError, trainLoss, localDispersion }: Omit<Checkpoint, "parameters" | "gradientDissimilarity">,
  startError: number | undefined,
): void {
  const areNumbers = [testError, trainLoss, localDispersion].every(Number.isFinite);
  if (areNumbers && !(testError > BEYOND_RETURN * Math.max(1, startError ?? 1))) return;
  const error = areNumbers ? ` (its test error is ${(100 * testError).toExponential(1)} %)` : "";
  throw new DataError(`${what} diverged before round ${round}${error}: take a smaller rate`);
}
