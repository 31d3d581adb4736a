import type { Case } from "../analysis/cases.js";
import { type Coverage, coverage, type Named, runWords } from "../analysis/coverage.js";
import type { LeftOut } from "../analysis/missing-runs.js";
import { finalRecords, finalRound } from "../analysis/observations.js";
import { list } from "../analysis/phrases.js";
import type { Subject } from "../analysis/subject.js";
import type { SeedRecord } from "../records/seed-record.js";
import { ablationTasks } from "./ablation-tables.js";
import { paperRecords } from "./paper-groups.js";
import { ABLATIONS, inSetting, isAblated, mainTasks, settingOf } from "./settings.js";
import { CONTROLLED_NAMES, isControlled, PAPER_TASKS, PUBLIC_NAMES, paperTask, taskTitle } from "./titles.js";
import { PAPER_ALPHAS, PAPER_ROUNDS, PAPER_SEEDS } from "./values.js";

const FULL = PAPER_ALPHAS.length * PAPER_SEEDS.length;

/** What was run, ablations of the paper below their main settings, and how many of the paper's runs these are. */
export function paperCoverage(subject: Subject, absent: LeftOut): Coverage {
  const papers = paperRecords(subject.records);
  return coverage(subject, absent, {
    varied: (one) => (one.isPublished ? ablated(one, papers) : []),
    share: shareWords,
  });
}

function ablated({ task, title }: Case, papers: readonly SeedRecord[]): Named[] {
  const levels = ABLATIONS.filter((ablation) => isAblated(task, ablation)).flatMap(
    ({ levels: [, ...others] }) => others,
  );
  return levels.flatMap(({ label, change }) => {
    const records = inSetting(papers, settingOf(task, change));
    if (records.length === 0) return [];
    const final = finalRecords(records);
    return [{ title: `${title}, ${label}`, records, final, rounds: finalRound(records) }];
  });
}

/** How many runs there are and, of those as long as the paper's and in a setting of it, how many are the paper's. */
function shareWords(group: Named): string {
  const { final, rounds } = group;
  const isKnown = final.some(({ task }) => PAPER_TASKS.includes(paperTask(task)));
  if (!isKnown || rounds !== PAPER_ROUNDS) return runWords(group);
  const ofPaper = final.filter(
    ({ alpha, seed }) => PAPER_ALPHAS.includes(alpha) && PAPER_SEEDS.includes(seed),
  ).length;
  if (ofPaper === final.length) return `${ofPaper} of the paper's ${FULL} runs`;
  return ofPaper === 0
    ? runWords(group)
    : `${runWords(group)}, ${ofPaper} of the paper's ${FULL} among them,`;
}

/** What is missing of the paper's grid, in words. */
export function missingFromPaper({ records }: Pick<Subject, "records">): string[] {
  const papers = paperRecords(records);
  const present = mainTasks(papers);
  // Controlled and public tasks are studies of their own: what is missing is told of those that were begun.
  const begun = [CONTROLLED_NAMES, PUBLIC_NAMES].filter((tasks) =>
    tasks.some((task) => present.includes(task)),
  );
  const lacking = begun.flat().filter((task) => !present.includes(task));
  const ablations = present.some(isControlled) ? ABLATIONS : [];
  return [
    ...(lacking.length > 0 ? [`No records of ${list(lacking.map(taskTitle))} in the main setting.`] : []),
    ...ablations
      .filter((ablation) => ablationTasks(papers, ablation).length === 0)
      .map(({ title }) => `No records of the ablation over ${title.toLowerCase()}.`),
  ];
}
