import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { FileError, OptionError } from "../errors.js";
import { type Output, writeOutputs } from "../files/disk.js";
import { ownDigest } from "../records/own-digest.js";
import { VERSION } from "../version.js";
import { changedFields } from "./changed-fields.js";
import { allRuns, indistinct, type PlannedRun, type StudyPlan, settingKey } from "./plan.js";
import { readStudies, STUDY_SCHEMA, type StudyFile } from "./read-studies.js";

/**
 * Puts plans into a folder. A study that is there already may be given more seeds, alphas or tasks, but no other options;
 * one whose runs differ from those that are there in something that the seed-level table does not tell is refused, and
 * all with it.
 */
export async function writeStudies(
  folder: string,
  plans: readonly StudyPlan[],
  said: { readonly command?: string } = {},
): Promise<void> {
  const files = await studyFiles(folder, plans, said);
  // Parts of a study all say the same: a file that lies there already is not written again under the eyes of others.
  const isNew = await Promise.all(
    files.map(async ({ path, bytes }) => !(await readFile(path).catch(() => undefined))?.equals(bytes)),
  );
  await writeOutputs(
    files.filter((_, i) => isNew[i]),
    { force: true },
  );
}

/** Refuses plans that do not go together with what the folder holds. */
export async function checkStudies(folder: string, plans: readonly StudyPlan[]): Promise<void> {
  await studyFiles(folder, plans, {});
}

/** The files of studies, to be written; refuses those that do not go together with what the folder holds. */
async function studyFiles(
  folder: string,
  plans: readonly StudyPlan[],
  { command }: { readonly command?: string },
): Promise<readonly (Output & { readonly bytes: Uint8Array })[]> {
  const known = await readStudies(folder);
  const now = Date.now();
  const files = plans.map(({ specification, runs }, i): StudyFile => {
    const own = known.find((study) => study.specification.name === specification.name);
    const together = plans.slice(0, i + 1);
    const contrary = indistinct(together.flatMap(({ runs }) => runs));
    if (contrary) {
      const [other, differences] = comparison(together, plans[i], contrary);
      throw new OptionError(
        `studies ${specification.name} and ${other} have the same runs with different options (${differences}): use a folder for each`,
      );
    }
    const twin =
      indistinct([...known, ...together].flatMap(({ runs }) => runs)) ?? (own && replaced(own.runs, runs));
    if (twin) {
      const [other, differences] = comparison(own ? [own, ...known] : known, plans[i], twin);
      const whose = other === specification.name ? "" : `, which has runs of study ${specification.name}`;
      throw new FileError(
        `${folder} holds study ${other}${whose} with different options (${differences}): choose another --out`,
      );
    }
    return {
      schema: STUDY_SCHEMA,
      made_with: { name: "pde-dirichlet", version: VERSION },
      started: own?.started ?? new Date(now + i).toISOString(), // in this order
      command: command ?? own?.command,
      specification,
      runs: allRuns([own ?? { runs: [] }, { runs }]),
    };
  });
  return Promise.all(
    files.map(async (file) => {
      const text = JSON.stringify({ ...file, sha256: await ownDigest(file) }, null, 1);
      return {
        path: join(folder, "studies", `${file.specification.name}.json`),
        bytes: new TextEncoder().encode(`${text}\n`),
      };
    }),
  );
}

/** The name of the study that has the first of two runs, and the fields in which a plan differs from it. */
function comparison(
  studies: readonly StudyPlan[],
  plan: StudyPlan,
  twins: readonly [string, string],
): readonly [string, string] {
  const before = studies.find(({ runs }) => runs.some(({ id }) => id === twins[0])) ?? studies[0];
  return [before.specification.name, changedFields(before, plan, twins)];
}

/** A run that is asked for no more, and the one that would take its place with other options; undefined without one. */
function replaced(
  before: readonly PlannedRun[],
  now: readonly PlannedRun[],
): readonly [string, string] | undefined {
  const [asked, had] = [now, before].map((runs) => new Set(runs.map(({ id }) => id)));
  const references = new Map(before.map(({ id, reference }) => [id, reference]));
  const compared = now.find(({ id, reference }) => had.has(id) && references.get(id) !== reference);
  if (compared) return [references.get(compared.id)!, compared.reference];
  const gone = before.filter(({ id }) => !asked.has(id));
  const places = new Map(gone.map(({ id, options }) => [settingKey(options), id]));
  const other = now.find(({ id, options }) => !had.has(id) && places.has(settingKey(options)));
  return other && [places.get(settingKey(other.options))!, other.id];
}
