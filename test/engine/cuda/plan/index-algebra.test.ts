import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  coordinatesOf,
  dot,
  fixed,
  type Index,
  plus,
  quotient,
  range,
  reach,
  remainder,
  strides,
  times,
  variable,
} from "../../../../src/engine/cuda/plan/expressions/index-algebra.js";

const EXTENTS = { i: 12, j: 5, k: 7 };
type Counters = Readonly<Record<string, number>>;

/** An index beside what it should be worth. */
interface Known {
  readonly index: Index;
  readonly value: (counters: Counters) => number;
}

const variables = fc
  .constantFrom(...(Object.keys(EXTENTS) as (keyof typeof EXTENTS)[]))
  .map((name): Known => ({ index: variable(name, EXTENTS[name]), value: (at) => at[name] }));

const indices = fc.letrec<{ index: Known }>((tie) => ({
  index: fc.oneof(
    { maxDepth: 5 },
    variables,
    fc.nat(9).map((n): Known => ({ index: fixed(n), value: () => n })),
    fc
      .tuple(tie("index"), tie("index"))
      .map(([a, b]): Known => ({ index: plus(a.index, b.index), value: (at) => a.value(at) + b.value(at) })),
    fc
      .tuple(tie("index"), fc.integer({ min: 1, max: 12 }))
      .map(([a, n]): Known => ({ index: times(a.index, n), value: (at) => a.value(at) * n })),
    // From the other end.
    tie("index").map(({ index, value }): Known => {
      const [, last] = range(index);
      return { index: dot(last, [-1], [index]), value: (at) => last - value(at) };
    }),
    fc
      .tuple(tie("index"), fc.integer({ min: 1, max: 24 }))
      .map(([a, n]): Known => ({ index: quotient(a.index, n), value: (at) => Math.floor(a.value(at) / n) })),
    fc
      .tuple(tie("index"), fc.integer({ min: 1, max: 24 }))
      .map(([a, n]): Known => ({ index: remainder(a.index, n), value: (at) => a.value(at) % n })),
  ),
})).index;

function evaluate({ constant, terms }: Index, at: Counters): number {
  return terms.reduce((sum, { coefficient, atom }) => {
    if (atom.kind === "variable") return sum + coefficient * at[atom.name];
    if (atom.kind === "lookup") throw new Error("nothing is read here");
    const of = evaluate(atom.of, at);
    return sum + coefficient * (atom.kind === "quotient" ? Math.floor(of / atom.by) : of % atom.by);
  }, constant);
}

function everywhere(visit: (at: Counters) => void): void {
  for (let i = 0; i < EXTENTS.i; i++)
    for (let j = 0; j < EXTENTS.j; j++) for (let k = 0; k < EXTENTS.k; k++) visit({ i, j, k });
}

describe("an index", () => {
  it("is worth the same however it was simplified, and stays within its range", () => {
    fc.assert(
      fc.property(indices, ({ index, value }) => {
        const [low, high] = range(index);
        const found = new Set<number>();
        everywhere((at) => {
          const here = value(at);
          found.add(here);
          if (evaluate(index, at) !== here)
            throw new Error(`${index.key} is ${evaluate(index, at)}, not ${here}`);
          if (here < low || here > high) throw new Error(`${here} is not from ${low} to ${high}`);
        });
        expect(found.size).toBeLessThanOrEqual(reach(index));
      }),
      { numRuns: 500 },
    );
  });

  it("of an element is the counter itself again if it is reshaped, whatever the shapes", () => {
    const i = variable("i", 120);
    for (const shape of [[120], [10, 12], [2, 5, 3, 4], [1, 120, 1], [4, 1, 30]]) {
      const steps = shape.map((_, axis) => shape.slice(axis + 1).reduce((a, b) => a * b, 1));
      expect(dot(0, steps, coordinatesOf(i, shape)).key).toBe(i.key);
    }
  });

  it("of a block of a vector, read as matrices, is a stride for each axis", () => {
    const axes = [variable("b", 10), variable("r", 8), variable("c", 5)];
    const inBlock = dot(0, [40, 5, 1], axes);
    const [batch, at] = coordinatesOf(inBlock, [10, 40]);
    const place = dot(7, [300, 1], [batch, at]);
    expect(place.constant).toBe(7);
    expect(strides(place)).toEqual(
      new Map([
        ["b", 300],
        ["c", 1],
        ["r", 5],
      ]),
    );
  });

  it("has no strides where a row ends within a reshaped one", () => {
    const [row, column] = coordinatesOf(dot(0, [3, 1], [variable("r", 8), variable("c", 3)]), [6, 4]);
    expect(strides(dot(0, [5, 1], [row, column]))).toBeUndefined();
  });
});
