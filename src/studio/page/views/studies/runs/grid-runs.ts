import { splitOf } from "../../../../../analysis/splits.js";
import type { SeedRecord } from "../../../../../records/seed-record.js";
import type { FollowedRun, RunStanding, RunState } from "../../../../study/study-events.js";

/** A run as its square shows it. */
export interface GridRun {
  readonly id: string;
  /** What it is, in words. */
  readonly label: string;
  readonly state: RunState;
  /** How far it is, in words. */
  readonly words: string;
  /** Share of its rounds that was measured, from 0 to 1. */
  readonly share: number;
}

/** How states are called, in the order in which they are counted. */
export const STATE_WORDS: Readonly<Record<RunState, string>> = {
  finished: "finished",
  running: "running",
  stopped: "begun",
  waiting: "waiting",
  failed: "failed",
};

/** Runs that are asked for, in the order of their plan, then those of the table that nobody asks for any more. */
export function gridRuns(
  planned: readonly FollowedRun[],
  standings: ReadonlyMap<string, RunStanding>,
  table: readonly SeedRecord[],
): GridRun[] {
  const last = new Map<string, SeedRecord>();
  for (const record of table) last.set(record.run_id, record);
  const asked = planned.map((run) => {
    const { id, rounds } = run;
    // What the table has is finished, whatever is not yet said of it.
    const known = last.delete(id) ? ({ id, state: "finished", round: rounds } as const) : undefined;
    return askedRun(run, standings.get(id) ?? known ?? { id, state: "waiting", round: 0 });
  });
  return [...asked, ...[...last.values()].map(tabledRun)];
}

function askedRun(run: FollowedRun, { state, round, failure }: RunStanding): GridRun {
  const { id, task, split, training, seed, rounds } = run;
  return {
    id,
    label: [task, split.replace(/\balpha (?=\d)/, "α = "), training, `seed ${seed}`]
      .filter(Boolean)
      .join(", "),
    state,
    words: failure ?? stateWords(state, round, rounds),
    share: rounds === 0 ? 1 : Math.min(1, round / rounds),
  };
}

/** A run that nobody asks for here: its folder lies elsewhere. */
function tabledRun(record: SeedRecord): GridRun {
  const { run_id: id, task, settings, seed, round } = record;
  const parts = [task, splitOf(record).replace(/^dirichlet, /, ""), settings.strategy, `seed ${seed}`];
  return {
    id,
    label: parts.filter((part) => part !== undefined).join(", "),
    state: "finished",
    words: `finished, ${round} rounds`,
    share: 1,
  };
}

function stateWords(state: RunState, round: number, rounds: number): string {
  switch (state) {
    case "finished":
      return `finished, ${rounds} rounds`;
    case "waiting":
      return `waiting, ${rounds} rounds to do`;
    case "running":
      return `running, last measured at round ${round} of ${rounds}`;
    default:
      return `begun, round ${round} of ${rounds}; nobody is at work on it`;
  }
}

/** Runs of each state. */
export function countStates(runs: readonly GridRun[]): ReadonlyMap<RunState, number> {
  const counts = new Map<RunState, number>();
  for (const { state } of runs) counts.set(state, (counts.get(state) ?? 0) + 1);
  return counts;
}

/** Seconds as somebody who waits wants to know them: "less than a minute", "about 12 min", "about 3.5 h". */
export function timeWords(seconds: number): string {
  if (seconds < 60) return "less than a minute";
  if (seconds < 100 * 60) return `about ${Math.round(seconds / 60)} min`;
  return `about ${(seconds / 3600).toFixed(1)} h`;
}
