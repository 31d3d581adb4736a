import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { describePlan } from "../../../../src/engine/cuda/plan/describe-plan.js";
import type { Lines } from "../../../../src/engine/cuda/plan/fusion/line-sums.js";
import type { Product } from "../../../../src/engine/cuda/plan/layout/products.js";
import { isOwn, type Plan } from "../../../../src/engine/cuda/plan/plan.js";
import { gradient } from "../../../../src/engine/gradient.js";
import * as ops from "../../../../src/engine/operations.js";
import type { Tensor } from "../../../../src/engine/program.js";
import { type Shape, ShapeError } from "../../../../src/engine/shape.js";
import { elements } from "../../../../src/numerics/shape.js";
import { draw, error, evaluate } from "../../evaluation.js";
import { interpretingBackend } from "./interpret.js";
import { plansWith } from "./plan-for.js";

const ours = { shortInner: 0, thin: 0, processors: 1, hasKernel: () => true };
const planFor = plansWith(ours);

const textsOf = (plan: Plan) => describePlan(plan).map(({ text }) => text);

/** The buffers in whose memory the products of ours lie, one after another. */
const memoryOwners = (plan: Plan) =>
  plan.steps.filter(isOwn).map(({ epilogue: [{ buffer }] }) => {
    const { location } = plan.buffers.get(buffer)!;
    return location.kind === "arena" ? location.within : undefined;
  });

