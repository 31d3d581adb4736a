import { describe, expect, it } from "vitest";
import { placeInTurn, placeOf, type Side } from "../../../../../src/engine/cuda/kernels/gemm-long-k/sides.js";

/** A factor whose numbers lie along the inner axis. */
const along = (depth: number): Side => ({
  name: "a",
  matrix: { buffer: 0, offset: 0, transposed: false, rowStride: 0, batchStride: 0 },
  alongInner: true,
  depth,
  length: 16,
  limit: 16,
  stride: depth,
  size: 16 * depth,
  start: 0,
  hasOnes: false,
});

/** CUDA C of these unsigned numbers as a function of them. */
const evaluated = (text: string) => {
  const inJavaScript = text.replace(/(\w+) \/ 2u/g, "Math.floor($1 / 2)").replace(/(\d)u\b/g, "$1");
  return new Function("line", "number", "down", "turn", `return ${inJavaScript};`) as (
    line: number,
    number: number,
    down?: number,
    turn?: number,
  ) => number;
};

describe.each([16, 32])("a part of %i numbers along the inner axis", (depth) => {
  const place = evaluated(placeOf(along(depth), "line", "number"));

  it("has a place for each number, fours of them side by side", () => {
    const places = Array.from({ length: 16 * depth }, (_, i) => place(Math.floor(i / depth), i % depth));
    expect([...places].sort((a, b) => a - b)).toEqual(Array.from(places.keys()));
    for (let i = 0; i < places.length; i += 4)
      expect([places[i] % 4, places[i + 3] - places[i]]).toEqual([0, 3]);
  });

  it("is read from all banks at once by sixteen threads, two numbers each", () => {
    for (let step = 0; step < depth; step += 8)
      for (const first of [0, 4]) {
        const banks = Array.from(
          { length: 32 },
          (_, i) => place(first + Math.floor(i / 8), step + (i % 8)) % 32,
        );
        expect(new Set(banks).size).toBe(32);
      }
  });

  it("is copied to where it is read, in turns of any number of lines", () => {
    for (const abreast of [2, 4, 16]) {
      const spot = evaluated(placeInTurn(along(depth), "line", "number", abreast));
      for (const turn of [0, 1, 3]) {
        const down = 1 + turn * abreast;
        expect(spot(1, 10, down, turn)).toBe(place(down, 10));
      }
    }
  });
});
