import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { PlanOptions } from "../../../../src/engine/cuda/compile-plan.js";
import { HOPPER } from "../../../../src/engine/cuda/kernels/kernel-body.js";
import { matrixKernel } from "../../../../src/engine/cuda/kernels/matrix-kernel.js";
import { describePlan } from "../../../../src/engine/cuda/plan/describe-plan.js";
import { factorsOf } from "../../../../src/engine/cuda/plan/layout/products.js";
import { isOwn } from "../../../../src/engine/cuda/plan/plan.js";
import { gradient } from "../../../../src/engine/gradient.js";
import * as ops from "../../../../src/engine/operations.js";
import type { Tensor } from "../../../../src/engine/program.js";
import type { Shape } from "../../../../src/engine/shape.js";
import { draw, error, evaluate } from "../../evaluation.js";
import { interpretingBackend } from "./interpret.js";
import { plansWith } from "./plan-for.js";

const ours = {
  shortInner: 0,
  thin: 0,
  processors: 1,
  hasKernel: () => true,
  canFuseSecondProduct: () => true,
};
const planFor = plansWith(ours);

const textsOf = (plan: ReturnType<typeof planFor>) => describePlan(plan).map(({ text }) => text);

/** Clients, rows, columns, samples and channels of fields; kept frequencies. */
interface Sizes {
  readonly clients: number;
  readonly rows: number;
  readonly columns: number;
  readonly samples: number;
  readonly from: number;
  readonly to: number;
  readonly kept: number;
}

/** The transform along an axis, spectra, fields at all points and weights at each of them. */
const shapesOf = ({ clients, rows, columns, samples, from, to, kept }: Sizes): Shape[] => [
  [columns, kept],
  [clients, rows, kept, samples * to],
  [clients, rows * columns * samples, from],
  [clients, from, to],
  [to],
];

/** A layer of a Fourier neural operator after the mixing of frequencies. */
function layer([transform, spectra, fields, weights, bias]: readonly Tensor[]): Tensor {
  const local = ops.matmul(fields, weights);
  return ops.gelu(ops.add(ops.add(local, ops.reshape(ops.matmul(transform, spectra), local.shape)), bias));
}

/** Nothing becomes of the elements. */
const nothing = {
  elements: { declare: () => "", compute: "", store: "", reads: [], computeFetched: () => "" },
  sums: [undefined, undefined] as const,
  lines: [],
};

const small = { clients: 2, rows: 3, columns: 5, samples: 2, from: 4, to: 6, kept: 7 };