describe("an epilogue", () => {
  it("adds a bias and takes the positive part, so that the bare product is never stored", () => {
    const plan = planFor([[20, 7], [7, 6], [6]], ([x, w, b]) => [ops.relu(ops.add(ops.matmul(x, w), b))]);
    expect(textsOf(plan)).toEqual(["1 x [20, 7] [7, 6], ours, to relu add"]);
    const [step] = plan.steps.filter(isOwn);
    expect(step.epilogue).toHaveLength(1);
    expect(plan.buffers.has(step.c.buffer)).toBe(false);
  });

  it("stores the product as well where something else reads it", () => {
    const plan = planFor([[20, 7], [7, 6], [6]], ([x, w, b]) => {
      const z = ops.add(ops.matmul(x, w), b);
      return [ops.gelu(z), ops.sum(ops.geluSlope(z))];
    });
    expect(textsOf(plan)[0]).toBe("1 x [20, 7] [7, 6], ours, to itself, gelu add");
  });

  it("masks a gradient by the activation before, and leaves its sum over rows to a launch that reads it", () => {
    const shapes = [
      [2, 50, 6],
      [2, 6, 5],
      [2, 50, 5],
    ];
    const plan = planFor(shapes, ([g, w, h]) => {
      const masked = ops.multiply(ops.matmul(g, w), ops.step(h));
      return [masked, ops.sum(masked, [1])];
    });
    expect(textsOf(plan)).toEqual(["2 x [50, 6] [6, 5], ours, to multiply step", "1 sums 10 of 50"]);
  });

  it("stores in another order what goes on so, besides the order in which it is summed", () => {
    const shapes = [
      [3, 4, 7],
      [3, 7, 6],
      [5, 12],
    ];
    const plan = planFor(shapes, ([x, w, v]) => {
      const h = ops.tanh(ops.matmul(x, w));
      const turned = ops.reshape(ops.transpose(h, [1, 0, 2]), [12, 6]);
      return [h, ops.matmul(v, turned)];
    });
    expect(textsOf(plan)).toEqual(["3 x [4, 7] [7, 6], ours, to tanh, tanh", "1 x [5, 12] [12, 6], ours"]);
  });

  it("ends several layers of a network, forwards and backwards, without a pass between them", () => {
    const shapes = [[30, 8], [8, 6], [6], [6, 6], [6], [6, 7], [30, 7]];
    const plan = planFor(shapes, ([x, w0, b0, w1, b1, w2, y]) => {
      const h0 = ops.relu(ops.add(ops.matmul(x, w0), b0));
      const h1 = ops.relu(ops.add(ops.matmul(h0, w1), b1));
      const residual = ops.subtract(ops.matmul(h1, w2), y);
      return gradient(ops.matmul(h1, w2), [w0, w1, w2], residual);
    });
    expect(plan.steps.map(({ kind }) => kind)).not.toContain("launch");
    expect(plan.steps).toHaveLength(8);
  });

  it("waits for no other product of its stage, and for nothing that is made of its own product", () => {
    const twice = planFor(
      [
        [9, 9],
        [9, 9],
      ],
      ([x, w]) => {
        const product = ops.matmul(x, w);
        return [ops.subtract(product, ops.mean(product)), ops.add(product, ops.transpose(product))];
      },
    );
    expect(textsOf(twice)[0]).toBe("1 x [9, 9] [9, 9], ours");
    const anchored = planFor(
      [
        [9, 7],
        [7, 6],
        [6, 5],
      ],
      ([x, w, v]) => {
        const product = ops.matmul(x, w);
        return [ops.matmul(ops.subtract(product, ops.slice(product, 1, 0, 1)), v)];
      },
    );
    expect(textsOf(anchored)).toEqual(["1 x [9, 7] [7, 6], ours", "map 54 to 1", "1 x [9, 6] [6, 5], ours"]);
  });

  it("goes with the last of several products, and reads those before", () => {
    const shapes = [
      [9, 5],
      [5, 5],
      [5, 5],
      [9, 5],
    ];
    const plan = planFor(shapes, ([x, v, w, y]) => [
      ops.gelu(ops.add(ops.matmul(y, w), ops.matmul(ops.matmul(x, v), w))),
    ]);
    const last = plan.steps.at(-1)!;
    expect(textsOf(plan).at(-1)).toBe("1 x [9, 5] [5, 5], ours, to gelu add");
    expect(plan.steps.filter(isOwn).map(({ stage }) => stage)).toEqual([0, 0, last.stage]);
  });

  it("goes with a product that is there earlier and can wait, if the last one is a library's", () => {
    const shapes = [
      [9, 5],
      [5, 4],
      [4, 6],
      [9, 8],
      [8, 6],
    ];
    const build = ([x, v, w, y, u]: readonly Tensor[], taken: readonly Tensor[] = []) => {
      const z = ops.add(ops.matmul(y, u), ops.matmul(ops.matmul(x, v), w));
      return [z, ops.gelu(z), ...taken];
    };
    const hasKernel = ({ inner }: Product) => inner === 8;
    const plan = planFor(shapes, build, { ...ours, hasKernel });
    expect(textsOf(plan)).toEqual([
      "1 x [9, 5] [5, 4]",
      "1 x [9, 4] [4, 6]",
      "1 x [9, 8] [8, 6], ours, to add, gelu add",
    ]);
    // Nothing else may wait for it: the sum of what it gives goes on beside the other products.
    const busy = (xs: readonly Tensor[]) => build(xs, [ops.sum(ops.tanh(ops.matmul(xs[3], xs[4])))]);
    expect(textsOf(planFor(shapes, busy, { ...ours, hasKernel }))).toEqual([
      "1 x [9, 8] [8, 6], ours",
      "1 x [9, 5] [5, 4]",
      expect.stringContaining("sums"),
      "1 x [9, 4] [4, 6]",
      "map 54 to 2",
    ]);
  });

  it("may be written over what it reads at the same place, never over a factor", () => {
    const shapes = [
      [40, 40],
      [40, 40],
    ];
    const plan = planFor(shapes, ([x, w]) => {
      const a = ops.tanh(ops.matmul(x, w));
      const b = ops.exp(ops.matmul(a, w));
      const c = ops.multiply(ops.matmul(b, w), a);
      return [ops.sum(ops.matmul(c, w))];
    });
    const [first, second, third] = memoryOwners(plan);
    expect(third).toBe(first);
    expect(second).not.toBe(first);
    const residual = planFor(shapes, ([x, w]) => {
      const a = ops.tanh(ops.matmul(x, w));
      return [ops.sum(ops.matmul(ops.add(ops.matmul(a, w), a), w))];
    });
    expect(textsOf(residual)[1]).toMatch(/ours, to add$/);
    expect(new Set(memoryOwners(residual)).size).toBe(3);
  });

  it("may be part of what is written over later, when all of that is there", async () => {
    const shapes = [
      [2, 4, 3],
      [3, 5],
    ];
    const build = ([x, w]: readonly Tensor[]) => {
      const z = ops.matmul(x, w);
      const turned = ops.transpose(z);
      const both = ops.concat([turned, ops.negate(turned)], 2);
      return [ops.relu(both), ops.subtract(z, ops.slice(z, -1, 0, 1))];
    };
    expect(textsOf(planFor(shapes, build))[0]).toMatch(/to itself, negate$/);
    const values = shapes.map((shape, i) => draw(shape, `part ${i}`));
    const expected = await evaluate(build, shapes, values);
    const actual = await evaluate(build, shapes, values, interpretingBackend(ours));
    actual.forEach((y, i) => {
      expect(error(y, expected[i])).toBeLessThan(1e-10);
    });
  });
});

const SHAPES: readonly Shape[] = [
  [2, 4, 3],
  [3, 5],
  [2, 3, 5],
  [5],
  [2, 1, 5],
  [4, 5],
  [2, 4, 5],
  [3, 2, 4, 3],
  [5, 5],
];

type Change = (z: Tensor, xs: readonly Tensor[], n: number) => Tensor;

