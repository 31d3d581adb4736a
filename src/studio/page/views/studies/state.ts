import { batch, computed, effect, signal, untracked } from "@preact/signals";
import type { SeedRecord } from "../../../../records/seed-record.js";
import { filterOf, passes } from "../../../study/run-filter.js";
import type { FollowedRun, FoundStudy, RunStanding, StudyEvent } from "../../../study/study-events.js";
import { EMPTY, type Loadable, messageOf, presentOf } from "../../loadable.js";
import { addressOfRoute, ask } from "../../server-api.js";
import { change, hasServer, settings } from "../../state.js";
import { alongsOf, checkpointsOf, chosenAlong } from "./results/comparisons.js";
import { checkpointOf } from "./results/level-summaries.js";
import { chosenMeasure, measuresOf } from "./results/measures.js";
import { extended, type LiveRun, liveRecords } from "./runs/live-records.js";
import { listenTo } from "./study-stream.js";

/** The studies below the folder that the server has open. */
export const found = signal<Loadable<readonly FoundStudy[]>>(EMPTY);

/** The seed-level table of the study; empty where it has none yet. */
export const table = signal<Loadable<readonly SeedRecord[]>>(EMPTY);
/** The table that a person has opened in the page, by the name of its file. */
export const ownFile = signal<string | undefined>(undefined);

/** Runs that the study asks for, and where they stand. */
export const titles = signal<readonly string[]>([]);
export const planned = signal<readonly FollowedRun[]>([]);
export const standings = signal<ReadonlyMap<string, RunStanding>>(new Map());
const live = signal<ReadonlyMap<string, LiveRun>>(new Map());

export const work = signal<{ readonly worker: string | null; readonly left: number | null }>({
  worker: null,
  left: null,
});
/** When the report in the folder was written; null where there is none. */
export const reportWritten = signal<number | null>(null);
/** What cannot be read, a line each. */
export const problems = signal<readonly string[]>([]);
/** What is wrong with the table, where another one is shown in its place. */
export const tableProblem = signal<string | undefined>(undefined);
export const connection = signal<"none" | "open" | "lost" | "gone">("none");

/** All seed-level records: those of the table, and those of runs that it does not have. */
export const records = computed<readonly SeedRecord[]>(() => {
  const rows = presentOf(table.value) ?? [];
  const runs = new Map(planned.value.map((run) => [run.id, run]));
  const added = liveRecords(live.value, runs, rows);
  return added.length === 0 ? rows : [...rows, ...added];
});

export const filter = computed(() => filterOf(settings.value.filter));
/** Changes with the filter alone, not with other settings. */
const filterSetting = computed(() => settings.value.filter);
/** Records of the runs that the filter lets through. */
export const selected = computed(() => {
  const wanted = filterOf(filterSetting.value);
  return wanted.size === 0 ? records.value : records.value.filter((record) => passes(wanted, record));
});

export const alongs = computed(() => alongsOf(selected.value));
export const along = computed(() => chosenAlong(alongs.value, settings.value.along));
export const panels = computed(() => along.value?.panels() ?? []);
export const measures = computed(() => measuresOf(records.value));
export const measure = computed(() => chosenMeasure(measures.value, settings.value.metric));
export const checkpoints = computed(() => checkpointsOf(records.value));
/** The round at which results are compared; one that nobody has come to is the last. */
export const checkpoint = computed(() => {
  const asked = checkpointOf(settings.value.checkpoint);
  return typeof asked === "number" && !checkpoints.value.includes(asked) ? "last" : asked;
});

/** Looks for studies below the folder. A study is opened where the address names none. */
export async function findStudies(): Promise<void> {
  if (!hasServer) return;
  if (found.value.kind !== "ready") found.value = { kind: "loading", words: "Looking for studies" };
  try {
    const list = await ask<readonly FoundStudy[]>("studies");
    found.value = { kind: "ready", value: list };
    const [first] = list;
    if (settings.value.study === "" && first && ownFile.value === undefined) change({ study: first.path });
  } catch (error) {
    found.value = { kind: "failed", message: messageOf(error) };
  }
}

/** Opens another study; what was chosen for the one before says nothing of it. */
export function openStudy(path: string): void {
  if (path === settings.value.study && ownFile.value === undefined) return;
  ownFile.value = undefined;
  change({ study: path, filter: "", along: "", checkpoint: "last", run: "" });
}

