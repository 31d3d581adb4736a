import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { FileError, FormatError, OptionError } from "../errors.js";
import { fileError, writeOutputs } from "../files/disk.js";
import { checkOwnDigest, ownDigest } from "../records/own-digest.js";
import { VERSION } from "../version.js";
import { changedFields } from "./changed-fields.js";
import { allRuns, indistinct, type PlannedRun, type StudyPlan, settingKey } from "./plan.js";
import { specificationSchema } from "./specification.js";

/** The name and version of the layout of a study's file; the one before is the same without `sha256`. */
const STUDY_SCHEMA = "pde-dirichlet/study/3";
const EARLIER_SCHEMA = "pde-dirichlet/study/2";
const MEND = "bring back a copy, or delete it and run the same study again, which keeps finished runs";

const studySchema = z.looseObject({
  schema: z.enum([STUDY_SCHEMA, EARLIER_SCHEMA]),
  started: z.string(),
  /** The command line that asked for it last. */
  command: z.string().optional(),
  specification: specificationSchema,
  runs: z.array(
    z.object({
      id: z.string(),
      reference: z.string(),
      options: z.custom<PlannedRun["options"]>((value) => typeof value === "object" && value !== null),
    }),
  ),
});

/** A study as it lies in a folder: what was asked for and the runs that it takes. */
export type StudyFile = z.infer<typeof studySchema>;

/** The studies of a folder, the one that began first at the front. A folder may hold several; they share runs. */
export async function readStudies(folder: string): Promise<StudyFile[]> {
  const below = join(folder, "studies");
  const names = await readdir(below).catch((error) => {
    if (error.code === "ENOENT") return [];
    throw fileError(error, below, "read");
  });
  const studies: StudyFile[] = [];
  for (const name of names.filter((name) => name.endsWith(".json") && !name.startsWith(".")))
    studies.push(await readStudy(join(below, name)));
  return studies.sort((a, b) => (a.started < b.started ? -1 : a.started > b.started ? 1 : 0));
}

async function readStudy(path: string): Promise<StudyFile> {
  const text = await readFile(path, "utf8").catch((error) => {
    throw fileError(error, path, "read");
  });
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    throw new FormatError(`${path} is not JSON (truncated?)`);
  }
  const parsed = studySchema.safeParse(json);
  if (!parsed.success) {
    const { path: field, message } = parsed.error.issues[0];
    throw new FormatError(
      `${path} is not a study of this tool: ${field.join(".") || "the whole"}: ${message}`,
    );
  }
  const required = parsed.data.schema === STUDY_SCHEMA;
  await checkOwnDigest(json as object, { name: path, required, mend: MEND });
  return parsed.data;
}

/**
 * Puts plans into a folder. A study that is there already may be given more seeds, alphas or tasks, but no other options;
 * one whose runs differ from those that are there in something that the seed-level table does not tell is refused, and
 * all with it.
 */
export async function writeStudies(
  folder: string,
  plans: readonly StudyPlan[],
  { command }: { readonly command?: string } = {},
): Promise<void> {
  const known = await readStudies(folder);
  const now = Date.now();
  const files = plans.map(({ specification, runs }, i): StudyFile => {
    const own = known.find((study) => study.specification.name === specification.name);
    const together = plans.slice(0, i + 1);
    const contrary = indistinct(together.flatMap(({ runs }) => runs));
    if (contrary) {
      const [other, differences] = comparison(together, plans[i], contrary);
      throw new OptionError(
        `study ${specification.name} has runs of study ${other} with other options (${differences}): give it a folder of its own`,
      );
    }
    const twin =
      indistinct([...known, ...together].flatMap(({ runs }) => runs)) ?? (own && replaced(own.runs, runs));
    if (twin) {
      const [other, differences] = comparison(own ? [own, ...known] : known, plans[i], twin);
      const whose = other === specification.name ? "" : `, whose runs study ${specification.name} has`;
      throw new FileError(
        `${folder} holds study ${other}${whose} with other options (${differences}): choose another --out`,
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
  const outputs = await Promise.all(
    files.map(async (file) => {
      const text = JSON.stringify({ ...file, sha256: await ownDigest(file) }, null, 1);
      return {
        path: join(folder, "studies", `${file.specification.name}.json`),
        bytes: new TextEncoder().encode(`${text}\n`),
      };
    }),
  );
  await writeOutputs(outputs, { force: true });
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
