import { readdir, readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { TASK_NAMES, type TaskName } from "../datasets/tasks.js";
import { FileError } from "../errors.js";
import { fileError } from "../files/disk.js";

/** Where the studies lie that come with the package; the same from `src` and from `dist`. */
const FOLDER = fileURLToPath(new URL("../../studies/", import.meta.url));

/** Names of the studies that come with the package. */
export async function builtInStudies(): Promise<string[]> {
  const files = await readdir(FOLDER).catch(() => []);
  return files
    .filter((file) => file.endsWith(".yaml"))
    .map((file) => basename(file, ".yaml"))
    .sort();
}

/** The YAML of a study, by the name of one that comes with the package or by the path of a file. */
export async function studyText(study: string): Promise<{ readonly text: string; readonly name: string }> {
  const known = await builtInStudies();
  if (known.includes(study)) {
    const name = `studies/${study}.yaml`;
    return { text: await readFile(join(FOLDER, `${study}.yaml`), "utf8"), name };
  }
  try {
    return { text: await readFile(study, "utf8"), name: study };
  } catch (error) {
    if (!/[./\\]/.test(study))
      throw new FileError(
        `there is no study "${study}"; name a YAML file or one of ${known.join(", ")}` +
          (TASK_NAMES.includes(study as TaskName)
            ? `. A study of one task: quickstart --set data=${study}`
            : ""),
      );
    throw fileError(error, study, "read");
  }
}
