import type { FileData } from "../../datasets/dataset.js";
import { labelledReading } from "../../datasets/files/labelled-file.js";
import { FormatError, OptionError, UserError } from "../../errors.js";
import { studyText } from "../../studies/built-in.js";
import { finishedPlan } from "../../studies/finished-plan.js";
import { allRuns, PlanError, planStudy, type StudyPlan } from "../../studies/plan.js";
import { locateSpecification } from "../../studies/read-specification.js";
import { warn } from "../warning.js";
import type { StudyOptions } from "./study-options.js";

/** The runs of studies that a command names, having said how their files of data are read. */
export async function plansOf(
  studies: readonly string[],
  { out, set, quiet }: Pick<StudyOptions, "out" | "set" | "quiet">,
): Promise<StudyPlan[]> {
  const plans: StudyPlan[] = [];
  for (const study of studies) plans.push(await planOf(study, out, set, studies.length > 1));
  const names = plans.map(({ specification }) => specification.name);
  const twice = names.find((name, i) => names.indexOf(name) < i);
  if (twice !== undefined) throw new OptionError(`two of the studies have the name ${twice}`);
  if (!quiet) for (const line of await readings(plans)) process.stderr.write(`${line}\n`);
  for (const advice of new Set(filesOf(plans).flatMap((data) => data.advice ?? []))) warn(advice);
  return plans;
}

/** How the files of data that studies name are read, a line each; those that are gone are passed over. */
async function readings(plans: readonly StudyPlan[]): Promise<ReadonlySet<string>> {
  const lines = await Promise.all(filesOf(plans).map((data) => labelledReading(data).catch(() => [])));
  return new Set(lines.flat());
}

/** Files of data that studies name, each once. */
function filesOf(plans: readonly StudyPlan[]): readonly FileData[] {
  const files = allRuns(plans).flatMap(({ options: { data } }) => (data ? [[data.file, data] as const] : []));
  return [...new Map(files).values()];
}

/** The runs of a study; what is wrong with it names the field and, where there are other studies, it too. */
async function planOf(
  study: string,
  out: string,
  set: StudyOptions["set"],
  areSeveral: boolean,
): Promise<StudyPlan> {
  const { text, name } = await studyText(study);
  try {
    const { specification, where } = locateSpecification(text, name, set);
    try {
      return await planStudy(specification);
    } catch (error) {
      if (!(error instanceof PlanError)) throw error;
      // What is finished needs no data any more.
      const finished = await finishedPlan(out, specification);
      if (finished) {
        warn(
          `${error.message}; showing the runs of ${specification.name} in ${out}, all of which are finished`,
        );
        return finished;
      }
      const at = where(...error.fields);
      throw new (at.startsWith(name) ? FormatError : OptionError)(`${at}: ${error.message}`);
    }
  } catch (error) {
    const isNamed = error instanceof FormatError; // by the file and the line
    if (!areSeveral || isNamed || !(error instanceof UserError)) throw error;
    throw new OptionError(`${study}: ${error.message}`);
  }
}