/** What may become of a product: chains that an epilogue can take, and such that it cannot. */
const CHANGES: readonly Change[] = [
  (z, xs, n) => ops.add(z, xs[3 + (n % 4)]),
  (z, xs, n) => ops.multiply(z, ops.step(xs[3 + (n % 4)])),
  (z) => ops.relu(z),
  (z) => ops.gelu(z),
  (z) => ops.leakyRelu(z, 0.2),
  (z) => ops.multiply(ops.tanh(z), 0.5),
  (z) => ops.subtract(1, ops.multiply(z, z)),
  (z) => ops.transpose(z),
  (z, _, n) =>
    ops.transpose(
      z,
      [...z.shape.keys()].map((axis) => (axis + n) % z.shape.length),
    ),
  (z) => ops.reshape(z, [Math.floor(elements(z.shape) / 5), 5]),
  (z) => ops.reshape(z, [2, Math.floor(elements(z.shape) / 10), 5]),
  (z) =>
    ops.add(
      z,
      ops.transpose(z, [...z.shape.keys()].slice(0, -2).concat(z.shape.length - 1, z.shape.length - 2)),
    ),
  (z) => ops.subtract(z, ops.mean(z, [z.shape.length - 2], { keep: true })),
  (z) => ops.multiply(z, ops.sum(ops.tanh(z), [z.shape.length - 1], { keep: true })),
  (z, xs, n) => ops.sum(ops.multiply(z, xs[3 + (n % 4)]), [z.shape.length - 1 - (n % 2)], { keep: true }),
  (z, _, n) => ops.slice(z, 0, n % z.shape[0], z.shape[0]),
  (z, _, n) => ops.subtract(z, ops.slice(z, -1, n % z.shape.at(-1)!, (n % z.shape.at(-1)!) + 1)),
  (z, xs) => ops.add(z, ops.matmul(xs[0], xs[2])),
  (z, xs) => ops.matmul(z, xs[1], { transposeB: true }),
  (z, xs) => ops.add(ops.matmul(z, xs[8]), z),
  (z, xs) => ops.matmul(xs[5], z, { transposeA: true }),
  (z) => ops.matmul(z, z, { transposeB: true }),
  (z) => ops.concat([z, ops.negate(z)], z.shape.length - 1),
  (z) => ops.gather(z, z.program.constantInts([z.shape[0] - 1, 0])),
];

const STARTS: readonly ((xs: readonly Tensor[]) => Tensor)[] = [
  (xs) => ops.matmul(xs[0], xs[1]),
  (xs) => ops.matmul(xs[0], xs[2]),
  (xs) => ops.matmul(xs[7], xs[2]),
  (xs) => ops.matmul(xs[7], ops.reshape(xs[2], [1, 2, 3, 5])),
];

const courses = fc.record({
  start: fc.nat(STARTS.length - 1),
  /** Over how many numbers the products are that are ours, if not all are. */
  which: fc.constantFrom(3, 5),
  changes: fc.array(fc.record({ change: fc.nat(CHANGES.length - 1), from: fc.nat(2), n: fc.nat(3) }), {
    minLength: 1,
    maxLength: 9,
  }),
});

describe("random chains around products", () => {
  it("come out like the reference's, with gradients, whatever is computed within products", async () => {
    const values = SHAPES.map((shape, i) => draw(shape, `chain ${i}`));
    const counts = { fused: 0, products: 0, lines: 0 };
    const canReduceLines = ({ rows }: Product, { along, length }: Lines) =>
      along === "row" || rows % length === 0;
    const options = { ...ours, canReduceLines };
    await fc.assert(
      fc.asyncProperty(courses, async ({ start, which, changes }) => {
        const build = (xs: readonly Tensor[]) => {
          const made = [STARTS[start](xs)];
          for (const { change, from, n } of changes)
            try {
              made.push(CHANGES[change](made.at(-1 - (from % made.length))!, xs, n));
            } catch (problem) {
              if (!(problem instanceof ShapeError)) throw problem;
            }
          const ends = made.slice(-2);
          return [...ends, ...gradient(ends.map((y) => ops.sum(ops.tanh(y))).reduce(ops.add), xs)];
        };
        const expected = await evaluate(build, SHAPES, values);
        for (const hasKernel of [() => true, ({ inner }: Product) => inner === which]) {
          const actual = await evaluate(
            build,
            SHAPES,
            values,
            interpretingBackend({ ...options, hasKernel }),
          );
          actual.forEach((y, i) => {
            expect(error(y, expected[i])).toBeLessThan(1e-10);
          });
        }
        const products = planFor(SHAPES, build, options).steps.filter(isOwn);
        counts.lines += products.filter(({ lines }) => lines.length > 0).length;
        counts.products += products.length;
        counts.fused += products.filter(({ epilogue }) =>
          epilogue.some(({ value }) => value.kind !== "product"),
        ).length;
      }),
      { numRuns: 100, seed: 5 },
    );
    expect(counts.fused).toBeGreaterThan(counts.products / 4);
    expect(counts.lines).toBeGreaterThan(20);
  });
});
