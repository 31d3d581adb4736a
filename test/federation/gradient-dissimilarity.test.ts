import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { EPSILON } from "../../src/diagnostics/gradient-dissimilarity.js";
import { gather, matmul, reshape } from "../../src/engine/operations.js";
import { referenceBackend } from "../../src/engine/reference.js";
import { gradientDissimilarities } from "../../src/federation/observables/gradient-dissimilarity.js";
import type { ReplicaData } from "../../src/federation/replicas/replicas-data.js";
import type { Training } from "../../src/models/trainable-model.js";

const PARAMETERS = 3;

/** Training in which the gradient of each sample is given: a row of `rows`. */
function givenGradients(rows: Float32Array): Pick<ReplicaData, "operator" | "training"> {
  const layout = [{ name: "weights", shape: [PARAMETERS], start: 0, size: PARAMETERS }];
  const training: Training = {
    blocks: layout,
    replace: (samples) => rows.set(samples.responses),
    data: { rows: { values: rows, shape: [rows.length / PARAMETERS, PARAMETERS] } },
    gradients(_, data, chosen, shares) {
      const [axes, batch] = [chosen.shape.slice(0, -1), chosen.shape.at(-1)!];
      const weighted = matmul(reshape(shares, [...axes, 1, batch]), gather(data.rows, chosen));
      return { weights: reshape(weighted, [...axes, PARAMETERS]) };
    },
  };
  return {
    operator: { layout } as unknown as ReplicaData["operator"],
    training: () => ({ shape: training, read: async (indices) => ({ held: training, indices }) }),
  };
}

/** eq:gradient-metric of gradients that are at hand. */
function dissimilarity(gradients: readonly Float64Array[], shares: Float64Array): number {
  const over = (value: (client: number) => number) =>
    shares.reduce((sum, share, client) => sum + share * value(client), 0);
  const mean = gradients[0].map((_, i) => over((client) => gradients[client][i]));
  const square = (of: (client: number, i: number) => number) =>
    over((client) => mean.reduce((sum, _, i) => sum + of(client, i) ** 2, 0));
  return (
    square((client, i) => gradients[client][i] - mean[i]) /
    (square((client, i) => gradients[client][i]) + EPSILON)
  );
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

describe("the gradient dissimilarity of replicas", () => {
  const size = fc.oneof(fc.integer({ min: 1, max: 3 }), fc.integer({ min: 20, max: 60 }));
  const batches = fc
    .record({ replicas: fc.integer({ min: 1, max: 3 }), clients: fc.integer({ min: 1, max: 5 }) })
    .chain(({ replicas, clients }) =>
      fc.array(fc.array(size, { minLength: clients, maxLength: clients }), {
        minLength: replicas,
        maxLength: replicas,
      }),
    );

  it.each([
    ["added up in float64", referenceBackend],
    ["added up in the program", { ...referenceBackend, prefersLargeKernels: true }],
  ])(
    "is eq:gradient-metric of each, with clients of any size and gradients that hardly differ: %s",
    async (_, backend) => {
      await fc.assert(
        fc.asyncProperty(
          batches,
          fc.integer({ min: 1, max: 8 }),
          fc.integer({ min: -6, max: 1 }),
          fc.integer(),
          async (sizes, rows, apart, start) => {
            const replicas = sizes.map(clientsOf);
            const starts = replicas.map((_, i) =>
              replicas.slice(0, i).reduce((sum, { total }) => sum + total, 0),
            );
            const count = PARAMETERS * replicas.reduce((sum, { total }) => sum + total, 0);
            const given = Float32Array.from(
              { length: count },
              (_, i) => 1 + (i % PARAMETERS) + 10 ** apart * Math.sin(start + i * i),
            );
            const found = await gradientDissimilarities(
              replicas,
              { ...givenGradients(given), train: { starts } },
              replicas.map(() => new Float32Array(PARAMETERS)),
              { backend, rows },
            );
            const computedTwice = await gradientDissimilarities(
              replicas,
              { ...givenGradients(given), train: { starts } },
              replicas.map(() => new Float32Array(PARAMETERS)),
              { backend, rows, held: 0 }, // there is no room for them
            );
            expect(computedTwice).toEqual(found);
            replicas.forEach(({ clientIndices, weights }, replica) => {
              const ofSample = (i: number, p: number) => given[(starts[replica] + i) * PARAMETERS + p];
              const means = clientIndices.map((own) =>
                Float64Array.from(
                  { length: PARAMETERS },
                  (_, p) => own.reduce((sum, i) => sum + ofSample(i, p), 0) / own.length,
                ),
              );
              const expected = dissimilarity(means, weights);
              // Shares of samples are float32, so that gradients are off by half a unit in the last place.
              expect(Math.abs(found[replica] - expected)).toBeLessThan(2e-7 * Math.sqrt(expected) + 1e-14);
            });
          },
        ),
      );
    },
  );
});
