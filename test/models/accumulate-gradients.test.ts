import fc from "fast-check";
import { expect, it } from "vitest";
import * as ops from "../../src/engine/operations.js";
import { Program } from "../../src/engine/program.js";
import { accumulateGradients } from "../../src/models/accumulate-gradients.js";
import { draw, error, evaluate } from "../engine/evaluation.js";

/** Gradients of a small kernel on large fields, of a large kernel on small fields, and of a vector, from each part. */
function gradientsOf(program: Program, part: number, clients: readonly number[] = []) {
  const fields = (one: readonly number[], name: string) => {
    const shape = [...clients, ...one];
    return program.constant(draw(shape, `${name} ${part}`), shape);
  };
  const small = ops.convolveKernel(fields([2, 2, 6, 6], "x"), fields([2, 3, 6, 6], "y"), [3, 3], {
    padding: [1, 1],
  });
  const large = ops.convolveKernel(fields([2, 8, 3, 3], "a"), fields([2, 16, 1, 1], "b"), [3, 3]);
  return [small, large, fields([5], "v")];
}

it("gradients of parts are summed, whether entry by entry or of all fields at once", async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 5 }), fc.constantFrom([], [3]), async (count, clients) => {
      const results = await evaluate(
        ([x]) => {
          const parts = Array.from({ length: count }, (_, part) => gradientsOf(x.program, part, clients));
          const plain = parts[0].map((_, i) => parts.map((part) => part[i]).reduce(ops.add));
          return [...accumulateGradients(parts, clients), ...plain];
        },
        [[1]],
        [Float64Array.of(0)],
      );
      for (let i = 0; i < 3; i++) expect(error(results[i], results[3 + i])).toBeLessThan(1e-13);
    }),
    { numRuns: 8 },
  );
});

it("a kernel larger than its fields has one gradient, not one a part", () => {
  const program = new Program();
  const parts = Array.from({ length: 4 }, (_, part) => gradientsOf(program, part));
  accumulateGradients(parts).forEach((gradient, i) => {
    program.output(`gradient ${i}`, gradient);
  });
  const kernels = program.liveTensors().filter(({ id }) => {
    const node = program.nodes[id];
    return node.kind === "operation" && node.operation === "convolveKernel";
  });
  expect(kernels.map(({ shape }) => shape[0]).sort()).toEqual([16, 3, 3, 3, 3]);
});
