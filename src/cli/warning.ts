import { oneLine } from "./one-line.js";

/** Says on standard error what should not be missed though the work is done; `--quiet` is for progress alone. */
export function warn(message: string): void {
  process.stderr.write(`pde-dirichlet: warning: ${oneLine(message)}\n`);
}