/** Shows a table that lies on the visitor's own disk; it is sent nowhere. */
export async function openTable(file: File): Promise<void> {
  ownFile.value = file.name;
  forget();
  change({ study: "", filter: "", along: "", checkpoint: "last", run: "" });
  await load([async () => ({ name: file.name, bytes: await file.arrayBuffer() })]);
}

function forget(): void {
  batch(() => {
    table.value = EMPTY;
    tableProblem.value = undefined;
    titles.value = [];
    planned.value = [];
    standings.value = new Map();
    live.value = new Map();
    work.value = { worker: null, left: null };
    reportWritten.value = null;
    problems.value = [];
    connection.value = "none";
  });
}

/** The load that was asked for last; what an earlier one finds is not shown. */
let loading = 0;

/** Shows the first of some tables that is there and can be read. */
async function load(sources: readonly (() => Promise<Table>)[]): Promise<void> {
  const own = ++loading;
  const isAwaited = () => own === loading;
  table.value = { kind: "loading", words: "Reading the table", before: presentOf(table.value) };
  let problem: string | undefined;
  for (const source of sources) {
    try {
      const [{ readRecords }, { name, bytes }] = await Promise.all([import("./read-table.js"), source()]);
      if (bytes.byteLength === 0) continue;
      const rows = await readRecords(new Uint8Array(bytes), name);
      if (!isAwaited()) return;
      batch(() => {
        table.value = { kind: "ready", value: rows };
        tableProblem.value = problem && `${problem}. ${name} is shown instead.`;
      });
      return;
    } catch (error) {
      problem ??= messageOf(error);
    }
  }
  if (isAwaited()) table.value = problem === undefined ? EMPTY : { kind: "failed", message: problem };
}

interface Table {
  readonly name: string;
  readonly bytes: ArrayBuffer;
}

/** A table of a study on the server; no bytes where there is none. */
const onServer = (study: string, format: "parquet" | "csv") => async (): Promise<Table> => {
  const answer = await fetch(addressOfRoute("study/table", { study, format }));
  if (!answer.ok) throw new Error((await answer.json()).error);
  return { name: `records.${format}`, bytes: await answer.arrayBuffer() };
};

/** Starts to follow the study that the settings name; the function that comes back ends it. */
export function followStudies(): () => void {
  const study = computed(() => settings.value.study);
  let close: (() => void) | undefined;
  const end = effect(() => {
    const path = study.value;
    untracked(() => {
      close?.();
      close = undefined;
      if (!hasServer || path === "") return;
      ownFile.value = undefined;
      close = follow(path);
    });
  });
  return () => {
    end();
    close?.();
  };
}

function follow(study: string): () => void {
  forget();
  let version: string | null | undefined; // undefined until it is told which one is loaded first
  const loadTable = () => load([onServer(study, "parquet"), onServer(study, "csv")]);
  const leave = () => {
    version = null; // whatever comes in its place has another one
    loading++;
    forget();
    connection.value = "gone";
  };
  // The table comes first: it has all that is finished, and the stream then says what else there is.
  loadTable();
  return listenTo(study, {
    onOpen: () => {
      batch(() => {
        connection.value = "open";
        standings.value = new Map();
        live.value = new Map();
      });
    },
    onLost: (why) => {
      if (why === "gone") leave();
      connection.value = why;
    },
    onEvents: (events) =>
      batch(() => {
        for (const event of events) {
          if (event.kind === "gone") leave();
          else if (event.kind !== "table") take(event);
          else {
            if (version !== undefined && version !== event.version) loadTable();
            version = event.version;
          }
        }
      }),
  });
}

function take(event: Exclude<StudyEvent, { kind: "table" | "gone" }>): void {
  switch (event.kind) {
    case "runs":
      titles.value = event.titles;
      planned.value = event.runs;
      if (connection.value === "gone") connection.value = "open";
      break;
    case "standings":
      standings.value = new Map([...standings.value, ...event.runs.map((run) => [run.id, run] as const)]);
      break;
    case "measured": {
      const next = new Map(live.value);
      for (const run of event.runs) {
        const now = extended(next.get(run.id), run);
        if (now) next.set(run.id, now);
      }
      live.value = next;
      break;
    }
    case "work":
      work.value = event;
      break;
    case "report":
      reportWritten.value = event.written;
      break;
    case "problems":
      problems.value = event.lines;
      break;
  }
}
