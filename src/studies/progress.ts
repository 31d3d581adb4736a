import { taskOf } from "../datasets/tasks.js";
import { chosenModel } from "../federation/chosen-model.js";
import { stepsOfRound } from "../federation/participation/steps-of-round.js";
import type { RunOptions } from "../federation/run-options.js";
import { elements } from "../numerics/shape.js";
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

/** Rounds of all runs of a kind like this one, the seconds in which any of them went on, and until when these count. */
interface Pace {
  readonly options: RunOptions;
  rounds: number;
  seconds: number;
  until: number;
}

/**
 * Reckons the time that a study still takes. Rounds of one task with the same options take the same time, and as many of
 * them go on at once as have so far. A kind of runs that has not been seen yet is taken to need as long for a
 * number that it predicts as those of the same model did, or for a round as all others did, in the mean.
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
    const pace = this.#paces.get(kindOf(run)) ?? {
      options: run.options,
      rounds: 0,
      seconds: 0,
      until: -Infinity,
    };
    pace.rounds += round - begun.round;
    pace.seconds += time - Math.max(begun.time, pace.until);
    pace.until = time;
    this.#paces.set(kindOf(run), pace);
  }

  finish(run: PlannedRun): void {
    this.#finished.add(run.id);
  }

  progress(): StudyProgress {
    const seen = [...this.#paces.values()].filter(({ rounds }) => rounds > 0);
    const expected = new Map<string, number>();
    let work = 0;
    let left = 0;
    for (const run of this.runs) {
      const { rounds } = run.options;
      const seconds =
        expected.get(kindOf(run)) ?? expectedSeconds(run.options, this.#paces.get(kindOf(run)), seen);
      expected.set(kindOf(run), seconds);
      work += rounds * seconds;
      if (!this.#finished.has(run.id)) left += (rounds - (this.#reached.get(run.id) ?? 0)) * seconds;
    }
    const done = work === 0 ? 1 : 1 - left / work;
    return {
      finished: this.#finished.size,
      runs: this.runs.length,
      done,
      ...(seen.length > 0 && done >= LEAST_DONE && { left }),
    };
  }
}

/** Seconds of a round: as its own kind took them or, while that is unknown, as others did; 1 if none was seen. */
function expectedSeconds(options: RunOptions, own: Pace | undefined, seen: readonly Pace[]): number {
  if (own && own.rounds > 0) return secondsPerRound(own);
  if (seen.length === 0) return 1;
  const alike = seen.filter((pace) => chosenModel(pace.options).name === chosenModel(options).name);
  if (alike.length === 0) return mean(seen.map(secondsPerRound));
  return (
    predictedNumbers(options) *
    mean(alike.map((pace) => secondsPerRound(pace) / predictedNumbers(pace.options)))
  );
}

/** What the time of a round depends on. */
export function kindOf({ options }: PlannedRun): string {
  const { task, parameters, data, clients, optimizer, strategy, batch, model } = options;
  const steps = stepsOfRound(options);
  return JSON.stringify([
    ...[task, parameters, data?.sha256, clients, steps, batch, model],
    ...[optimizer.name, strategy?.name, options.local],
  ]);
}

function secondsPerRound({ rounds, seconds }: Pace): number {
  return seconds / rounds;
}

/** Numbers that the clients' models predict in a round; a file of a task is taken to have that task's usual shape. */
export function predictedNumbers(options: RunOptions): number {
  const { task, parameters, data, batch } = options;
  return responseSize(task, parameters, data) * stepsOfRound(options) * batch;
}

function responseSize(task: string, parameters: RunOptions["parameters"], data: RunOptions["data"]): number {
  if (data?.responses) return elements(data.responses.axes.map(({ length }) => length));
  const { geometry, parameters: usual } = taskOf(task);
  return elements(geometry(data ? usual : parameters).responseShape);
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
