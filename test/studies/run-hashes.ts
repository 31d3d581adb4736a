import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Hashes of what each run of a study left behind, times apart: two folders with equal ones hold the same bits. */
export function runHashes(study: string): Readonly<Record<string, Readonly<Record<string, string>>>> {
  const runs = readdirSync(join(study, "runs")).sort();
  return Object.fromEntries(
    runs.map((id) => [
      id,
      JSON.parse(readFileSync(join(study, "runs", id, "run.json"), "utf8")).result?.files,
    ]),
  );
}
