import { join } from "node:path";
import { findings } from "../analysis/findings.js";
import { type LeftOut, leftOut, leftOutSentence } from "../analysis/missing-runs.js";
import type { RecordFigure, Report } from "../analysis/report.js";
import { resultsMarkdown } from "../analysis/report-markdown.js";
import { reportPage } from "../analysis/report-page.js";
import { reportSummary } from "../analysis/report-summary.js";
import { reportSubject, type Subject } from "../analysis/subject.js";
import { reportTables } from "../analysis/tables/report-tables.js";
import type { Table } from "../analysis/tables/table.js";
import { csvTable, latexTable, markdownTable } from "../analysis/tables/table-formats.js";
import { DataError, FileError } from "../errors.js";
import { toPdf } from "../figures/pdf.js";
import { toPng } from "../figures/raster.js";
import { drawReportFigures } from "../figures/report-figures.js";
import { type Output, writeOutputs } from "../files/disk.js";
import type { MissingRun } from "../records/missing-run.js";
import type { RunTrace } from "../records/run-trace.js";
import type { SeedRecord } from "../records/seed-record.js";
import { externalFiles } from "../studies/external-runs.js";
import { readStudies } from "../studies/read-studies.js";
import { readTable } from "../studies/record-files.js";
import { runTraces } from "../studies/run-traces.js";
import { trainedRuns } from "../studies/trained-runs.js";
import { VERSION } from "../version.js";
import type { ReportAdditions } from "./additions.js";
import { commandLine } from "./command-line.js";

export interface ReportOptions {
  /** Default: "Results" and the studies' names. */
  readonly title?: string;
  /** Folders of further studies whose records are read too, such as ablations. */
  readonly others?: readonly string[];
  /** Where to write. Default: the study's folder. */
  readonly out?: string;
  /** Names and values such as versions and hardware that the report states. */
  readonly facts?: Report["facts"];
  /** Command lines that ran the studies. */
  readonly commands?: readonly string[];
  /** Runs that the studies ask for and that have no records. */
  readonly missing?: readonly MissingRun[];
  /** What readers should bear in mind, a sentence each. */
  readonly warnings?: readonly string[];
  /** Records of all these folders. Default: those of their tables. */
  readonly records?: readonly SeedRecord[];
  /** Published results to stand beside runs that have their settings. Default: none. */
  readonly additions?: ReportAdditions;
}

export interface WrittenReport {
  readonly report: Report;
  /** Path of the page. */
  readonly page: string;
  readonly files: readonly string[];
}

/**
 * Writes report.html, report.md, tables/ and figures/ of a study's folder, from its seed-level records and, for losses
 * and heat maps of partitions, from the folders of its runs where these are there. An earlier report is replaced.
 */
export async function writeReport(folder: string, options: ReportOptions = {}): Promise<WrittenReport> {
  const { others = [], out = folder, facts = [], commands = [], warnings = [], additions } = options;
  const folders = [folder, ...others];
  const read = options.records ?? (await Promise.all(folders.map(readRecords))).flat();
  const subject = reportSubject(read, additions?.published);
  const ids = [...new Set(subject.records.map(({ run_id }) => run_id))];
  const traces = (await Promise.all(folders.map((study) => runTraces(study, ids)))).flat();
  const studies = [...new Set(subject.records.map((record) => record.study))].join(", ");
  const report = composeReport(subject, {
    title: options.title ?? `Results of ${studies}`,
    absent: leftOut(subject.all, options.missing, additions?.published),
    additions,
    traces,
    warnings,
    facts: [["Report by", `pde-dirichlet ${VERSION}`], ["Records", String(subject.records.length)], ...facts],
    commands: [...commands, commandLine(["report", ...folders, ...(out === folder ? [] : ["--out", out])])],
  });
  const outputs = reportOutputs(report, out);
  await writeOutputs(outputs, { force: true });
  return { report, page: join(out, "report.html"), files: outputs.map(({ path }) => path) };
}

