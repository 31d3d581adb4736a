import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { prepareData } from "../../../src/federation/prepared-data.js";
import { runOptions } from "../../../src/federation/run-options.js";
import { openTheoryProblems, type TheoryProblems } from "../../../src/paper/theory/theory-problem.js";

/** Antiderivative with few samples, bins and clients, and a narrow DeepONet. */
export async function tinyTheory(): Promise<TheoryProblems> {
  const before = process.env.PDE_DIRICHLET_CACHE;
  const cache = mkdtempSync(join(tmpdir(), "pde-dirichlet-theory-"));
  process.env.PDE_DIRICHLET_CACHE = cache;
  try {
    const options = runOptions({
      task: "antiderivative",
      alpha: 1,
      seed: 3,
      train: 60,
      test: 20,
      clients: 3,
      bins: 4,
      minSize: 4,
      model: { width: 6 },
    });
    return await openTheoryProblems(
      { options, data: await prepareData(options) },
      { rounds: 5, seeds: 2, gradientSeeds: 3, draws: { leading: 6, paper: 2 } },
    );
  } finally {
    if (before === undefined) delete process.env.PDE_DIRICHLET_CACHE;
    else process.env.PDE_DIRICHLET_CACHE = before;
    rmSync(cache, { recursive: true, force: true });
  }
}
