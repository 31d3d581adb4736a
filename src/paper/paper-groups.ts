import { type Group, groupsOf } from "../analysis/cases.js";
import { EARLIER_OPTIMIZERS, EARLIER_TASKS } from "../records/earlier-defaults.js";
import type { SeedRecord } from "../records/seed-record.js";
import { UNKNOWN_OPTIONS } from "../records/seed-table.js";
import { type Settings, settingKey } from "../records/settings.js";
import { ABLATIONS, isAblated, paperSetting, sameSetting, settingOf } from "./settings.js";
import { paperTask } from "./titles.js";
import { PAPER_ROUNDS, REFERENCE_ALPHA } from "./values.js";

/** Batches that the paper takes for models of fields, "depending on memory requirements". */
const FIELD_BATCHES = { from: 8, to: 16 };

/** Settings that ablations vary, and those that follow from them. */
const VARIED = ["viscosity", "clients", "optimizer", "rate", "momentum"];

/** The groups of one task that the paper has: in its main setting, and those of its ablations. */
export function dividedGroups(groups: readonly Group[]): {
  readonly main?: Group;
  readonly varied: readonly Group[];
} {
  const papers = groups.filter(isPaperGroup);
  // Two files, or two of the batches that the paper may have taken, are two settings.
  if (new Set(papers.map(otherSettings)).size > 1) return { varied: [] };
  const main = papers.find((group) => sameSetting(paperSetting(group), settingOf(group.task)));
  return { ...(main && { main }), varied: papers.filter((group) => group !== main) };
}

/** Records of the runs that have settings of the paper. */
export function paperRecords(records: readonly SeedRecord[]): SeedRecord[] {
  const groups = groupsOf(records);
  const tasks = [...new Set(groups.map(({ task }) => task))];
  return tasks.flatMap((task) => {
    const { main, varied } = dividedGroups(groups.filter((group) => group.task === task));
    return [...(main ? [main] : []), ...varied].flatMap((group) => group.records);
  });
}

/** Whether the paper has the setting, its main one or that of an ablation, and runs of so many rounds. */
function isPaperGroup(group: Group): boolean {
  const { task, rounds, referenceAlpha } = group;
  if (referenceAlpha !== REFERENCE_ALPHA || rounds !== PAPER_ROUNDS || !hasPaperOptions(group)) return false;
  const levels = ABLATIONS.filter((one) => isAblated(task, one)).flatMap((one) => one.levels);
  return levels.some(({ change }) => sameSetting(paperSetting(group), settingOf(task, change)));
}

/** Whether all that ablations do not vary is as in the paper, or as in our bundled studies where the paper is silent. */
function hasPaperOptions({
  task,
  settings,
  overrides,
  records,
}: Pick<Group, "task" | "settings" | "overrides" | "records">): boolean {
  const earlier = EARLIER_TASKS[paperTask(task)];
  if (!earlier || overrides.includes(UNKNOWN_OPTIONS)) return false;
  const imported = task !== paperTask(task);
  const usual: Settings = {
    ...earlier.settings,
    ...(imported ? {} : earlier.parameters),
    ...EARLIER_OPTIMIZERS[String(settings.optimizer)],
  };
  return Object.entries(settings).every(([name, value]) => {
    if (["viscosity", "clients", "optimizer"].includes(name) || value === usual[name]) return true;
    if (name === "batch") return isFieldBatch(earlier.settings.model, value);
    if (name === "data" || name === "rounds") return true; // rounds are compared apart
    if (name === "repair" && isOfFirstVersions(records)) return true;
    // The paper knows nothing of options that came later.
    return !(name in usual) && !overrides.includes(name);
  });
}

/** Whether records are of the versions without `n_min`, whose bundled studies had another rule of repair. */
function isOfFirstVersions(records: readonly SeedRecord[]): boolean {
  return records.every(({ n_min }) => Number.isNaN(n_min));
}

function isFieldBatch(model: unknown, batch: unknown): boolean {
  const { from, to } = FIELD_BATCHES;
  return model !== "deeponet" && Number(batch) >= from && Number(batch) <= to;
}

function otherSettings({ settings }: Group): string {
  return settingKey(Object.fromEntries(Object.entries(settings).filter(([name]) => !VARIED.includes(name))));
}
