import { seedSpread } from "../../../../../figures/seed-spread.js";
import type { Level } from "./comparisons.js";
import { type Measure, valueIn } from "./measures.js";

/** A mean over seeds at a checkpoint, with its interval where seeds are enough for one. */
export interface CurvePoint {
  readonly round: number;
  readonly mean: number;
  readonly low: number | null;
  readonly high: number | null;
  readonly seeds: number;
}

/** What a level has of a measure over the rounds. */
export interface LevelCurve {
  readonly points: readonly CurvePoint[];
  /** Single seeds, where these few are shown in place of a band. */
  readonly seeds: readonly { readonly seed: number; readonly round: number; readonly value: number }[];
}

/** More points than these cannot be told apart on a curve. */
const MOST_POINTS = 160;

export function levelCurve({ rows }: Level, measure: Measure): LevelCurve {
  const pick = valueIn(measure);
  const byRound = new Map<number, { readonly seed: number; readonly value: number }[]>();
  for (const row of rows) {
    const value = pick(row);
    if (!Number.isFinite(value)) continue;
    const here = byRound.get(row.round);
    if (here) here.push({ seed: row.seed, value });
    else byRound.set(row.round, [{ seed: row.seed, value }]);
  }
  const rounds = thinned([...byRound.keys()].sort((a, b) => a - b));
  const points = rounds.map((round): CurvePoint => {
    const { count, mean, low, high } = seedSpread(byRound.get(round)!.map(({ value }) => value))!;
    return { round, mean, low, high, seeds: count };
  });
  const isBySeed = points.some(({ low, seeds }) => low === null && seeds > 1);
  return {
    points,
    seeds: isBySeed ? rounds.flatMap((round) => byRound.get(round)!.map((one) => ({ ...one, round }))) : [],
  };
}

/** Rounds evenly taken on the axis of log(1 + r), the first and the last among them. */
function thinned(rounds: readonly number[]): readonly number[] {
  if (rounds.length <= MOST_POINTS) return rounds;
  const [first, last] = [Math.log1p(rounds[0]), Math.log1p(rounds.at(-1)!)];
  const slots = new Map<number, number>();
  for (const round of rounds)
    slots.set(Math.floor(((Math.log1p(round) - first) / (last - first)) * (MOST_POINTS - 1)), round);
  return [...new Set([rounds[0], ...slots.values()])];
}
