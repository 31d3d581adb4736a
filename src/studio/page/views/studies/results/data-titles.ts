import { type Group, type KnownData, taskTitle } from "../../../../../analysis/cases.js";
import { SOURCE_NAMES, SOURCES } from "../../../../../datasets/sources.js";
import type { SeedRecord } from "../../../../../records/seed-record.js";

/** Titles of built-in tasks, simulated or imported; other data have their own. */
function titleOf(task: string): string | undefined {
  const name = task.replace(/^imported-/, "");
  const title = Object.hasOwn(SOURCES, name) ? SOURCES[name].title : undefined;
  return title === undefined || name === task ? title : `${title.replace(" (simulated)", "")} (imported)`;
}

/** The group whose every override all others have too: others are told apart by how they differ from it. */
function plainest(groups: readonly Group[]): Group | undefined {
  return groups.find(({ overrides }) =>
    groups.every((other) => overrides.every((name) => other.overrides.includes(name))),
  );
}

/** What is known of data: their titles, and which runs of theirs are the usual ones. */
export const KNOWN_DATA: KnownData = {
  tasks: SOURCE_NAMES,
  titleOf,
  divided: (groups) => ({ main: groups.length > 1 ? plainest(groups) : undefined, varied: [] }),
};

/** The title of the data of a run, in the notation of `notation.ts`. */
export const dataTitle = (record: Pick<SeedRecord, "task" | "title">): string =>
  taskTitle(record, KNOWN_DATA);
