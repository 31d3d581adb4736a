import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { writeOutputs } from "../files/disk.js";
import { VERSION } from "../version.js";
import { RUN_FILES } from "./run-folder.js";

/** The name and version of `failure.json`'s layout. */
export const FAILURE_SCHEMA = "pde-dirichlet/failure/1";

export const failureSchema = z.object({
  schema: z.literal(FAILURE_SCHEMA),
  /** Name of the run. */
  id: z.string(),
  /** `diverged` where training did, `failed` for everything else. */
  reason: z.enum(["diverged", "failed"]),
  /** The checkpoint before which it diverged. */
  round: z.int().nonnegative().nullable(),
  message: z.string(),
  made_with: z.object({ name: z.string(), version: z.string() }),
  failed: z.string(),
});

/** Why a run has no result. It lies in the run's folder until the run is carried out again. */
export type RunFailure = z.infer<typeof failureSchema>;

/** Longest message that is kept; errors of other programs can be of any length. */
const LONGEST = 400;

/** Keeps why a run failed. */
export async function writeFailure(folder: string, id: string, error: Error): Promise<void> {
  const { message } = error;
  const diverged = /\bdiverged before round (\d+)/.exec(message);
  const failure: RunFailure = {
    schema: FAILURE_SCHEMA,
    id,
    reason: diverged ? "diverged" : "failed",
    round: diverged ? Number(diverged[1]) : null,
    message: message.length > LONGEST ? `${message.slice(0, LONGEST)}…` : message,
    made_with: { name: "pde-dirichlet", version: VERSION },
    failed: new Date().toISOString(),
  };
  const text = `${JSON.stringify(failure, null, 2)}\n`;
  await writeOutputs([{ path: join(folder, RUN_FILES.failure), bytes: new TextEncoder().encode(text) }], {
    force: true,
  });
}

/** Why a run failed; undefined if it did not, or if nobody knows. */
export async function readFailure(folder: string): Promise<RunFailure | undefined> {
  try {
    return failureSchema.safeParse(JSON.parse(await readFile(join(folder, RUN_FILES.failure), "utf8"))).data;
  } catch {
    return undefined;
  }
}

/** Forgets why a run failed, as it is carried out again. */
export async function clearFailure(folder: string): Promise<void> {
  await rm(join(folder, RUN_FILES.failure), { force: true });
}

/** "diverged before round 10", "failed: out of memory". */
export function failureWords({ id, reason, round, message }: RunFailure): string {
  if (reason === "diverged" && round !== null) return `diverged before round ${round}`;
  return `failed: ${message.replace(`run ${id} `, "").replace(/\s+/g, " ")}`;
}
