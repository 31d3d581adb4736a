import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import { leftOut } from "../../../analysis/missing-runs.js";
import type { RecordFigure, Report } from "../../../analysis/report.js";
import { reportSubject } from "../../../analysis/subject.js";
import type { Table } from "../../../analysis/tables/table.js";
import { DataError } from "../../../errors.js";
import { RUN_FILES } from "../../../records/run-folder.js";
import type { SeedRecord } from "../../../records/seed-record.js";
import type { ReportAdditions } from "../../../report/additions.js";
import { commandLine } from "../../../report/command-line.js";
import { composeReport, figuresOf, notEmpty, tablesOf } from "../../../report/write-report.js";
import { studyRecords } from "../../../studies/collect-records.js";
import { RECORDS_CSV, RECORDS_PARQUET, readTable } from "../../../studies/record-files.js";
import { runTraces } from "../../../studies/run-traces.js";
import { studyFacts } from "../../../studies/study-facts.js";
import { VERSION } from "../../../version.js";
import { filterOf, passes } from "../../study/run-filter.js";
import { stampOf } from "./watched-run.js";

/** What a report on some runs of a study has, made in memory piece by piece as it is asked for. */
export interface StudyContent {
  readonly tables: () => readonly Table[];
  /** A figure by its place; undefined behind the last one. */
  readonly figure: (place: number) => Promise<RecordFigure | undefined>;
  readonly report: () => Report;
}

/** Contents that were made last; figures take seconds, and their files are asked for one by one. */
const kept = new Map<string, Promise<StudyContent>>();
const MOST_KEPT = 3;

/** The content of a report on the runs that pass a filter, as `report` would write it. */
export async function studyContent(
  folder: string,
  filter: string,
  additions: ReportAdditions | undefined,
): Promise<StudyContent> {
  const key = JSON.stringify([folder, filter, await stampOfRecords(folder)]);
  const known = kept.get(key);
  if (known) return known;
  const made = makeContent(folder, filter, additions);
  kept.set(key, made);
  made.catch(() => kept.delete(key));
  for (const old of [...kept.keys()].slice(0, -MOST_KEPT)) kept.delete(old);
  return made;
}

async function makeContent(
  folder: string,
  filter: string,
  additions: ReportAdditions | undefined,
): Promise<StudyContent> {
  const wanted = filterOf(filter);
  const all = await notEmpty(await recordsOf(folder), folder);
  const records = all.filter((record) => passes(wanted, record));
  if (records.length === 0) throw new DataError("no finished run passes the filter: choose less");
  const subject = reportSubject(records, additions?.published);
  const { title, facts, commands, missing } = await studyFacts(folder);
  const ids = [...new Set(records.map(({ run_id }) => run_id))];
  const traces = await runTraces(folder, ids);
  const ofThese = missing.filter((run) => passes(wanted, run));
  const absent = leftOut(subject.all, ofThese, additions?.published);
  const shown = { absent, additions, traces };
  const figures = drawn(figuresOf(subject, shown));
  let tables: readonly Table[] | undefined;
  let report: Report | undefined;
  return {
    tables: () => (tables ??= tablesOf(subject, shown)),
    figure: figures,
    report: () =>
      (report ??= composeReport(subject, {
        ...shown,
        title: title ?? `Results of ${[...new Set(records.map(({ study }) => study))].join(", ")}`,
        facts: [["Report by", `pde-dirichlet ${VERSION}`], ["Records", String(records.length)], ...facts],
        commands: [...commands, commandLine(["report", folder])],
      })),
  };
}

/** Figures by their places, drawn as they are asked for; between two of them, others get their answers. */
function drawn(figures: Iterable<RecordFigure>): StudyContent["figure"] {
  const done: RecordFigure[] = [];
  const rest = figures[Symbol.iterator]();
  return async (place) => {
    while (done.length <= place) {
      await turn();
      if (done.length > place) break; // somebody else has asked meanwhile
      const next = rest.next();
      if (next.done) return undefined;
      done.push(next.value);
    }
    return done[place];
  };
}

/** The table where it has all finished runs; else what the runs say, whose files are then read and compared. */
async function recordsOf(folder: string): Promise<SeedRecord[]> {
  const table = await readTable(folder).catch(() => undefined);
  if (table && (await finishedBeside(folder, table)).length === 0) return table;
  return studyRecords(folder);
}

/** Finished runs that a table does not have. */
async function finishedBeside(folder: string, table: readonly SeedRecord[]): Promise<string[]> {
  const ids = new Set(table.map(({ run_id }) => run_id));
  const names = await readdir(join(folder, "runs")).catch(() => []);
  const finished = names
    .filter((name) => !ids.has(name))
    .map(async (name) => ((await hasResult(join(folder, "runs", name, RUN_FILES.run))) ? [name] : []));
  return (await Promise.all(finished)).flat();
}

async function hasResult(path: string): Promise<boolean> {
  try {
    return JSON.parse(await readFile(path, "utf8")).result !== undefined;
  } catch {
    return false;
  }
}

/** Changes as soon as the table or any run does. */
async function stampOfRecords(folder: string): Promise<string> {
  const names = await readdir(join(folder, "runs")).catch(() => []);
  const paths = [
    ...[RECORDS_PARQUET, RECORDS_CSV].map((name) => join(folder, name)),
    ...names.map((name) => join(folder, "runs", name, RUN_FILES.run)),
  ];
  return (await Promise.all(paths.map(stampOf))).join(" ");
}
