import { DataError } from "../errors.js";
import { STRATEGIES } from "./strategies/strategies.js";
import type { Checkpoint } from "./trainer.js";

/** Times the error of the start, or of predicting zero, that no training comes back from. Spikes of 10^4 do. */
const BEYOND_RETURN = 1e6;
/**
 * Times the same that a run may end with. Published runs stay below once at every checkpoint after their start. Adam ends
 * at 3.4 times with a rate of 1, and at 2.2 to 67 times with a rate of 10.
 */
const WORST_END = 2;

/**
 * Refuses a checkpoint of a run that has diverged: numbers that are none, an error that no training comes back from, or
 * one at the end that is far above that of the start, if that was measured, and of predicting zero.
 *
 * @param rounds after so many the run ends
 * @param strategy whose server may have taken the steps that were too large
 */
export function checkConvergence(
  what: string,
  {
    round,
    testError,
    trainLoss,
    localDispersion,
  }: Omit<Checkpoint, "parameters" | "gradientDissimilarity" | "clients">,
  startError: number | undefined,
  { rounds, strategy }: { readonly rounds: number; readonly strategy?: { readonly name: string } },
): void {
  const areNumbers = [testError, trainLoss, localDispersion].every(Number.isFinite);
  if (round === 0) {
    if (areNumbers) return; // an untrained model may be as far off as it likes
    throw new DataError(
      `${what} cannot start: the untrained model's error is not a finite number; scale the data (normalise: standard)`,
    );
  }
  const times = testError / Math.max(1, startError ?? 1);
  if (areNumbers && !(times > (round < rounds ? BEYOND_RETURN : WORST_END))) return;
  const percent = 100 * testError;
  const shown = percent < 1e6 ? percent.toFixed(0) : percent.toExponential(1);
  const error = areNumbers ? ` (its test error is ${shown} %)` : "";
  throw new DataError(
    `${what} diverged before round ${round}${error}: use a smaller learning rate${ofServer(strategy)}`,
  );
}

/** The server's learning rate, where the strategy has one. */
function ofServer(strategy: { readonly name: string } | undefined): string {
  if (!strategy || !Object.hasOwn(STRATEGIES, strategy.name)) return "";
  if (!Object.hasOwn(STRATEGIES[strategy.name].options, "server_rate")) return "";
  const { server_rate } = strategy as { readonly server_rate?: unknown };
  return `, or a smaller server_rate than ${server_rate}`;
}
