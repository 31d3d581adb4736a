import { describe, expect, it } from "vitest";
import { sample, shuffle } from "../../src/random/permutation.js";
import { stream } from "../../src/random/stream.js";
import { chiSquareScore } from "./goodness-of-fit.js";

describe("shuffle", () => {
  it("makes every order of four values equally likely", () => {
    const random = stream(1, "shuffle");
    const counts = new Map<string, number>();
    for (let repeat = 0; repeat < 48_000; repeat++) {
      const order = shuffle(random, [0, 1, 2, 3]).join("");
      counts.set(order, (counts.get(order) ?? 0) + 1);
    }
    expect(counts.size).toBe(24);
    expect(Math.abs(chiSquareScore([...counts.values()]))).toBeLessThan(4);
  });

  it("works in place and keeps all values", () => {
    const values = Int32Array.from({ length: 1000 }, (_, index) => index);
    expect(shuffle(stream(2, "shuffle"), values)).toBe(values);
    expect(values).not.toEqual(values.slice().sort());
    expect(values.slice().sort()).toEqual(Int32Array.from({ length: 1000 }, (_, index) => index));
  });

  it("leaves nothing and one value as they are", () => {
    expect(shuffle(stream(3), [])).toEqual([]);
    expect(shuffle(stream(3), [5])).toEqual([5]);
  });
});

describe("sample", () => {
  it("is the end of a shuffle of all numbers, from behind", () => {
    for (const [bound, count] of [
      [1, 1],
      [5, 5],
      [9, 3],
      [1000, 10],
    ]) {
      const whole = shuffle(
        stream(4, bound),
        Array.from({ length: bound }, (_, i) => i),
      );
      expect(sample(stream(4, bound), bound, count)).toEqual(whole.reverse().slice(0, count));
    }
  });
});
