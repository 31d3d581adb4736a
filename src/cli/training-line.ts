import { stepsOfRound } from "../federation/participation/steps-of-round.js";
import type { RunOptions } from "../federation/run-options.js";
import type { Checkpoint } from "../federation/trainer.js";
import { percent } from "./percent.js";
import { duration } from "./progress.js";

/** Shows a run as it goes: one line that is rewritten on a terminal, a plain line at every checkpoint elsewhere. */
export interface TrainingLine {
  /** Reports that this many rounds are done. */
  round(round: number): void;
  checkpoint(checkpoint: Checkpoint): void;
  finish(): void;
  /** Since the start. */
  seconds(): number;
}

const TERMINAL_INTERVAL_MS = 80;

export function startTrainingLine(
  options: RunOptions,
  { quiet = false, stream = process.stderr }: { quiet?: boolean; stream?: NodeJS.WriteStream } = {},
): TrainingLine {
  const { rounds } = options;
  const steps = stepsOfRound(options);
  const terminal = stream.isTTY === true;
  const started = Date.now();
  /** When the rounds began: speed is told without the time that compiling took. */
  let begun = started;
  let shown = 0;
  let error = Number.NaN;
  const seconds = () => (Date.now() - started) / 1000;
  const describe = (round: number) => {
    const elapsed = Math.max(Date.now() - begun, 1) / 1000;
    const speed =
      round === 0
        ? ""
        : `, ${Math.round((round * steps) / elapsed)} steps/s, ` +
          `${duration((elapsed / round) * (rounds - round))} left`;
    return `Round ${round} of ${rounds}: test error ${percent(error, 2)}${speed}`;
  };
  return {
    seconds,
    round(round) {
      if (quiet || !terminal || Date.now() - shown < TERMINAL_INTERVAL_MS) return;
      shown = Date.now();
      stream.write(`\r\x1b[K${describe(round)}`);
    },
    checkpoint({ round, testError }) {
      error = testError;
      if (round === 0) begun = Date.now();
      if (!quiet && !terminal) stream.write(`${describe(round)}\n`);
    },
    finish() {
      if (!quiet && terminal) stream.write(`\r\x1b[K${describe(rounds)}\n`);
    },
  };
}
