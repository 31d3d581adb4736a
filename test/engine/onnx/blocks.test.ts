import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { blockSize } from "../../../src/engine/onnx/block-size.js";
import { encodeOnnx } from "../../../src/engine/onnx/encode.js";
import { InferenceSession, OrtTensor } from "../../../src/engine/onnx/onnx-runtime.js";
import * as ops from "../../../src/engine/operations.js";
import { Program } from "../../../src/engine/program.js";
import { referenceBackend } from "../../../src/engine/reference.js";
import { draw, error } from "../evaluation.js";

const BLOCKED = "com.microsoft.nchwc";
const block = await blockSize();

interface Sizes {
  readonly samples: number;
  readonly from: number;
  readonly to: number;
  readonly plane: readonly [number, number];
  readonly kernel: readonly [number, number];
  readonly strides: readonly [number, number];
  readonly padding: readonly [number, number];
}

/** A convolution and both of its derivatives. */
function convolutions({ samples, from, to, plane, kernel, strides, padding }: Sizes): Program {
  const program = new Program();
  const x = program.input("x", [samples, from, ...plane]);
  const k = program.input("k", [to, from, ...kernel]);
  const y = ops.convolve(x, k, { strides, padding });
  const g = ops.tanh(y);
  program.output("y", y);
  program.output("back", ops.convolveBack(g, k, plane, { strides, padding }));
  program.output("kernel", ops.convolveKernel(x, g, kernel, { strides, padding }));
  return program;
}

/** How far the results of an encoded program are from the reference's. */
async function deviation(program: Program): Promise<number> {
  const inputs = [...program.inputs].map(([name, { shape }]) => ({ name, shape, values: draw(shape, name) }));
  const session = await InferenceSession.create(encodeOnnx(program, { extensions: true, block }));
  const results = await session.run(
    Object.fromEntries(
      inputs.map(({ name, shape, values }) => [
        name,
        new OrtTensor("float32", Float32Array.from(values), shape),
      ]),
    ),
  );
  await session.release();
  const executable = await referenceBackend.compile(program);
  const right = await executable.run(Object.fromEntries(inputs.map(({ name, values }) => [name, values])));
  await executable.close();
  return Math.max(
    ...Object.keys(right).map((name) => error(results[name].data as Float32Array, right[name])),
  );
}

const sizes = fc
  .record({
    samples: fc.integer({ min: 1, max: 18 }),
    from: fc.constantFrom(1, 3, 4, 8, 16, 32),
    to: fc.constantFrom(1, 3, 4, 8, 16, 32),
    kernel: fc.constantFrom([3, 3], [3, 1], [7, 1], [4, 4], [1, 1], [1, 3], [2, 3]),
    strides: fc.constantFrom([1, 1], [2, 1], [2, 2], [1, 2], [3, 1]),
    padding: fc.constantFrom([0, 0], [1, 0], [1, 1], [0, 1]),
    plane: fc.tuple(fc.integer({ min: 7, max: 12 }), fc.integer({ min: 4, max: 9 })),
  })
  .map((drawn) => drawn as Sizes);

describe.skipIf(block === 1)("channels in blocks", () => {
  it("give the reference's convolutions and derivatives, whatever the sizes", async () => {
    await fc.assert(
      fc.asyncProperty(sizes, async (drawn) => {
        expect(await deviation(convolutions(drawn))).toBeLessThan(3e-6);
      }),
      { seed: 4, numRuns: 60 },
    );
  });

  const many: Sizes = {
    ...{ samples: 2, from: 32, to: 32, plane: [9, 8], kernel: [3, 3], strides: [1, 1], padding: [1, 1] },
  };

  it("are used where there are many, and only if the size of a block is given", () => {
    const encoded = (program: Program, own: number) =>
      Buffer.from(encodeOnnx(program, { extensions: true, block: own })).toString("latin1");
    expect(encoded(convolutions(many), block).split("\x22\x0cReorderInput").length - 1).toBe(2);
    expect(encoded(convolutions(many), 1)).not.toContain(BLOCKED);
    expect(encoded(convolutions({ ...many, from: 3, to: 3 }), block)).not.toContain(BLOCKED);
    expect(Buffer.from(encodeOnnx(convolutions(many))).includes("com.microsoft")).toBe(false);
  });

  it("are filled up: four channels make one block", () => {
    expect([8, 16]).toContain(block);
  });
});
