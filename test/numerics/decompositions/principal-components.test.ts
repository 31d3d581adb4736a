import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { writeNpy } from "../../../src/files/npy.js";
import {
  type PassedRows,
  principalComponents,
} from "../../../src/numerics/decompositions/principal-components.js";
import { normal } from "../../../src/random/normal.js";
import { stream } from "../../../src/random/stream.js";

const python = process.env.PDE_DIRICHLET_PYTHON;

/** Rows with variances that fall by a factor of 0.6 from one hidden direction to the next, about a large mean. */
function table(rows: number, columns: number, seed = 1): Float64Array {
  const random = stream(seed, "table");
  const ranks = Math.min(rows, columns, 30);
  const directions = Float64Array.from({ length: ranks * columns }, () => normal(random));
  const values = new Float64Array(rows * columns).fill(50);
  for (let row = 0; row < rows; row++)
    for (let rank = 0; rank < ranks; rank++) {
      const score = normal(random) * 0.6 ** rank;
      for (let c = 0; c < columns; c++) values[row * columns + c] += score * directions[rank * columns + c];
    }
  return values;
}

const passes = (values: Float64Array, rows: number, columns: number, block: number): PassedRows => ({
  rows,
  columns,
  async *pass() {
    for (let start = 0; start < rows; start += block) {
      const end = Math.min(start + block, rows);
      yield { values: values.subarray(start * columns, end * columns), count: end - start };
    }
  },
});

async function found(values: Float64Array, rows: number, columns: number, count: number, block = rows) {
  const random = stream(0, "pca");
  return principalComponents(passes(values, rows, columns, block), count, () => normal(random));
}

describe("principal components", () => {
  it("are orthonormal, and their variances fall and never exceed the whole", async () => {
    const { components, variances, totalVariance } = await found(table(80, 50), 80, 50, 6);
    for (let i = 0; i < 6; i++)
      for (let j = 0; j < 6; j++) {
        let dot = 0;
        for (let c = 0; c < 50; c++) dot += components[i * 50 + c] * components[j * 50 + c];
        expect(dot).toBeCloseTo(i === j ? 1 : 0, 12);
      }
    expect([...variances]).toEqual([...variances].sort((a, b) => b - a));
    expect(variances.reduce((a, b) => a + b, 0)).toBeLessThan(totalVariance);
  });

  it("hold all of the variance where there are as many as the rank", async () => {
    const values = table(40, 5);
    const { variances, totalVariance } = await found(values, 40, 5, 5);
    expect(variances.reduce((a, b) => a + b, 0)).toBeCloseTo(totalVariance, 10);
    const flat = Float64Array.from({ length: 40 * 8 }, (_, i) => Math.floor(i / 8) * ((i % 8) - 3));
    const low = await found(flat, 40, 8, 4);
    expect(low.variances[0]).toBeCloseTo(low.totalVariance, 8);
    expect(low.variances[1]).toBeLessThan(1e-12 * low.totalVariance);
  });

  it.skipIf(!python)(
    "are those of scikit-learn's full decomposition",
    async () => {
      const folder = mkdtempSync(join(tmpdir(), "pca-"));
      const cases = [
        [200, 120, 5],
        [30, 300, 8],
        [300, 20, 20],
      ] as const;
      try {
        cases.forEach(([rows, columns], i) => {
          writeFileSync(join(folder, `${i}.npy`), writeNpy(table(rows, columns), [rows, columns]));
        });
        const script = `
import numpy as np, json
from sklearn.decomposition import PCA
found = []
for i, count in enumerate([${cases.map(([, , count]) => count)}]):
    p = PCA(count, svd_solver="full").fit(np.load(f"{i}.npy"))
    found.append({"mean": p.mean_.tolist(), "components": p.components_.tolist(), "share": p.explained_variance_ratio_.tolist()})
json.dump(found, open("p.json", "w"))`;
        execFileSync(python!, ["-c", script], { cwd: folder });
        const oracles = JSON.parse(readFileSync(join(folder, "p.json"), "utf8"));
        for (const [i, [rows, columns, count]] of cases.entries()) {
          const oracle = oracles[i];
          const pca = await found(table(rows, columns), rows, columns, count);
          const { mean, components, variances, totalVariance } = pca;
          oracle.mean.forEach((value: number, c: number) => {
            expect(mean[c]).toBeCloseTo(value, 10);
          });
          for (let k = 0; k < count; k++) {
            expect(variances[k] / totalVariance).toBeCloseTo(oracle.share[k], 8);
            const dot = oracle.components[k].reduce(
              (sum: number, value: number, c: number) => sum + value * components[k * columns + c],
              0,
            );
            expect(Math.abs(dot)).toBeGreaterThan(1 - 1e-8);
          }
        }
      } finally {
        rmSync(folder, { recursive: true });
      }
    },
    60_000,
  );
});
