import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { blockSize } from "../../../src/engine/onnx/block-size.js";
import { encodeOnnx } from "../../../src/engine/onnx/encode.js";
import { onnxBackend } from "../../../src/engine/onnx/onnx-backend.js";
import * as ops from "../../../src/engine/operations.js";
import { Program } from "../../../src/engine/program.js";
import { referenceBackend } from "../../../src/engine/reference.js";
import { draw, error } from "../evaluation.js";

const block = await blockSize();

/** The gradient of a kernel that moves by two or three rows, from results of so many rows and channels. */
function kernelGradient(to: number, rows: number, height: number, stride: number, padding: number): Program {
  const program = new Program();
  const x = program.input("x", [2, 3, (rows - 1) * stride + height - 2 * padding, 9]);
  const y = program.input("y", [2, to, rows, 9]);
  const sliding = { strides: [stride, 1], padding: [padding, 0] } as const;
  program.output("kernel", ops.convolveKernel(x, y, [height, 1], sliding));
  return program;
}

const sums = (program: Program, own: number): number =>
  Buffer.from(encodeOnnx(program, { extensions: true, block: own }))
    .toString("latin1")
    .split("\x22\x03Sum").length - 1;

describe.skipIf(block === 1)("rows of the results as channels", () => {
  it("give the reference's gradient of a kernel, whether or not they come out even", async () => {
    const sizes = fc.record({
      share: fc.constantFrom(2, 4),
      rows: fc.integer({ min: 20, max: 48 }),
      height: fc.constantFrom(4, 5, 7),
      stride: fc.constantFrom(2, 3),
      padding: fc.constantFrom(0, 1, 3),
    });
    await fc.assert(
      fc.asyncProperty(sizes, async ({ share, rows, height, stride, padding }) => {
        const program = kernelGradient(block / share, rows, height, stride, padding);
        const values = Object.fromEntries(
          [...program.inputs].map(([name, { shape }]) => [name, draw(shape, name)]),
        );
        const [ours, right] = await Promise.all(
          [onnxBackend, referenceBackend].map(async (backend) =>
            (await backend.compile(program)).run(values),
          ),
        );
        expect(error(ours.kernel, right.kernel)).toBeLessThan(3e-6);
      }),
      { seed: 5, numRuns: 40 },
    );
  });

  it("are taken where results have few channels and rows come out even", () => {
    expect(sums(kernelGradient(block / 2, 32, 7, 2, 3), block)).toBe(1);
    expect(sums(kernelGradient(block / 2, 33, 7, 2, 3), block)).toBe(0);
    expect(sums(kernelGradient(block, 32, 7, 2, 3), block)).toBe(0);
    expect(sums(kernelGradient(block / 2, 32, 7, 2, 3), 1)).toBe(0);
  });
});
