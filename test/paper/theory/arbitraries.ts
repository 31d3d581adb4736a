import fc from "fast-check";
import { normal } from "../../../src/random/normal.js";
import { stream } from "../../../src/random/stream.js";

/** Positive numbers that sum to one. */
export function shares(random: { uniform(): number }, length: number): Float64Array {
  const raw = Float64Array.from({ length }, () => 0.01 + random.uniform());
  const total = raw.reduce((a, b) => a + b, 0);
  return raw.map((value) => value / total);
}

/** Clients with a vector each, and weights that sum to one. */
export function clientVectors() {
  return fc
    .record({
      clients: fc.integer({ min: 1, max: 8 }),
      length: fc.integer({ min: 1, max: 6 }),
      seed: fc.nat(),
    })
    .map(({ clients, length, seed }) => {
      const random = stream(seed, "client vectors");
      return {
        vectors: Array.from({ length: clients }, () => Float64Array.from({ length }, () => normal(random))),
        weights: shares(random, clients),
      };
    });
}

/** Bins with gradients and Hessians, and clients that mix them. */
export interface RandomMixtures {
  readonly gradients: readonly Float64Array[];
  /** Symmetric, row-major. */
  readonly hessians: readonly Float64Array[];
  readonly profiles: readonly Float64Array[];
  readonly weights: Float64Array;
  readonly parameters: number;
}

export function mixtures() {
  return fc
    .record({
      bins: fc.integer({ min: 2, max: 6 }),
      clients: fc.integer({ min: 2, max: 6 }),
      parameters: fc.integer({ min: 1, max: 9 }),
      seed: fc.nat(),
    })
    .map(({ bins, clients, parameters, seed }): RandomMixtures => {
      const random = stream(seed, "mixtures");
      const vector = (length: number) => Float64Array.from({ length }, () => normal(random));
      return {
        parameters,
        gradients: Array.from({ length: bins }, () => vector(parameters)),
        hessians: Array.from({ length: bins }, () => {
          const raw = vector(parameters ** 2);
          return raw.map(
            (value, at) => value + raw[(at % parameters) * parameters + Math.floor(at / parameters)],
          );
        }),
        profiles: Array.from({ length: clients }, () => shares(random, bins)),
        weights: shares(random, clients),
      };
    });
}

/** A square matrix times a vector. */
export function times(matrix: Float64Array, v: Float64Array): Float64Array {
  return v.map((_, i) => v.reduce((sum, value, j) => sum + matrix[i * v.length + j] * value, 0));
}
