import { execFile } from "node:child_process";
import { UserError } from "../../errors.js";

/** What one of Slurm's commands said. */
export interface SlurmAnswer {
  readonly isDone: boolean;
  readonly output: string;
  /** Its message, where it failed. */
  readonly message: string;
}

/** Slurm answers within seconds unless it is overloaded. */
const PATIENCE_MS = 60_000;

/** Runs one of Slurm's commands. Throws where it is not installed here, or does not answer. */
export function askSlurm(program: string, words: readonly string[]): Promise<SlurmAnswer> {
  return new Promise((resolve, reject) => {
    execFile(program, [...words], { timeout: PATIENCE_MS, maxBuffer: 2 ** 28 }, (error, output, said) => {
      if (error && (error as NodeJS.ErrnoException).code === "ENOENT")
        reject(new UserError(`Slurm's ${program} is not on this machine: use a login node of the cluster`));
      else if (error?.killed) reject(new UserError(`Slurm's ${program} does not answer`));
      else resolve({ isDone: !error, output, message: messageOf(said) || (error?.message ?? "") });
    });
  });
}

/** The same where nothing but success will do. */
export async function needSlurm(program: string, words: readonly string[]): Promise<string> {
  const { isDone, output, message } = await askSlurm(program, words);
  if (!isDone) throw new UserError(`Slurm: ${message}`);
  return output;
}

/** Slurm's own words on one line: `invalid partition specified: nope; Batch job submission failed: ...`. */
function messageOf(said: string): string {
  const lines = said.split("\n").map((line) => line.replace(/^\w+: (error: )?/, "").trim());
  return lines.filter(Boolean).join("; ");
}