describe("two products of which only the sum is needed", () => {
  it("are one, which takes rows of the second where they lie", () => {
    const plan = planFor(shapesOf(small), (xs) => [layer(xs)]);
    expect(textsOf(plan)).toEqual(["6 x [5, 7] [7, 12] + [10, 4] [4, 6], ours, to gelu add"]);
    const [step] = plan.steps.filter(isOwn);
    expect(factorsOf(step).map(({ batchStride, groupStride }) => [groupStride, batchStride])).toEqual([
      [0, 0],
      [3 * 7 * 12, 7 * 12],
      [3 * 5 * 2 * 4, 5 * 2 * 4],
      [24, 0],
    ]);
  });

  it("stay two where either is needed elsewhere, goes out or cannot be computed with the other", () => {
    const two = (plan: ReturnType<typeof planFor>) =>
      plan.steps.filter((step) => step.kind === "product" && !step.added).length;
    const sum = (xs: readonly Tensor[]) => {
      const local = ops.matmul(xs[2], xs[3]);
      const spectral = ops.matmul(xs[0], xs[1]);
      return { local, spectral, sum: ops.add(local, ops.reshape(spectral, local.shape)) };
    };
    const shapes = shapesOf(small);
    expect(two(planFor(shapes, (xs) => [sum(xs).sum]))).toBe(0);
    expect(two(planFor(shapes, (xs) => [sum(xs).sum], { ...ours, canFuseSecondProduct: () => false }))).toBe(
      2,
    );
    for (const also of ["local", "spectral"] as const) {
      const goesOut = planFor(shapes, (xs) => [sum(xs).sum, sum(xs)[also]]);
      const isUsed = planFor(shapes, (xs) => [sum(xs).sum, ops.tanh(sum(xs)[also])]);
      expect([two(goesOut), two(isUsed)]).toEqual([2, 2]);
    }
    const twice = planFor(shapes, (xs) => [ops.add(sum(xs).local, sum(xs).local)]);
    expect(two(twice)).toBe(1);
  });

  it("have a kernel on a GPU if strips of the first are within columns of the second", () => {
    const sized = (to: number, from: number) =>
      planFor(
        shapesOf({ clients: 10, rows: 64, columns: 64, samples: 16, from, to, kept: 24 }),
        (xs) => [layer(xs)],
        {},
      ).steps.flatMap((step) => (step.kind === "product" ? [step] : []));
    for (const [to, from] of [
      [32, 32],
      [64, 32],
      [32, 64],
      [96, 40],
    ]) {
      const [step] = sized(to, from);
      expect(step.added).toMatchObject({ inner: from, columns: to });
      expect(matrixKernel(step, nothing).text).toContain("of_pair<3>");
    }
    for (const [to, from] of [
      [20, 20],
      [48, 32],
      [32, 20],
    ])
      expect(sized(to, from).some(({ added }) => added)).toBe(false);
  });

  it("have one as it will be: samples that share a factor are rows of one matrix only without the other", () => {
    const plan = (points: number, options: PlanOptions) =>
      planFor(
        [
          [16, 8, 128],
          [128, 48 * points],
          [16, 8 * points, 8],
          [8, 48],
        ],
        ([a, b, x, weights]) => {
          const local = ops.matmul(x, weights);
          return [ops.add(local, ops.reshape(ops.matmul(a, b), local.shape))];
        },
        options,
      );
    expect(textsOf(plan(352, {})).join()).not.toContain("+");
    const [step] = plan(6, { canFuseSecondProduct: () => true }).steps.filter(isOwn);
    const few = { ...HOPPER, processors: 2 };
    expect(matrixKernel(step, nothing, { multiprocessors: few }).text).toContain("value += c[");
  });

  it("are one where a factor must be copied for its product anyway, and stay two where it need not be", () => {
    const shapes = shapesOf(small);
    const { clients, rows, kept, samples, to } = small;
    const apart = [clients, samples, rows, kept, to];
    const moved = (x: Tensor) => ops.reshape(ops.transpose(x, [0, 2, 3, 1, 4]), shapes[1]);
    const copied = planFor([shapes[0], apart, ...shapes.slice(2)], ([transform, spectra, ...others]) => [
      layer([transform, moved(spectra), ...others]),
    ]);
    const productsOf = ({ steps }: typeof copied) => steps.filter((step) => step.kind === "product");
    expect(productsOf(copied).map(({ added }) => added !== undefined)).toEqual([true]);

    const [wide, ...rest] = shapes.slice(2);
    const within = [...wide.slice(0, -1), wide.at(-1)! + 1];
    const read = planFor(
      [...shapes.slice(0, 2), within, ...rest],
      ([transform, spectra, fields, ...others]) => [
        layer([transform, spectra, ops.slice(fields, -1, 0, wide.at(-1)!), ...others]),
      ],
    );
    expect(productsOf(read).map(({ added }) => added !== undefined)).toEqual([false, false]);
  });

  it("leave a factor where it lies in groups though another one must be copied", () => {
    const groups: Shape[] = [
      [6, 16, 16, 8],
      [6, 8, 16, 16],
      [8, 6, 16, 16],
      [6, 8, 16, 16],
    ];
    const plan = planFor(groups, ([a, b, x, w]) => [
      ops.add(ops.matmul(ops.transpose(a, [0, 3, 1, 2]), b), ops.matmul(ops.transpose(x, [1, 0, 2, 3]), w)),
    ]);
    expect(textsOf(plan)).toEqual(["map 12288 to 1", "48 x [16, 16] [16, 16] + [16, 16] [16, 16], ours"]);
  });

  it("are computed, and their gradients, like the reference", async () => {
    const length = fc.integer({ min: 1, max: 5 });
    const sizes = fc.record({
      clients: length,
      rows: length,
      columns: length,
      samples: length,
      from: length,
      to: length,
      kept: length,
    });
    let joined = 0;
    const canFuseSecondProduct = () => {
      joined++;
      return true;
    };
    await fc.assert(
      fc.asyncProperty(sizes, async (chosen) => {
        const shapes = shapesOf(chosen);
        const values = shapes.map((shape, i) => draw(shape, `operand ${i}`));
        const all = (xs: readonly Tensor[]) => {
          const y = layer(xs);
          const seed = y.program.constant(draw(y.shape, "seed"), y.shape);
          return [y, ...gradient(y, xs, seed)];
        };
        const expected = await evaluate(all, shapes, values);
        const actual = await evaluate(
          all,
          shapes,
          values,
          interpretingBackend({ ...ours, canFuseSecondProduct }),
        );
        actual.forEach((y, i) => {
          expect(error(y, expected[i])).toBeLessThan(1e-12);
        });
      }),
      { numRuns: 60 },
    );
    expect(joined).toBeGreaterThan(30);
  });
});
