import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { EXPORTS } from "../../src/exchange/exports.js";
import { partitionBins } from "../../src/partition/partition.js";

const PYTHON = process.env.PDE_DIRICHLET_PYTHON ?? "python3";
const ROOT = join(import.meta.dirname, "../..");

/** What the lines import beside NumPy and pandas. */
const NEEDS: Readonly<Record<string, string>> = { flower: "flwr_datasets", fedml: "fedml" };

/** Whether Python is there with the packages that a format's two lines import. */
function has(...modules: string[]): boolean {
  return spawnSync(PYTHON, ["-c", modules.map((name) => `import ${name}`).join("; ")]).status === 0;
}

describe("in real Python", () => {
  const folder = mkdtempSync(join(tmpdir(), "pde-dirichlet-python-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const binOfSample = Int32Array.from({ length: 120 }, (_, sample) => (sample * sample) % 5);
  const partition = partitionBins(binOfSample, { clients: 4, bins: 5, alpha: 0.2, seed: 3, minSize: 5 });

  for (const [name, format] of Object.entries(EXPORTS)) {
    it.skipIf(!has("numpy", "pandas", NEEDS[name] ?? "json"))(
      `the lines that ${name} prints load the export`,
      async () => {
        const out = join(folder, name);
        for (const file of format.files(partition)) {
          const path = format.output === "folder" ? join(out, file.path) : out;
          mkdirSync(dirname(path), { recursive: true });
          writeFileSync(path, await file.bytes());
        }
        const ran = spawnSync(PYTHON, ["-W", "error::SyntaxWarning", "-c", format.python(out)], {
          encoding: "utf8",
        });
        expect(ran.stderr).not.toMatch(/Traceback/);
        expect(ran.status).toBe(0);
      },
    );
  }

  it.skipIf(!has("numpy", "pandas"))("every golden export agrees with its partition", () => {
    const ran = spawnSync(PYTHON, ["scripts/check-exports.py", "test/golden/exports"], {
      cwd: ROOT,
      encoding: "utf8",
    });
    expect(ran.stderr + ran.stdout).not.toMatch(/Traceback/);
    expect(ran.status).toBe(0);
  });
});
