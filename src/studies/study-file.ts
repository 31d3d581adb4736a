import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { FileError, FormatError } from "../errors.js";
import { fileError, writeOutputs } from "../files/disk.js";
import { VERSION } from "../version.js";
import { indistinct, type PlannedRun, type StudyPlan } from "./plan.js";
import { specificationSchema } from "./specification.js";

/** The name and version of the layout of a study's file. */
const STUDY_SCHEMA = "pde-dirichlet/study/2";

const studySchema = z.looseObject({
  schema: z.literal(STUDY_SCHEMA),
  started: z.string(),
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
  if (parsed.success) return parsed.data;
  const { path: field, message } = parsed.error.issues[0];
  throw new FormatError(`${path} is not a study of this tool: ${field.join(".") || "the whole"}: ${message}`);
}

/**
 * Puts a plan into a folder. A study that is there already may be given more seeds, alphas or tasks; one whose runs
 * differ from those that are there in something that the seed-level table does not tell is refused.
 */
export async function writeStudy(folder: string, plan: StudyPlan): Promise<void> {
  const { name } = plan.specification;
  const known = await readStudies(folder);
  const own = known.find(({ specification }) => specification.name === name);
  const twin = indistinct([...known.flatMap(({ runs }) => runs), ...plan.runs]);
  if (twin)
    throw new FileError(
      `${folder} holds run ${twin[0]}, which study ${name} has with other options (${twin[1]}): choose another --out`,
    );
  const runs = new Map([...(own?.runs ?? []), ...plan.runs].map((run) => [run.id, run]));
  const file: StudyFile = {
    schema: STUDY_SCHEMA,
    made_with: { name: "pde-dirichlet", version: VERSION },
    started: own?.started ?? new Date().toISOString(),
    specification: plan.specification,
    runs: [...runs.values()],
  };
  const bytes = new TextEncoder().encode(`${JSON.stringify(file, null, 1)}\n`);
  await writeOutputs([{ path: join(folder, "studies", `${name}.json`), bytes }], { force: true });
}
