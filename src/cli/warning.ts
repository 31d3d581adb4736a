import { oneLine } from "./one-line.js";

/** Says on standard error what should not be missed though the work is done; `--quiet` is for progress alone. */
export function warn(message: string): void {
  const freshLine = process.stderr.isTTY ? "\r\x1b[K" : ""; // a line of progress may be there
  process.stderr.write(`${freshLine}pde-dirichlet: warning: ${oneLine(message)}\n`);
}

/** The same, but every message once. */
export function warnOnce(): (message: string) => void {
  const said = new Set<string>();
  return (message) => {
    if (!said.has(message)) warn(message);
    said.add(message);
  };
}
