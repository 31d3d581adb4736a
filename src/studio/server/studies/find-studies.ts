import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { livingWorkers } from "../../../studies/parts/workers.js";
import { RECORDS_CSV, RECORDS_PARQUET } from "../../../studies/record-files.js";
import type { FoundStudy } from "../../study/study-events.js";

/** How deep below the open folder studies are looked for, and in how many folders at most. */
const [DEEPEST, MOST_FOLDERS] = [4, 4000];
/** Folders that hold no studies and many files. */
const PASSED = /^(\.|node_modules$|runs$|studies$|figures$|tables$|parts$|workers$)/;

/** Folders with runs or their table, the one that changed last at the front. Links are not followed. */
export async function findStudies(root: string): Promise<FoundStudy[]> {
  const found: FoundStudy[] = [];
  let level: readonly string[] = [""];
  let visited = 0;
  for (let depth = 0; depth <= DEEPEST && level.length > 0; depth++) {
    const next: string[] = [];
    for (const path of level) {
      if (++visited > MOST_FOLDERS) break;
      const entries = await readdir(join(root, path), { withFileTypes: true }).catch(() => []);
      const study = await studyIn(
        root,
        path,
        entries.map(({ name }) => name),
      );
      if (study) found.push(study);
      for (const entry of entries)
        if (entry.isDirectory() && !PASSED.test(entry.name))
          next.push(path === "" ? entry.name : `${path}/${entry.name}`);
    }
    level = next;
  }
  return found.sort((a, b) => Number(b.isWorkedOn) - Number(a.isWorkedOn) || b.changed - a.changed);
}

async function studyIn(
  root: string,
  path: string,
  names: readonly string[],
): Promise<FoundStudy | undefined> {
  const folder = join(root, path);
  const has = (name: string) => names.includes(name);
  const plans = has("studies") ? await readPlans(join(folder, "studies")) : [];
  const runs = has("runs") ? await readdir(join(folder, "runs")).catch(() => []) : [];
  const hasTable = has(RECORDS_PARQUET) || has(RECORDS_CSV);
  if (plans.length === 0 && runs.length === 0 && !hasTable) return undefined;
  const watched = ["runs", "studies", RECORDS_PARQUET, RECORDS_CSV].filter(has);
  const times = await Promise.all(
    watched.map((name) =>
      stat(join(folder, name)).then(
        ({ mtimeMs }) => mtimeMs,
        () => 0,
      ),
    ),
  );
  const ids = new Set(plans.flatMap((plan) => plan.runs));
  const count = plans.length > 0 ? ids.size : runs.length;
  return {
    path: path === "" ? "." : path,
    names: plans.map(({ name }) => name),
    ...(plans.length === 1 && plans[0].title !== undefined && { title: plans[0].title }),
    ...(count > 0 && { runs: count }),
    hasTable,
    hasReport: has("report.html"),
    isWorkedOn: (await livingWorkers(folder)).length > 0,
    changed: Math.max(0, ...times),
  };
}

interface Plan {
  readonly name: string;
  readonly title?: string;
  readonly runs: readonly string[];
}

/** What the files of studies say of themselves; a file that cannot be read is passed over until somebody opens it. */
async function readPlans(folder: string): Promise<Plan[]> {
  const names = await readdir(folder).catch(() => []);
  const plans: Plan[] = [];
  for (const name of names.filter((one) => one.endsWith(".json") && !one.startsWith("."))) {
    try {
      const { specification, runs } = JSON.parse(await readFile(join(folder, name), "utf8"));
      const { name: own, title } = specification;
      plans.push({
        name: String(own),
        ...(typeof title === "string" && { title }),
        runs: runs.map(({ id }: { id: unknown }) => String(id)),
      });
    } catch {}
  }
  return plans;
}
