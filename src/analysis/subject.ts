import type { SeedRecord } from "../records/seed-record.js";
import { type Axis, axesOf } from "./axes/axes.js";
import { type Case, casesOf, groupsOf } from "./cases.js";
import { distinctRecords } from "./observations.js";
import type { Published } from "./published.js";
import { type SplitGroup, splitsOf } from "./splits.js";

/** What a report is about. */
export interface Subject {
  /** Records of splits with a concentration, each once: what tables and figures along α show. */
  readonly records: readonly SeedRecord[];
  /** All records, those of splits without a concentration among them. */
  readonly all: readonly SeedRecord[];
  /** The splits of all records, where they are by several partitioners or none has a concentration. */
  readonly splits: readonly SplitGroup[];
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
  const all = distinctRecords(given);
  const records = all.filter(({ alpha }) => Number.isFinite(alpha));
  const groups = groupsOf(records);
  const tasks = [...new Set(groups.map(({ task }) => task))];
  const isCovered = tasks.some((task) => {
    const divided = known?.divided(groups.filter((group) => group.task === task));
    return divided !== undefined && (divided.main !== undefined || divided.varied.length > 0);
  });
  const published = isCovered ? known : undefined;
  // Titles are facts about data, whoever trained on them.
  const cases = casesOf(groups, known);
  const splits = splitsOf(all, known);
  return { records, all, splits, cases, axes: axesOf(cases), ...(published && { published }) };
}
