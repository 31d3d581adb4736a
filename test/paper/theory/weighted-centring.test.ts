import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { combination, minus, norm } from "../../../src/numerics/vector.js";
import { centred, weightedSpread, weightedSquare } from "../../../src/paper/theory/weighted-centring.js";
import { clientVectors } from "./arbitraries.js";

describe("weighted centring", () => {
  it("leaves vectors whose weighted mean is zero", () => {
    fc.assert(
      fc.property(clientVectors(), ({ vectors, weights }) => {
        expect(norm(combination(centred(vectors, weights), weights))).toBeLessThan(1e-13);
      }),
    );
  });

  it("makes nothing longer, and is a projection", () => {
    fc.assert(
      fc.property(clientVectors(), ({ vectors, weights }) => {
        const once = centred(vectors, weights);
        expect(weightedSquare(once, weights)).toBeLessThanOrEqual(
          weightedSquare(vectors, weights) * (1 + 1e-12) + 1e-15,
        );
        centred(once, weights).forEach((twice, k) => {
          expect(norm(minus(twice, once[k]))).toBeLessThan(1e-12);
        });
      }),
    );
  });

  it("changes roots of spreads by no more than the vectors change (prop:app-finite)", () => {
    fc.assert(
      fc.property(clientVectors(), clientVectors(), ({ vectors, weights }, other) => {
        const moved = vectors.map((vector, k) => {
          const shift = other.vectors[k % other.vectors.length];
          return vector.map((value, i) => value + (shift[i % shift.length] ?? 0));
        });
        const change = Math.abs(
          Math.sqrt(weightedSpread(moved, weights)) - Math.sqrt(weightedSpread(vectors, weights)),
        );
        const distance = weightedSquare(
          moved.map((vector, k) => minus(vector, vectors[k])),
          weights,
        );
        expect(change).toBeLessThanOrEqual(Math.sqrt(distance) + 1e-12);
      }),
    );
  });
});
