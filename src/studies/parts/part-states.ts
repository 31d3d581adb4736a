import type { RunState } from "../status.js";
import { partText } from "./part.js";
import { begunParts, workersOf } from "./workers.js";

/** Where a part stands: `waiting` until a process begins it, then as its process and its runs. */
export type PartState = "finished" | "running" | "stopped" | "waiting" | "failed" | "lost";
export const PART_STATES: readonly PartState[] = [
  ...(["finished", "running", "stopped", "waiting", "failed", "lost"] as const),
];

export interface PartStatus {
  /** `3/8`. */
  readonly part: string;
  readonly state: PartState;
  /** Its runs, and those of them that are finished; unknown until it begins. */
  readonly runs: number | null;
  readonly finished: number | null;
}

/**
 * The parts that the studies of a folder were cut into; where they were cut in several ways, those of the finest cut.
 *
 * @param stateOf where a run stands
 */
export async function partStates(
  folder: string,
  stateOf: (run: string) => RunState | undefined,
): Promise<readonly PartStatus[]> {
  const begun = await begunParts(folder);
  const of = Math.max(0, ...begun.map(({ part }) => part.of));
  const own = new Map(
    begun.flatMap(({ part, runs }) => (part.of === of ? [[part.index, runs] as const] : [])),
  );
  const workers = (await workersOf(folder)).filter(({ part }) => part?.of === of);
  return Array.from({ length: of }, (_, i): PartStatus => {
    const part = partText({ index: i + 1, of });
    const runs = own.get(i + 1);
    if (!runs) return { part, state: "waiting", runs: null, finished: null };
    const states = runs.map(stateOf);
    const finished = states.filter((state) => state === "finished").length;
    const worker = workers.find((one) => one.part?.index === i + 1);
    const state = worker
      ? worker.alive
        ? "running"
        : "lost"
      : finished === runs.length
        ? "finished"
        : states.includes("failed")
          ? "failed"
          : "stopped";
    return { part, state, runs: runs.length, finished };
  });
}
