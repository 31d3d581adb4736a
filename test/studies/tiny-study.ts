import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";
import { planStudy, type StudyPlan } from "../../src/studies/plan.js";
import { readSpecification } from "../../src/studies/read-specification.js";

/** A study of a few seconds: two seeds, two alphas. */
export const TINY_YAML = `name: tiny
tasks: [{ task: antiderivative, train: 64, test: 16 }]
alphas: [100, 0.1]
seeds: [0, 1]
federation: { clients: 3, rounds: 12, local_steps: 2, batch: 16 }
partition: { bins: 4, min_size: 4 }
`;

export function tinyPlan(...overrides: string[]): Promise<StudyPlan> {
  return planStudy(readSpecification(TINY_YAML, "tiny.yaml", overrides));
}

/** Fresh folders for a test file, and a cache of its own; all are removed at the end. */
export function studyFolders(): () => string {
  const root = mkdtempSync(join(tmpdir(), "pde-dirichlet-study-"));
  const before = process.env.PDE_DIRICHLET_CACHE;
  process.env.PDE_DIRICHLET_CACHE = join(root, "cache");
  afterAll(() => {
    if (before === undefined) delete process.env.PDE_DIRICHLET_CACHE;
    else process.env.PDE_DIRICHLET_CACHE = before;
    rmSync(root, { recursive: true, force: true });
  });
  return () => mkdtempSync(join(root, "out-"));
}
