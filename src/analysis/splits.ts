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
  return tasks.map((task) => {
    const own = records.filter((record) => record.task === task);
    const title = own.find((record) => record.title !== undefined)?.title;
    return { task, title: taskTitle({ task, title }, published), splits: ofOneTask(own) };
  });
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
  return ordered(
    rows.map((final, i) => {
      // Runs of one split may differ in something else that the study varies.
      const alike = rows.filter((_, j) => labels[j] === labels[i]).flatMap((all) => groupsOf(all));
      const [group] = groupsOf(final);
      const also = alike.length > 1 ? differences(group, varyingSettings(alike)) : [];
      return { label: [labels[i], ...also].join(", "), alpha: final[0].alpha, final };
    }),
  );
}

/** The split in words; earlier tables have the paper's alone. */
export function splitOf({ split, alpha, settings: { partitioner } }: SeedRecord): string {
  const words = split ?? `alpha ${alpha}`;
  return (partitioner === undefined && Number.isFinite(alpha) ? `dirichlet, ${words}` : words).replace(
    /\balpha (?=\d)/,
    "α = ",
  );
}

/** In the order in which partitioners first appear; of one, from the mildest concentration to the severest. */
function ordered(splits: readonly Split[]): Split[] {
  const nameOf = ({ final }: Split) => final[0].settings.partitioner;
  const names = [...new Set(splits.map(nameOf))];
  return [...splits].sort(
    (a, b) => names.indexOf(nameOf(a)) - names.indexOf(nameOf(b)) || b.alpha - a.alpha || 0,
  );
}
