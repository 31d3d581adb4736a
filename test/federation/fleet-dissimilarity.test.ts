import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { gather, matmul, reshape } from "../../src/engine/operations.js";
import { referenceBackend } from "../../src/engine/reference.js";
import type { FederatedProblem } from "../../src/federation/federated-problem.js";
import type { FleetData } from "../../src/federation/fleet-data.js";
import { gradientDissimilarities } from "../../src/federation/fleet-dissimilarity.js";
import { dissimilarity } from "../../src/federation/observables.js";
import type { Training } from "../../src/models/trainable-model.js";

const PARAMETERS = 3;

/** Training in which the gradient of each sample is given: a row of `rows`. */
function givenGradients(rows: Float32Array): Pick<FleetData, "operator" | "training"> {
  const layout = [{ name: "weights", shape: [PARAMETERS], start: 0, size: PARAMETERS }];
  const training: Training = {
    blocks: layout,
    data: { rows: { values: rows, shape: [rows.length / PARAMETERS, PARAMETERS] } },
    gradients(_, data, chosen, shares) {
      const [runs, batch] = chosen.shape;
      const weighted = matmul(reshape(shares, [runs, 1, batch]), gather(data.rows, chosen));
      return { weights: reshape(weighted, [runs, PARAMETERS]) };
    },
  };
  return { operator: { layout } as unknown as FleetData["operator"], training };
}

/** Clients of these sizes, their samples one behind another. */
function clientsOf(sizes: readonly number[]) {
  const total = sizes.reduce((a, b) => a + b, 0);
  let end = 0;
  const clientIndices = sizes.map((size) => {
    end += size;
    return Int32Array.from({ length: size }, (_, i) => end - size + i);
  });
  return { total, clientIndices, weights: Float64Array.from(sizes, (size) => size / total) };
}

describe("the gradient dissimilarity of runs side by side", () => {
  const size = fc.oneof(fc.integer({ min: 1, max: 3 }), fc.integer({ min: 20, max: 60 }));
  const fleet = fc
    .record({ runs: fc.integer({ min: 1, max: 3 }), clients: fc.integer({ min: 1, max: 5 }) })
    .chain(({ runs, clients }) =>
      fc.array(fc.array(size, { minLength: clients, maxLength: clients }), {
        minLength: runs,
        maxLength: runs,
      }),
    );

  it("is eq:gradient-metric of each, with clients of any size and gradients that hardly differ", async () => {
    await fc.assert(
      fc.asyncProperty(
        fleet,
        fc.integer({ min: 1, max: 8 }),
        fc.integer({ min: -6, max: 1 }),
        fc.integer(),
        async (sizes, rows, apart, start) => {
          const runs = sizes.map(clientsOf);
          const starts = runs.map((_, run) => runs.slice(0, run).reduce((sum, { total }) => sum + total, 0));
          const count = PARAMETERS * runs.reduce((sum, { total }) => sum + total, 0);
          const given = Float32Array.from(
            { length: count },
            (_, i) => 1 + (i % PARAMETERS) + 10 ** apart * Math.sin(start + i * i),
          );
          const found = await gradientDissimilarities(
            runs as unknown as FederatedProblem[],
            { ...givenGradients(given), train: { starts } as unknown as FleetData["train"] },
            runs.map(() => new Float32Array(PARAMETERS)),
            { backend: referenceBackend, rows },
          );
          runs.forEach(({ clientIndices, weights }, run) => {
            const ofSample = (i: number, p: number) => given[(starts[run] + i) * PARAMETERS + p];
            const means = clientIndices.map((own) =>
              Float64Array.from(
                { length: PARAMETERS },
                (_, p) => own.reduce((sum, i) => sum + ofSample(i, p), 0) / own.length,
              ),
            );
            const expected = dissimilarity(means, weights);
            // Shares of samples are float32, so that gradients are off by half a unit in the last place.
            expect(Math.abs(found[run] - expected)).toBeLessThan(2e-7 * Math.sqrt(expected) + 1e-14);
          });
        },
      ),
    );
  });
});
