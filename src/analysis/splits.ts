import type { SeedRecord } from "../records/seed-record.js";
import { settingKey } from "../records/settings.js";
import { differences, groupsOf, taskTitle, varyingSettings } from "./cases.js";
import { finalRecords } from "./observations.js";
import type { Published } from "./published.js";

/** Runs over seeds of one split of one data. */
export interface Split {
  /** The split in words, with what else tells it from others of the same words: `shards 2`. */
  readonly label: string;
  readonly alpha: number;
  /** The last checkpoint of every seed. */
  readonly final: readonly SeedRecord[];
}

/** All splits of one data. */
export interface SplitGroup {
  readonly task: string;
  readonly title: string;
  readonly splits: readonly Split[];
}

/**
 * The splits of records, data by data: nothing where all are by the paper's partitioner, which tables along the
 * concentration show.
 */
export function splitsOf(
  records: readonly SeedRecord[],
  published?: Pick<Published, "titleOf">,
): SplitGroup[] {
  if (records.every(isPapers)) return [];
  const tasks = [...new Set(records.map(({ task }) => task))];
  const groups = tasks.map((task) => {
    const own = records.filter((record) => record.task === task);
    const title = own.find((record) => record.title !== undefined)?.title;
    return { task, title: taskTitle({ task, title }, published), splits: ofOneTask(own) };
  });
  const severity = severities(groups);
  return groups.map((group) => ordered(group, severity));
}

/** Whether a split is by the paper's partitioner at a given concentration. */
const isPapers = ({ settings, alpha }: SeedRecord): boolean =>
  settings.partitioner === undefined && Number.isFinite(alpha);

function ofOneTask(records: readonly SeedRecord[]): Split[] {
  const groups = new Map<string, SeedRecord[]>();
  for (const record of finalRecords(records)) {
    const key = settingKey(record.settings, splitOf(record), String(record.alpha));
    groups.set(key, [...(groups.get(key) ?? []), record]);
  }
  const rows = [...groups.values()];
  const labels = rows.map(([first]) => splitOf(first));
  return rows.map((final, i) => {
    // Runs of one split may differ in something else that the study varies.
    const alike = rows.filter((_, j) => labels[j] === labels[i]).flatMap((all) => groupsOf(all));
    const [group] = groupsOf(final);
    const also = alike.length > 1 ? differences(group, varyingSettings(alike)) : [];
    return { label: [labels[i], ...also].join(", "), alpha: final[0].alpha, final };
  });
}

/** The split in words; earlier tables have the paper's alone. */
export function splitOf({ split, alpha, settings: { partitioner } }: SeedRecord): string {
  const words = split ?? `alpha ${alpha}`;
  return (partitioner === undefined && Number.isFinite(alpha) ? `dirichlet, ${words}` : words).replace(
    /\balpha (?=\d)/,
    "α = ",
  );
}

/** Severity of every partitioner: the largest mean D_sol of its splits, relative to the largest of the same data. */
function severities(groups: readonly SplitGroup[]): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  for (const { splits } of groups) {
    const largest = Math.max(...splits.map(meanDistance));
    for (const split of splits)
      found.set(familyOf(split), Math.max(found.get(familyOf(split)) ?? 0, meanDistance(split) / largest));
  }
  return found;
}

/** Partitioners from the mildest to the severest; splits of one by concentration, or else by D_sol. */
function ordered({ splits, ...group }: SplitGroup, severity: ReadonlyMap<string, number>): SplitGroup {
  const rank = (split: Split) => severity.get(familyOf(split))!;
  return {
    ...group,
    splits: [...splits].sort(
      (a, b) =>
        rank(a) - rank(b) ||
        compareText(familyOf(a), familyOf(b)) ||
        b.alpha - a.alpha ||
        meanDistance(a) - meanDistance(b),
    ),
  };
}

/** The partitioner of a split; records do not name the paper's. */
export const familyOf = ({ final }: Split): string => String(final[0].settings.partitioner ?? "dirichlet");

const meanDistance = ({ final }: Split): number =>
  final.reduce((sum, { d_sol }) => sum + d_sol, 0) / final.length;

const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
