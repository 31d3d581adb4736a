import type { Stream } from "./stream.js";

/** Shuffles in place, every order equally likely (Fisher and Yates, in Durstenfeld's form). */
export function shuffle<T extends { length: number; [index: number]: number }>(random: Stream, values: T): T {
  for (let i = values.length - 1; i > 0; i--) {
    const j = random.below(i + 1);
    const kept = values[i];
    values[i] = values[j];
    values[j] = kept;
  }
  return values;
}

/**
 * Different numbers below a bound, every set of so many equally likely: the end of a shuffle, which the first exchanges
 * settle. Takes time by the count, and not by the bound.
 */
export function sample(random: Stream, bound: number, count: number): number[] {
  const moved = new Map<number, number>(); // numbers that are no longer at their own place
  return Array.from({ length: count }, (_, done) => {
    const last = bound - 1 - done;
    const place = random.below(last + 1);
    const chosen = moved.get(place) ?? place;
    moved.set(place, moved.get(last) ?? last);
    return chosen;
  });
}
