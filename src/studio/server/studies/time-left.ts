import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { RUN_FILES, runFolder } from "../../../records/run-folder.js";
import type { PlannedRun } from "../../../studies/plan.js";
import type { Followed } from "./followed-runs.js";

/** Reckons the time that a study of another process still takes, from what it leaves in its folder. */
export interface Watch {
  /** A run came to a round, at a time in seconds since 1970. */
  reach(id: string, round: number, time: number): void;
  finish(id: string): void;
  /** Seconds left; undefined while that cannot be told. */
  left(): number | undefined;
}

/** Starts with the runs that are finished already: their records say when they ended and how long they took. */
export async function watchStudy(
  folder: string,
  runs: Followed["runs"],
  finished: readonly string[],
): Promise<Watch> {
  // It knows the shapes of all data, so it is loaded when somebody watches.
  const { StudyClock } = await import("../../../studies/progress.js");
  const planned = new Map(runs.flatMap(({ id, planned: run }) => (run ? [[id, run] as const] : [])));
  let now = 0;
  const clock = new StudyClock([...planned.values()], () => now);
  const reach = (run: PlannedRun | undefined, round: number, time: number) => {
    if (!run) return;
    now = Math.max(now, time); // times of several files may be out of order
    clock.reach(run, round);
  };
  const spans = (await Promise.all(finished.map((id) => spanOf(folder, id)))).flatMap((span) => span ?? []);
  const moments = spans.flatMap(({ id, from, to, round }) => [
    { id, round: 0, time: from },
    { id, round, time: to },
  ]);
  for (const { id, round, time } of moments.sort((a, b) => a.time - b.time))
    reach(planned.get(id), round, time);
  const finish = (id: string) => {
    const run = planned.get(id);
    if (run) clock.finish(run);
  };
  finished.forEach(finish);
  return {
    reach: (id, round, time) => reach(planned.get(id), round, time),
    finish,
    left: () => clock.progress().left,
  };
}

/** When a finished run was trained; undefined where its record is gone or says something else. */
async function spanOf(folder: string, id: string) {
  try {
    const record = JSON.parse(await readFile(join(runFolder(folder, id), RUN_FILES.run), "utf8"));
    const { seconds, finished, round } = record.result;
    const to = Date.parse(finished) / 1000;
    if (!Number.isFinite(to - seconds) || !Number.isFinite(round)) return undefined;
    return { id, from: to - seconds, to, round: Number(round) };
  } catch {
    return undefined;
  }
}
