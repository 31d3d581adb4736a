import { alphasOf, finalRecords, withoutReference } from "../analysis/observations.js";
import type { Subject } from "../analysis/subject.js";
import { excessCaption, excessColumns, excessRows } from "../analysis/tables/excess-table.js";
import { withoutLoneSource } from "../analysis/tables/report-tables.js";
import type { Table } from "../analysis/tables/table.js";
import type { SeedRecord } from "../records/seed-record.js";
import { paperRecords } from "./paper-groups.js";
import { PAPER } from "./published.js";
import {
  ABLATIONS,
  type Ablation,
  inSetting,
  isAblated,
  type Setting,
  settingOf,
  tasksOf,
} from "./settings.js";
import { paperTitle, taskTitle } from "./titles.js";
import { REFERENCE_ALPHA } from "./values.js";

/** One table for every ablation of the paper that has records beyond the main setting. */
export function ablationTables({ records }: Pick<Subject, "records">): Table[] {
  const papers = paperRecords(records);
  return ABLATIONS.flatMap((ablation) => {
    const tasks = ablationTasks(papers, ablation);
    return tasks.length > 0 ? [ablationTable(ablation, tasks, papers, records)] : [];
  });
}

function ablationTable(
  ablation: Ablation,
  tasks: readonly string[],
  papers: readonly SeedRecord[],
  records: readonly SeedRecord[],
): Table {
  const alphas = alphasOf(withoutReference(records));
  const final = finalRecords(papers);
  return withoutLoneSource({
    name: `ablation-${ablation.name}`,
    title: `Ablation: ${ablation.title.toLowerCase()}`,
    caption: excessCaption(records),
    columns: excessColumns(records, ablation.title),
    groups: tasks.map((task) =>
      ablation.levels.flatMap(({ label, change }) => {
        const setting = settingOf(task, change);
        return excessRows(groupOf(setting, inSetting(final, setting)), {
          alphas,
          ours: [taskTitle(task), label],
          theirs: [paperTitle(task), label],
          published: PAPER,
        });
      }),
    ),
  });
}

/** The runs of a setting, of which there may be none. */
function groupOf({ task, viscosity, clients, optimizer }: Setting, final: readonly SeedRecord[]) {
  const settings = { clients, optimizer, ...(viscosity !== null && { viscosity }) };
  const shared = { task, settings, overrides: [], referenceAlpha: REFERENCE_ALPHA };
  return { ...shared, records: final, final, rounds: final[0]?.round ?? 0 };
}

/** Tasks of which an ablation has records beyond the main setting. */
export function ablationTasks(records: readonly SeedRecord[], ablation: Ablation): string[] {
  return tasksOf(records).filter(
    (task) =>
      isAblated(task, ablation) &&
      ablation.levels.slice(1).some(({ change }) => inSetting(records, settingOf(task, change)).length > 0),
  );
}
