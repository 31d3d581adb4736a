import { OptionError } from "../errors.js";
import type { RunOptions } from "./run-options.js";

export const SCHEDULE_WORDS =
  "constant, exponential:0.99, step:0.5:100, cosine, cosine:0.1 or cosine:0.1:1000";

/** What a learning rate is multiplied by in round 0, 1, ... */
export type Schedule = (round: number) => number;

type Make = (numbers: readonly number[], rounds: number) => Schedule | undefined;

const isFactor = (x: number) => x > 0 && x <= 1;

/** Schedules by name: `name:number:number`. Undefined for numbers that make no sense. */
const SCHEDULES: Readonly<Record<string, Make>> = {
  constant: (numbers) => (numbers.length === 0 ? () => 1 : undefined),
  /** factor^round. */
  exponential: (numbers) => {
    const [factor] = numbers;
    return numbers.length === 1 && isFactor(factor) ? (round) => factor ** round : undefined;
  },
  /** Times the factor after every so many rounds. */
  step: (numbers) => {
    const [factor, every] = numbers;
    return numbers.length === 2 && isFactor(factor) && Number.isInteger(every) && every >= 1
      ? (round) => factor ** Math.floor(round / every)
      : undefined;
  },
  /** Half a cosine from 1 down to a share, 0 unless given, which it would reach after the last round. */
  cosine: (numbers, rounds) => {
    const [end = 0, length = Math.max(1, rounds)] = numbers;
    if (numbers.length > 2 || !(end >= 0 && end <= 1) || !Number.isInteger(length) || length < 1)
      return undefined;
    if (length < rounds)
      throw new OptionError(`the schedule cosine ends after ${length} rounds, but the run has ${rounds}`);
    return (round) => end + ((1 - end) * (1 + Math.cos((Math.PI * round) / length))) / 2;
  },
};

/** The schedule that a text such as `step:0.5:100` describes; undefined for a constant rate. */
export function scheduleOf(
  text: string | undefined,
  { rounds }: Pick<RunOptions, "rounds">,
): Schedule | undefined {
  if (text === undefined || text === "constant") return undefined;
  const [name, ...numbers] = text.split(":");
  const make = Object.hasOwn(SCHEDULES, name) ? SCHEDULES[name] : undefined;
  const schedule = make?.(
    numbers.map((number) => (number.trim() === "" ? NaN : Number(number))),
    rounds,
  );
  if (!schedule) throw new OptionError(`a schedule is ${SCHEDULE_WORDS}, not "${text}"`);
  return schedule;
}

/** A rate below this share of what it was moves no weight in float32. */
const LEAST = 1e-12;

type Scheduled = Pick<RunOptions, "rounds" | "clientSchedule" | "serverSchedule">;

/** Refuses schedules that make no sense, or that end before the run. */
export function checkSchedules(options: Scheduled): void {
  for (const text of [options.clientSchedule, options.serverSchedule]) {
    const schedule = scheduleOf(text, options);
    if (!schedule || schedule(Math.max(0, options.rounds - 1)) >= LEAST) continue;
    const last = Array.from({ length: options.rounds }, (_, round) => round).find(
      (round) => schedule(round) < LEAST,
    );
    throw new OptionError(
      `the schedule ${text} ends after ${last} rounds, where the rate is below ${LEAST} of what it was, but the run has ` +
        `${options.rounds}`,
    );
  }
}
