import { readFile } from "node:fs/promises";
import { setTimeout as pause } from "node:timers/promises";

const TRIES = 5;

/**
 * Does something again where a network file system says ESTALE: the name led to a file that another machine has replaced,
 * and asking again finds the new one.
 */
export async function beyondStale<T>(action: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await action();
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ESTALE" || tries === TRIES) throw error;
      await pause(20 * tries);
    }
  }
}

/** The text of a file that other machines may replace meanwhile. */
export function readReplaceable(path: string): Promise<string> {
  return beyondStale(() => readFile(path, "utf8"));
}
