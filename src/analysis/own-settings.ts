import type { SeedRecord } from "../records/seed-record.js";
import { REFERENCE_ALPHA } from "./paper-values.js";
import { ABLATIONS, inSetting, type Level, mainTasks, settingOf, taskTitle } from "./settings.js";

export interface OwnSettings {
  readonly records: SeedRecord[];
  /** What is not the paper's in any run, in words; titles do not repeat it. */
  readonly shared: readonly string[];
}

/**
 * Records with the settings that the paper does not have as tasks of their own, named after what is changed: "Burgers,
 * 6 clients, local steps 1". Tables and figures show them as they show a task's main setting, and nothing of the paper is
 * set beside them or judged by them. So is a setting of one of the paper's ablations shown as well where the main one,
 * which it would be compared with, has no records.
 */
export function withOwnSettings(records: readonly SeedRecord[]): OwnSettings {
  const ofPaper = records.filter(isPapers);
  const compared = new Set(mainTasks(ofPaper));
  const own = records
    .filter((record) => !isPapers(record) || !compared.has(record.task))
    .map((record) => ({ record, differences: differences(record) }));
  const shared =
    ofPaper.length > 0 || own.length === 0
      ? []
      : own[0].differences.filter((one) => own.every((other) => other.differences.includes(one)));
  const renamed = own.map(({ record, differences: all }) => {
    const title = [taskTitle(record.task), ...all.filter((one) => !shared.includes(one))].join(", ");
    return { ...record, ...settingOf(title) };
  });
  return { records: [...ofPaper, ...renamed], shared };
}

/** Whether the paper has the setting: its main one, or that of an ablation. */
function isPapers(record: SeedRecord): boolean {
  if (record.changed !== "" || record.reference_alpha !== REFERENCE_ALPHA) return false;
  return changesOf(record.task).some(
    (change) => inSetting([record], settingOf(record.task, change)).length > 0,
  );
}

function changesOf(task: string): Level["change"][] {
  return ABLATIONS.filter(({ tasks }) => tasks?.includes(task) ?? true).flatMap(({ levels }) =>
    levels.map(({ change }) => change),
  );
}

/** What of a record is not the paper's main setting: "ν = 0.05", "6 clients", "local steps 1". */
function differences({
  task,
  viscosity,
  clients,
  optimizer,
  changed,
  reference_alpha,
}: SeedRecord): string[] {
  const main = settingOf(task);
  const sgd = changed.includes("momentum=") ? "SGD" : "momentum SGD";
  return [
    ...(viscosity === main.viscosity ? [] : [`ν = ${viscosity}`]),
    ...(clients === main.clients ? [] : [`${clients} clients`]),
    ...(optimizer === main.optimizer ? [] : [optimizer === "sgd" ? sgd : optimizer]),
    ...(reference_alpha === REFERENCE_ALPHA ? [] : [`reference α = ${reference_alpha}`]),
    ...changed
      .split(" ")
      .filter(Boolean)
      .map((one) => one.replace("=", " ").replaceAll("_", " ")),
  ];
}
