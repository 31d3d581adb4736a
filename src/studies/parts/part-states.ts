import type { RunState } from "../status.js";
import { partText } from "./part.js";
import { arraysOf, readSubmissions, submittedParts } from "./submissions.js";
import { begunParts, workersOf } from "./workers.js";

/**
 * Where a part stands: `waiting` until a process begins it, then as its process and its runs. Of a part that was submitted
 * to a cluster, `queued` until its job begins, `held` where somebody must release its job, and `lost` where its job is over and
 * its runs are not finished.
 */
export type PartState =
  | "finished"
  | "running"
  | "stopped"
  | "waiting"
  | "queued"
  | "held"
  | "failed"
  | "lost";
const PART_STATES: readonly PartState[] = [
  ...(["finished", "running", "queued", "held", "stopped", "waiting", "failed", "lost"] as const),
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
  onProblem: (message: string) => void,
): Promise<readonly PartStatus[]> {
  const begun = await begunParts(folder);
  const submissions = await readSubmissions(folder);
  const of = submissions.at(-1)?.parts ?? Math.max(0, ...begun.map(({ part }) => part.of));
  const own = new Map(
    begun.flatMap(({ part, runs }) => (part.of === of ? [[part.index, runs] as const] : [])),
  );
  const workers = (await workersOf(folder)).filter(({ part }) => part?.of === of);
  const alike = submissions.filter(({ parts }) => parts === of);
  const submitted = new Set(arraysOf(alike).flatMap(({ parts }) => parts));
  const standings = await submittedParts(alike).catch((error) => {
    onProblem(`the queue cannot be asked: ${error.message}`);
    return undefined;
  });
  return Array.from({ length: of }, (_, i): PartStatus => {
    const index = i + 1;
    const runs = own.get(index);
    const states = runs?.map(stateOf) ?? [];
    const finished = states.filter((state) => state === "finished").length;
    const known = {
      part: partText({ index, of }),
      runs: runs?.length ?? null,
      finished: runs ? finished : null,
    };
    const worker = workers.find(({ part }) => part?.index === index);
    const queued = standings?.get(index);
    const isGone = standings !== undefined && submitted.has(index) && queued === undefined;
    if (worker?.alive) return { ...known, state: "running" };
    if (runs && finished === runs.length) return { ...known, state: "finished" };
    if (queued) return { ...known, state: queued };
    if (states.includes("failed")) return { ...known, state: "failed" };
    if (worker || isGone) return { ...known, state: "lost" };
    return { ...known, state: runs ? "stopped" : "waiting" };
  });
}

/** Those that need somebody. */
const NAMED: readonly PartState[] = ["held", "lost", "stopped", "failed"];
const MOST_NAMED = 8;

/** `8 parts: 5 finished, 2 running, 1 lost (3/8)`. */
export function partsWords(parts: readonly PartStatus[]): string {
  const counts = PART_STATES.flatMap((state) => {
    const own = parts.filter((part) => part.state === state).map(({ part }) => part);
    if (own.length === 0) return [];
    const others = own.length > MOST_NAMED ? " and others" : "";
    const which = NAMED.includes(state) ? ` (${own.slice(0, MOST_NAMED).join(", ")}${others})` : "";
    return [`${own.length} ${state}${which}`];
  });
  return `${parts.length} part${parts.length === 1 ? "" : "s"}: ${counts.join(", ")}`;
}
