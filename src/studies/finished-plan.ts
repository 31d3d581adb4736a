import { basename } from "node:path";
import { canonicalJson } from "../records/content-hash.js";
import { isFinished, readRunRecord, runFolder } from "../records/run-folder.js";
import type { StudyPlan } from "./plan.js";
import { readStudies } from "./read-studies.js";
import type { StudySpecification } from "./specification.js";

/**
 * The plan of a study that lies in a folder with all its runs finished; undefined if there is none. It is known without
 * the files of data, which may have been moved or left on another machine.
 */
export async function finishedPlan(
  folder: string,
  specification: StudySpecification,
): Promise<StudyPlan | undefined> {
  const wanted = withoutFolders(specification);
  const known = (await readStudies(folder)).find((study) => withoutFolders(study.specification) === wanted);
  if (!known) return undefined;
  for (const { id } of known.runs)
    if (!isFinished(await readRunRecord(runFolder(folder, id)))) return undefined;
  return { specification, runs: known.runs };
}

/** A specification as text; a file of data is the same in every folder. */
function withoutFolders(specification: StudySpecification): string {
  const tasks = specification.tasks.map((task) =>
    task.data === undefined ? task : { ...task, data: basename(task.data) },
  );
  return canonicalJson({ ...specification, tasks });
}
