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
