import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { planOf } from "../../../../src/engine/cuda/compile-plan.js";
import { divisionOf, partCount } from "../../../../src/engine/cuda/plan/graph/lower-product.js";
import * as ops from "../../../../src/engine/operations.js";
import { Program, type Tensor } from "../../../../src/engine/program.js";
import { normalised } from "../../../../src/models/normalisation.js";
import { draw, error, evaluate } from "../../evaluation.js";
import { interpretingBackend } from "./interpret.js";

/** A square matrix with one number in blocks along its diagonal, but for what is added to some of its elements. */
function nearlyGrouped(
  size: number,
  groups: number,
  factor: number,
  changes: readonly (readonly [number, number])[],
): Float64Array {
  const length = size * groups;
  const matrix = Float64Array.from({ length: length ** 2 }, (_, at) =>
    Math.floor(at / length / size) === Math.floor((at % length) / size) ? factor : 0,
  );
  for (const [at, by] of changes) matrix[at % matrix.length] += by;
  return matrix;
}

describe("a product with a constant matrix", () => {
  const few = fc.integer({ min: 1, max: 9 });
  const changes = fc.array(fc.tuple(fc.nat(), fc.constantFrom(-1, 0.5, 1)), { maxLength: 2 });

  it("is right whether it adds up groups of neighbours or does so but for an element or two", async () => {
    await fc.assert(
      fc.asyncProperty(
        few,
        few,
        fc.constantFrom(0, 0.25, 1),
        changes,
        fc.boolean(),
        async (size, groups, factor, changed, transposeB) => {
          const matrix = nearlyGrouped(size, groups, factor, changed);
          const shapes = [[2, 6, size * groups]];
          const inputs = [draw(shapes[0], "fields")];
          const build = ([x]: readonly Tensor[]) => {
            const constant = x.program.constant(matrix, [size * groups, size * groups]);
            return [ops.tanh(ops.matmul(ops.exp(x), constant, { transposeB }))];
          };
          const [expected] = await evaluate(build, shapes, inputs);
          const [actual] = await evaluate(build, shapes, inputs, interpretingBackend());
          expect(error(actual, expected)).toBeLessThan(1e-12);
        },
      ),
      { numRuns: 60, seed: 1 },
    );
  });

  it("takes no step of its own where group normalisation has its means", () => {
    const program = new Program();
    const x = program.input("x", [16, 32, 40, 40]);
    const scale = program.input("scale", [1, 32]);
    program.output("y", normalised(x, "group", scale, program.input("shift", [1, 32])));
    // Sums over positions, a factor and a summand for each sample and channel, fields.
    expect(planOf(program).steps.map(({ kind }) => kind)).toEqual(["launch", "launch", "launch"]);
  });
});

describe("a product over a long axis", () => {
  /** Parts of `batch` products [rows, inner] [inner, columns] on 132 multiprocessors. */
  const parts = (batch: number, rows: number, inner: number, columns: number) =>
    divisionOf([batch, rows, inner], [batch, inner, columns], [batch, rows, columns], {});

  it("is divided so that each multiprocessor has a part or two, of small results several", () => {
    expect(parts(10, 100, 2 ** 18, 100)).toBe(32);
    expect(parts(10, 32, 2 ** 18, 32)).toBe(64);
    expect(parts(40, 100, 2 ** 18, 100)).toBe(8);
    expect(parts(40, 32, 2 ** 18, 32)).toBe(64);
    expect(parts(400, 32, 2 ** 18, 32)).toBe(4);
    expect(parts(2000, 32, 2 ** 18, 32)).toBe(1);
  });

  it("has parts that are long beside what they leave to add up, unless multiprocessors were idle", () => {
    expect(parts(140, 32, 4096, 32)).toBe(4);
    expect(parts(140, 32, 1024, 32)).toBe(2);
    expect(parts(5, 32, 4096, 32)).toBe(32);
  });

  it("has parts of equal length, aligned if they have to be", () => {
    const length = fc.integer({ min: 1, max: 10000 });
    fc.assert(
      fc.property(
        length,
        fc.integer({ min: 1, max: 40 }),
        fc.constantFrom(1, 2, 4),
        (all, wanted, aligned) => {
          const count = partCount(all, wanted, { most: 32, shortest: 100, aligned });
          expect(count === 1 || (all / count) % aligned === 0).toBe(true);
          expect(count === 1 || all / count >= 100).toBe(true);
          expect(count).toBeLessThanOrEqual(32);
        },
      ),
    );
  });
});
