import type {
  KnownRun,
  TrackedEnd,
  TrackedPoint,
  TrackedRun,
  Tracker,
  TrackerChoice,
} from "../../src/tracking/tracker.js";

/** A tracker in memory that can be made to fail. */
export interface MemoryTracker {
  readonly choice: TrackerChoice;
  readonly runs: Map<string, { run: TrackedRun; points: TrackedPoint[]; end?: TrackedEnd }>;
  readonly files: string[];
  /** Calls in order: `open`, `begin a`, `log a`, `end a`. */
  readonly calls: string[];
  /** Called before every call; what it throws is the answer. */
  fault: ((call: string) => void | Promise<void>) | undefined;
  rounds(id: string, metric?: string): number[];
}

export function memoryTracker(words = "memory"): MemoryTracker {
  const runs: MemoryTracker["runs"] = new Map();
  const self: MemoryTracker = {
    runs,
    files: [],
    calls: [],
    fault: undefined,
    rounds: (id, metric = "test_error") =>
      (runs.get(id)?.points ?? []).flatMap(({ round, metrics }) => (metric in metrics ? [round] : [])),
    choice: {
      words,
      look: "look into the memory",
      async open() {
        await called("open");
        return tracker;
      },
    },
  };
  const called = async (call: string) => {
    self.calls.push(call);
    await self.fault?.(call);
  };
  const tracker: Tracker = {
    async begin(run): Promise<KnownRun> {
      await called(`begin ${run.id}`);
      const known = runs.get(run.id) ?? { run, points: [] };
      runs.set(run.id, known);
      const last = (metric: string) => self.rounds(run.id, metric).at(-1) ?? -1;
      return { round: last("test_error"), compared: last("excess_error"), status: known.end?.status };
    },
    async log({ id }, points) {
      await called(`log ${id}`);
      runs.get(id)!.points.push(...points);
      if (points.some(({ metrics }) => "test_error" in metrics)) runs.get(id)!.end = undefined;
    },
    async end({ id }, end) {
      await called(`end ${id}`);
      runs.get(id)!.end = end;
    },
    async attach(_, file) {
      await called(`attach ${file}`);
      self.files.push(file);
    },
    close: async () => {},
  };
  return self;
}
