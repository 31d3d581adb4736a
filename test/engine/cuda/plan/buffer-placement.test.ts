import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { dot, type Index, variable } from "../../../../src/engine/cuda/plan/expressions/index-algebra.js";
import { GraphWriter } from "../../../../src/engine/cuda/plan/graph/graph.js";
import { onward, throughAlias } from "../../../../src/engine/cuda/plan/layout/buffer-placement.js";
import * as ops from "../../../../src/engine/operations.js";
import { type Shape, stridesOf } from "../../../../src/engine/shape.js";
import { elements } from "../../../../src/numerics/shape.js";
import { Evaluator } from "./evaluator.js";
import { agreementWith } from "./plan-for.js";

/** A tensor reshaped from one shape to another. */
function reshaped(from: Shape, to: Shape) {
  const graph = new GraphWriter();
  return graph.apply({ name: "reshape" }, [graph.input("x", from, "float")], to);
}

/** A counter for each axis. */
const counters = (shape: Shape): Index[] => shape.map((length, axis) => variable(`a${axis}`, length));

function evaluated(index: Index, at: readonly number[]): number {
  const evaluator = new Evaluator([], () => NaN);
  evaluator.evaluate(Object.fromEntries(at.map((value, axis) => [`a${axis}`, value])));
  return evaluator.index(index);
}

/** The coordinates of the n-th element. */
const placeOf = (n: number, shape: Shape): number[] =>
  stridesOf(shape).map((stride, axis) => Math.floor(n / stride) % shape[axis]);

/** Two shapes of as many elements: factors in the same order, put together to axes in two ways. */
const shapes = fc
  .array(fc.tuple(fc.integer({ min: 1, max: 4 }), fc.boolean(), fc.boolean()), { minLength: 1, maxLength: 6 })
  .map((factors): [Shape, Shape] => {
    const joined = (which: 1 | 2) => {
      const shape: number[] = [];
      for (const factor of factors) shape.push(factor[0] * (factor[which] ? (shape.pop() ?? 1) : 1));
      return shape;
    };
    return [joined(1), joined(2)];
  });

describe("coordinates through a reshape", () => {
  it("are those of the same element, in either direction", () => {
    fc.assert(
      fc.property(shapes, fc.nat(), ([from, to], number) => {
        const n = number % elements(from);
        const node = reshaped(from, to);
        const back = throughAlias(node, counters(to)).map((index) => evaluated(index, placeOf(n, to)));
        const forth = onward(node, counters(from)).map((index) => evaluated(index, placeOf(n, from)));
        expect(dot(0, stridesOf(from), back.map(constant)).constant).toBe(n);
        expect(dot(0, stridesOf(to), forth.map(constant)).constant).toBe(n);
      }),
    );
  });

  it("stay as they are beyond the edge of a field whose axes are the same in both shapes", () => {
    const node = reshaped([6, 4, 5, 7], [2, 3, 4, 5, 7]);
    const [client, sample, channel, ...plane] = counters([2, 3, 4, 9, 11]);
    const moved = plane.map((index) => dot(-2, [1], [index]));
    const found = throughAlias(node, [client, sample, channel, ...moved]);
    expect(found.slice(-2).map(({ key }) => key)).toEqual(moved.map(({ key }) => key));
    expect(found[0].key).toBe(dot(0, [3, 1], [client, sample]).key);
  });
});

describe("a part of a concatenation", () => {
  it("that a product takes as well is computed where its rows are neighbours", async () => {
    await agreementWith({})(
      [
        [16, 16],
        [256, 1],
        [16, 16],
      ],
      ([x, z, w]) => {
        const y = ops.tanh(x);
        const both = ops.concat([ops.reshape(y, [256, 1]), ops.exp(z)], 1);
        return [ops.multiply(both, 2), ops.matmul(y, w)];
      },
    );
  });
});

const constant = (value: number): Index => dot(value, [], []);