/** What a report is made of beside its subject. */
export interface ReportParts extends Pick<Report, "title" | "facts" | "commands"> {
  readonly absent: LeftOut;
  readonly additions?: ReportAdditions;
  readonly traces?: readonly RunTrace[];
  readonly warnings?: readonly string[];
}

/** Composes a report in memory. */
export function composeReport(subject: Subject, parts: ReportParts): Report {
  const { title, facts, commands, absent, warnings = [] } = parts;
  const added = addedTo(subject, parts);
  const found = findings(subject, absent);
  const sentences = reportSummary(subject, absent);
  return {
    title,
    // The last sentence tells what is missing.
    summary: [...sentences.slice(0, -1), ...warnings, ...sentences.slice(-1)],
    findings: added ? { ...found, coverage: added.coverage(subject, absent) } : found,
    tables: tablesOf(subject, parts),
    figures: [...figuresOf(subject, parts)],
    facts,
    commands,
    ...(added && { published: added.sections(subject) }),
  };
}

/** Nothing of a publication is said of runs that have none of its settings. */
const addedTo = (subject: Subject, { additions }: Pick<ReportParts, "additions">) =>
  subject.published ? additions : undefined;

type Shown = Pick<ReportParts, "absent" | "additions" | "traces">;

/** All tables of a report. */
export function tablesOf(subject: Subject, parts: Shown): Table[] {
  const tables = [...reportTables(subject), ...(addedTo(subject, parts)?.tables(subject) ?? [])];
  return tables.map((table) => withLeftOut(table, parts.absent));
}

/** All figures of a report, drawn one at a time as they are asked for. */
export function* figuresOf(subject: Subject, parts: Shown): Iterable<RecordFigure> {
  const { absent, additions, traces } = parts;
  for (const figure of drawReportFigures(subject, { traces, styleOf: additions?.styleOf }))
    yield withLeftOut(figure, absent);
  for (const figure of addedTo(subject, parts)?.figures(subject) ?? []) yield withLeftOut(figure, absent);
}

/** A table or figure whose caption says which runs its means leave out. */
function withLeftOut<T extends { readonly caption: string }>(shown: T, absent: LeftOut): T {
  const sentence = leftOutSentence(absent);
  return sentence === "" ? shown : { ...shown, caption: `${shown.caption} ${sentence}` };
}

/** Seed-level records of a study's folder: `records.parquet`, or `records.csv` where there is none. */
export async function readRecords(folder: string): Promise<SeedRecord[]> {
  return notEmpty((await readTable(folder)) ?? [], folder);
}

/** The records of a folder, or why there are none. */
export async function notEmpty(records: SeedRecord[], folder: string): Promise<SeedRecord[]> {
  if (records.length > 0) return records;
  const isBegun =
    (await readStudies(folder)).length > 0 ||
    (await trainedRuns(folder)).length > 0 ||
    (await externalFiles(folder)).length > 0;
  if ((await readTable(folder)) !== undefined || isBegun)
    throw new DataError(`no run of ${folder} is finished yet: there is nothing to report on`);
  throw new FileError(
    `${folder} has neither records.parquet nor records.csv, and no runs: is it the --out of \`study\` or \`train\`?`,
  );
}

function reportOutputs(report: Report, folder: string): Output[] {
  const text = (name: string, content: string): Output => ({
    path: join(folder, name),
    bytes: new TextEncoder().encode(content),
  });
  return [
    ...[...(report.published?.claims ? [report.published.claims.table] : []), ...report.tables].flatMap(
      (table) => [
        text(`tables/${table.name}.md`, `# ${table.title}\n\n${table.caption}\n\n${markdownTable(table)}`),
        text(`tables/${table.name}.tex`, latexTable(table)),
        text(`tables/${table.name}.csv`, csvTable(table)),
      ],
    ),
    ...report.figures.flatMap(({ name, svg }): Output[] => [
      text(`figures/${name}.svg`, svg),
      { path: join(folder, `figures/${name}.png`), bytes: () => toPng(svg) },
      { path: join(folder, `figures/${name}.pdf`), bytes: () => toPdf(svg) },
    ]),
    text("report.md", resultsMarkdown(report)),
    text("report.html", reportPage(report)),
  ];
}
