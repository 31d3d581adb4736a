import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";

export const BIN = join(import.meta.dirname, "../../bin/pde-dirichlet.js");

export interface Outcome {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** A folder of its own for a test file, with its own cache and home; removed at the end. */
export function workFolder(): {
  folder: string;
  path: (name: string) => string;
  run: (...args: string[]) => Promise<Outcome>;
} {
  const folder = mkdtempSync(join(tmpdir(), "pde-dirichlet-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const path = (name: string) => join(folder, name);
  mkdirSync(path("home"));
  const env: NodeJS.ProcessEnv = { ...process.env, HOME: path("home"), PDE_DIRICHLET_CACHE: path("cache") };
  delete env.ORT_DISABLE_TELEMETRY;
  const run = (...args: string[]) =>
    new Promise<Outcome>((resolve) => {
      execFile(
        process.execPath,
        [BIN, ...args],
        { cwd: folder, env, maxBuffer: 1 << 26 },
        (error, stdout, stderr) => {
          resolve({ status: error ? Number(error.code ?? 1) : 0, stdout, stderr });
        },
      );
    });
  return { folder, path, run };
}
