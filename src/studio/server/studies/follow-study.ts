import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { livingWorkers, workerWords } from "../../../studies/parts/workers.js";
import { RECORDS_CSV, RECORDS_PARQUET, readTable } from "../../../studies/record-files.js";
import type { RunStanding, SentMeasurements, StudyEvent } from "../../study/study-events.js";
import { type Followed, followedRuns } from "./followed-runs.js";
import { type Watch, watchStudy } from "./time-left.js";
import { finishedRun, lookAt, stampOf, type WatchedRun, waitingRun } from "./watched-run.js";

/** Milliseconds between two looks at a folder that is worked on, and at one that rests; more where a look takes long. */
const [WORKING, RESTING, LONGEST] = [400, 1500, 15_000];
/** A look takes at most this share of the time. */
const SHARE = 0.2;
/** Runs that are sent at once, so that the page shows the first ones soon. */
const BATCH = 40;

/**
 * Looks at the folder of a study until the page leaves, and sends what changed since the last look. Nothing is written.
 * Files may appear, grow, be cut or vanish meanwhile, and so may the folder.
 *
 * @param locate the folder; rejects while there is none
 */
export async function followStudy(
  locate: () => Promise<string>,
  send: (event: StudyEvent) => void,
  signal: AbortSignal,
): Promise<void> {
  let look = lookOf(send);
  let isGone = false;
  let lastTook = 0;
  while (!signal.aborted) {
    const began = performance.now();
    let isWorkedOn = false;
    const folder = await locate().catch(() => undefined);
    if (folder !== undefined) {
      isGone = false;
      isWorkedOn = await look(folder, signal);
    } else if (!isGone) {
      isGone = true;
      look = lookOf(send); // what comes in its place is another study
      send({ kind: "gone" });
    }
    const took = performance.now() - began;
    // One slow look says little: the first loads code and reads what others need not read again.
    const usual = Math.min(took, lastTook);
    lastTook = took;
    const wait = Math.min(LONGEST, Math.max(isWorkedOn ? WORKING : RESTING, usual * (1 / SHARE - 1)));
    await pause(wait, undefined, { signal }).catch(() => undefined);
  }
}

/** A function that looks at a folder, sends what is new, and says whether a process is at work there. */
function lookOf(send: (event: StudyEvent) => void) {
  const sent = new Map<string, string>();
  /** Sends an event whose kind has another content than before. */
  const tell = (event: StudyEvent) => {
    const text = JSON.stringify(event);
    if (sent.get(event.kind) === text) return;
    sent.set(event.kind, text);
    send(event);
  };
  let plan: { readonly stamp: string; readonly followed: Followed } | undefined;
  let table: { readonly stamp: string; readonly ids: ReadonlySet<string> } = { stamp: "", ids: new Set() };
  let standings = new Map<string, RunStanding>();
  const watched = new Map<string, WatchedRun>();
  let watch: Watch | undefined;

  return async (folder: string, signal: AbortSignal): Promise<boolean> => {
    const problems: string[] = [];
    const names = new Set(await readdir(join(folder, "runs")).catch(() => []));
    const planStamp = await stampOfPlan(folder, names);
    if (plan?.stamp !== planStamp) {
      const found = await followedRuns(folder).catch((error) => {
        const { titles = [], runs = [] } = plan?.followed ?? {};
        return { titles, runs, problems: [error.message] };
      });
      // What could not be read is tried again.
      plan = { stamp: found.problems.length > 0 ? "" : planStamp, followed: found };
      watch = undefined;
      tell({
        kind: "runs",
        titles: found.titles,
        runs: found.runs.map(({ planned: _, told: __, ...run }) => run),
      });
    }
    const { runs } = plan.followed;
    problems.push(...plan.followed.problems);
    table = await tableOf(folder, table);
    tell({ kind: "table", version: table.stamp || null });
    tell({ kind: "report", written: await writtenAt(join(folder, "report.html")) });

    let changed: RunStanding[] = [];
    let measured: SentMeasurements[] = [];
    const flush = () => {
      if (changed.length > 0) send({ kind: "standings", runs: changed });
      if (measured.length > 0) send({ kind: "measured", runs: measured });
      [changed, measured] = [[], []];
    };
    const known = standings;
    standings = new Map();
    for (const run of runs) {
      if (signal.aborted) return false;
      const { id } = run;
      let standing: RunStanding;
      if (table.ids.has(id)) {
        watched.delete(id);
        standing = finishedRun(run);
      } else if (!names.has(id)) {
        watched.delete(id);
        standing = waitingRun(run);
      } else {
        const before = watched.get(id);
        const isDone = before?.standing.state === "finished" && before.problems.length === 0;
        const now = isDone ? { ...before, measured: undefined } : await lookAt(folder, run, before);
        watched.set(id, now);
        standing = now.standing;
        problems.push(...now.problems);
        if (now.measured) measured.push(now.measured);
        const isFurther = now.tail.lines.length !== (before?.tail.lines.length ?? 0);
        if (isFurther && now.reached > 0) watch?.reach(id, standing.round, now.reached);
      }
      standings.set(id, standing);
      if (!isSame(known.get(id), standing)) {
        changed.push(standing);
        if (standing.state === "finished") watch?.finish(id);
      }
      if (changed.length + measured.length >= BATCH) flush();
    }
    flush();
    const worker = workerWords(await livingWorkers(folder));
    const finished = [...standings.values()].flatMap(({ id, state }) => (state === "finished" ? [id] : []));
    if (worker && finished.length < runs.length) {
      if (!watch) {
        watch = await watchStudy(
          folder,
          runs,
          finished.filter((id) => names.has(id)),
        );
        for (const [id, { standing, reached }] of watched)
          if (standing.state === "running" && reached > 0) watch.reach(id, standing.round, reached);
      }
    } else watch = undefined;
    const left = watch?.left();
    tell({
      kind: "work",
      worker: worker ?? null,
      left: left === undefined ? null : Math.round(left),
    });
    tell({ kind: "problems", lines: problems });
    return worker !== undefined;
  };
}

const isSame = (a: RunStanding | undefined, b: RunStanding): boolean =>
  a !== undefined && a.state === b.state && a.round === b.round && a.failure === b.failure;

/** The runs of the table, if it is another one than before. A damaged table has none; the page says so. */
async function tableOf(
  folder: string,
  before: { readonly stamp: string; readonly ids: ReadonlySet<string> },
) {
  const stamps = await Promise.all([RECORDS_PARQUET, RECORDS_CSV].map((name) => stampOf(join(folder, name))));
  const stamp = stamps.every((one) => one === "") ? "" : stamps.join(" ");
  if (stamp === before.stamp) return before;
  const rows = await readTable(folder).catch(() => undefined);
  return { stamp, ids: new Set((rows ?? []).map(({ run_id }) => run_id)) };
}

/** Changes as soon as other runs are asked for. Without studies, the runs themselves say what there is. */
async function stampOfPlan(folder: string, runs: ReadonlySet<string>): Promise<string> {
  const below = join(folder, "studies");
  const files = (await readdir(below).catch(() => [])).filter((name) => name.endsWith(".json"));
  const paths =
    files.length > 0
      ? files.sort().map((name) => join(below, name))
      : [...runs].sort().map((id) => join(folder, "runs", id, "run.json"));
  return (await Promise.all(paths.map(async (path) => `${path} ${await stampOf(path)}`))).join("\n");
}

/** When a file was written last, in milliseconds since 1970; null where there is none. */
async function writtenAt(path: string): Promise<number | null> {
  return stat(path).then(
    ({ mtimeMs }) => Math.round(mtimeMs),
    () => null,
  );
}
