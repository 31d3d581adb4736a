import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { FormatError } from "../errors.js";
import { fileError } from "../files/disk.js";
import { readReplaceable } from "../files/stale-handles.js";
import { checkOwnDigest } from "../records/own-digest.js";
import type { PlannedRun } from "./plan.js";
import type { StudySpecification } from "./specification.js";

/** The name and version of the layout of a study's file; the one before is the same without `sha256`. */
export const STUDY_SCHEMA = "pde-dirichlet/study/3";
const EARLIER_SCHEMA = "pde-dirichlet/study/2";
const MEND = "restore a copy, or delete it and run the same study again, which keeps finished runs";

const studySchema = z.looseObject({
  schema: z.enum([STUDY_SCHEMA, EARLIER_SCHEMA]),
  started: z.string(),
  /** The command line that asked for it last. */
  command: z.string().optional(),
  specification: z
    .looseObject({
      name: z.string(),
      title: z.string().optional(),
      reference: z.number(),
      tasks: z.array(z.looseObject({})),
    })
    .transform((specification) => specification as unknown as StudySpecification),
  runs: z.array(
    z.object({
      id: z.string(),
      reference: z.string(),
      options: z.custom<PlannedRun["options"]>((value) => typeof value === "object" && value !== null),
      /** What tells the run apart (`Settings`); earlier files leave it to the options. */
      settings: z.custom<PlannedRun["settings"]>().optional(),
      overrides: z.custom<PlannedRun["overrides"]>().optional(),
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
  const text = await readReplaceable(path).catch((error) => {
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
      `${path} is not a study of this tool: ${field.join(".") || "the whole file"}: ${message}`,
    );
  }
  const required = parsed.data.schema === STUDY_SCHEMA;
  await checkOwnDigest(json as object, { name: path, required, mend: MEND });
  return parsed.data;
}
