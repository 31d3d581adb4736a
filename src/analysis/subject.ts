import type { SeedRecord } from "../records/seed-record.js";
import { type Axis, axesOf } from "./axes.js";
import { type Case, casesOf, groupsOf } from "./cases.js";
import { distinctRecords } from "./observations.js";
import type { Published } from "./published.js";

/** What a report is about. */
export interface Subject {
  /** All records, each once. */
  readonly records: readonly SeedRecord[];
  /** What tables and figures show, one row, curve or panel each. */
  readonly cases: readonly Case[];
  /** What the cases vary. */
  readonly axes: readonly Axis[];
  /** Values to stand beside cases that have their settings; undefined where none has. */
  readonly published?: Published;
}

/**
 * Sorts seed-level records into the cases of a report.
 *
 * @param known results that were published elsewhere; left out of the subject if no record has their settings
 */
export function reportSubject(given: readonly SeedRecord[], known?: Published): Subject {
  const records = distinctRecords(given);
  const groups = groupsOf(records);
  const tasks = [...new Set(groups.map(({ task }) => task))];
  const isCovered = tasks.some((task) => {
    const divided = known?.divided(groups.filter((group) => group.task === task));
    return divided !== undefined && (divided.main !== undefined || divided.varied.length > 0);
  });
  const published = isCovered ? known : undefined;
  // Titles are facts about data, whoever trained on them.
  const cases = casesOf(groups, known);
  return { records, cases, axes: axesOf(cases), ...(published && { published }) };
}
