import type { PlannedRun } from "./plan.js";
import { recordedOptions } from "./recorded-options.js";
import type { StudySpecification } from "./specification.js";

/** Changes that a message names at most. */
const MOST_NAMED = 10;

/** What a study may have more of in a folder where it is already, and what says nothing about its runs. */
const EXTENSIBLE = ["name", "title", "alphas", "seeds"];

interface Study {
  readonly specification: StudySpecification;
  readonly runs: readonly PlannedRun[];
}

/**
 * The fields in which one study differs from another, as `federation.rounds is 31, was 30`. Where the YAML says the same,
 * as for a file of data that has changed, it is the recorded options of two runs that differ.
 *
 * @param twins a run of the earlier study, and the one of the later study that would take its place
 */
export function changedFields(before: Study, now: Study, twins: readonly [string, string]): string {
  const fields = [
    ...changes(comparable(before.specification), comparable(now.specification)),
    ...now.specification.tasks.flatMap((task, i) => changes(counterpart(before, now, i), task, `tasks.${i}`)),
  ];
  const [old, own] = [before, now].map(({ runs }, i) => runs.find(({ id }) => id === twins[i]));
  if (fields.length === 0 && old && own)
    fields.push(...changes(recordedOptions(old.options), recordedOptions(own.options)));
  const more = fields.length - MOST_NAMED;
  return [...fields.slice(0, MOST_NAMED), ...(more > 0 ? [`and ${more} more`] : [])].join("; ");
}

/** All fields but those that may differ and the tasks, which are compared one by one. */
function comparable({ tasks: _, ...specification }: StudySpecification): object {
  return Object.fromEntries(Object.entries(specification).filter(([name]) => !EXTENSIBLE.includes(name)));
}

/** The earlier entry of a task: that at its position, or the first of its kind; a new task is its own. */
function counterpart(before: Study, now: Study, position: number): unknown {
  const own = now.specification.tasks[position];
  const { tasks } = before.specification;
  const isAlike = (other: (typeof tasks)[number] | undefined) => other?.task === own.task;
  return isAlike(tasks[position]) ? tasks[position] : (tasks.find(isAlike) ?? own);
}

/** The leaves in which two values differ, each as a clause. A list of one value is that value, as it may be in the YAML. */
function changes(before: unknown, now: unknown, name = ""): string[] {
  const [old, own] = [before, now].map(unlisted);
  if (isMap(old) && isMap(own)) {
    const names = [...new Set([...Object.keys(own), ...Object.keys(old)])];
    return names.flatMap((part) => changes(old[part], own[part], name === "" ? part : `${name}.${part}`));
  }
  const [was, is] = [shown(old), shown(own)];
  return was === is ? [] : [`${name} is ${is}, was ${was}`];
}

/** The value itself of a list of one. */
function unlisted(value: unknown): unknown {
  return Array.isArray(value) && value.length === 1 ? value[0] : value;
}

function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function shown(value: unknown): string {
  if (value === undefined) return "left out";
  return typeof value === "string" ? value : JSON.stringify(value, (_, part) => unlisted(part));
}
