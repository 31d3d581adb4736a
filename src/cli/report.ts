import { resolve } from "node:path";
import { Command } from "commander";
import { unmarked } from "../analysis/notation.js";
import { counted } from "../analysis/numbers.js";
import { PAPER_ADDITIONS } from "../paper/additions.js";
import { notEmpty, writeReport } from "../report/write-report.js";
import { refreshRecords, studyRecords } from "../studies/collect-records.js";
import { studyFacts } from "../studies/study-facts.js";
import { type CommonOptions, withCommonOptions } from "./options/arguments.js";
import { warn } from "./warning.js";

interface ReportCommandOptions extends CommonOptions {
  readonly out?: string;
  readonly title?: string;
}

export function reportCommand(): Command {
  const command = new Command("report")
    .summary("write tables, figures and a page about the runs of `study` or `train`")
    .description(
      "Write tables, figures and one self-contained page from the seed-level records of `study` or `train`. " +
        "The report covers finished runs and replaces an earlier report. It shows the paper's values only next to " +
        "runs with the paper's settings.",
    )
    .argument(
      "<folder>",
      "the --out folder of `study` or `train`, or a folder with records.parquet or records.csv",
    )
    .argument("[others...]", "more such folders to include, for example of ablations")
    .option("--out <folder>", "folder to write to (default: the first folder)")
    .option("--title <text>", "heading of the report")
    .action(reportAction);
  return withCommonOptions(
    command,
    "pde-dirichlet report out/controlled",
    "pde-dirichlet report out/controlled out/clients out/optimizer --out out/report",
  );
}

async function reportAction(
  folder: string,
  others: readonly string[],
  { out, title, json, quiet }: ReportCommandOptions,
): Promise<void> {
  const folders = [folder, ...others];
  // Nothing is written beside what is read, unless the report goes there.
  const isTarget = (study: string) => resolve(study) === resolve(out ?? folder);
  const records = await Promise.all(
    folders.map(async (study) =>
      notEmpty(await (isTarget(study) ? refreshRecords(study, warn) : studyRecords(study, warn)), study),
    ),
  );
  const [own, ...further] = await Promise.all(folders.map(studyFacts));
  const { report, page, files } = await writeReport(folder, {
    others,
    out,
    title: title ?? (others.length === 0 ? own.title : undefined),
    facts: own.facts,
    commands: [...new Set([own, ...further].flatMap(({ commands }) => commands))],
    missing: [own, ...further].flatMap(({ missing }) => missing),
    warnings: [own, ...further].flatMap(({ warnings }) => warnings),
    records: records.flat(),
    additions: PAPER_ADDITIONS,
  });
  if (json) {
    const { summary, findings, published } = report;
    const asked = published && { missing: published.questions.missing, answers: published.questions.answers };
    console.log(JSON.stringify({ page, files, summary, findings: { ...findings, ...asked } }));
    return;
  }
  // What is missing follows in full.
  for (const sentence of report.summary.slice(0, -1)) console.log(unmarked(sentence));
  for (const sentence of report.findings.comparisons) console.log(unmarked(sentence));
  for (const { id, short } of report.published?.questions.answers ?? []) console.log(`${id}  ${short}`);
  for (const gap of report.findings.coverage.gaps) console.log(gap);
  if (!quiet) console.log(`Written: ${page} and ${counted(files.length - 1, "file")} beside it`);
}
