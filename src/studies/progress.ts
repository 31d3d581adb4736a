import type { PlannedRun } from "./plan.js";

/** How far a study is. */
export interface StudyProgress {
  /** Runs finished and in all. */
  readonly finished: number;
  readonly runs: number;
  /** Share of the work that is done, from 0 to 1. */
  readonly done: number;
  /** Seconds left, once a run has shown how long a round takes. */
  readonly left?: number;
}

/** Before this share of the work is done, rounds are too few to tell: the first one waits for the program. */
const LEAST_DONE = 0.01;

/** Rounds of all runs of a kind, the seconds in which any of them went on, and until when these are counted. */
interface Pace {
  rounds: number;
  seconds: number;
  until: number;
}

/**
 * Reckons the time that a study still takes. Rounds of one task, number of clients and optimiser take the same time, and
 * as many of them go on at once as have so far; kinds of runs that have not been seen yet are taken to be like the mean of
 * those that have.
 */
export class StudyClock {
  readonly #paces = new Map<string, Pace>();
  readonly #reached = new Map<string, number>();
  readonly #begun = new Map<string, { round: number; time: number }>();
  readonly #finished = new Set<string>();

  constructor(
    private readonly runs: readonly PlannedRun[],
    private readonly now: () => number = () => performance.now() / 1000,
  ) {}

  /** A run reached a round. What lies before its first report, such as reading data, is not counted. */
  reach(run: PlannedRun, round: number): void {
    const time = this.now();
    const begun = this.#begun.get(run.id);
    this.#reached.set(run.id, round);
    this.#begun.set(run.id, { round, time });
    if (!begun) return;
    const pace = this.#paces.get(kind(run)) ?? { rounds: 0, seconds: 0, until: -Infinity };
    pace.rounds += round - begun.round;
    pace.seconds += time - Math.max(begun.time, pace.until);
    pace.until = time;
    this.#paces.set(kind(run), pace);
  }

  finish(run: PlannedRun): void {
    this.#finished.add(run.id);
  }

  progress(): StudyProgress {
    const paces = [...this.#paces.values()].filter(({ rounds }) => rounds > 0).map(secondsPerRound);
    const typical = paces.length === 0 ? undefined : paces.reduce((a, b) => a + b, 0) / paces.length;
    let work = 0;
    let left = 0;
    for (const run of this.runs) {
      const pace = this.#paces.get(kind(run));
      const seconds = pace && pace.rounds > 0 ? secondsPerRound(pace) : (typical ?? 1);
      const { rounds } = run.options;
      work += rounds * seconds;
      if (!this.#finished.has(run.id)) left += (rounds - (this.#reached.get(run.id) ?? 0)) * seconds;
    }
    const done = work === 0 ? 1 : 1 - left / work;
    return {
      finished: this.#finished.size,
      runs: this.runs.length,
      done,
      ...(typical !== undefined && done >= LEAST_DONE && { left }),
    };
  }
}

function kind({ options: { task, clients, optimizer } }: PlannedRun): string {
  return `${task} ${clients} ${optimizer.name}`;
}

function secondsPerRound({ rounds, seconds }: Pace): number {
  return seconds / rounds;
}
