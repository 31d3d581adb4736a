import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { encodeOnnx } from "../../../src/engine/onnx/encode.js";
import { widen } from "../../../src/engine/onnx/graph.js";
import { InferenceSession, OrtTensor } from "../../../src/engine/onnx/onnx-runtime.js";
import * as ops from "../../../src/engine/operations.js";
import { Program } from "../../../src/engine/program.js";
import { referenceBackend } from "../../../src/engine/reference.js";
import { draw, error } from "../evaluation.js";

const PYTHON = process.env.PDE_DIRICHLET_PYTHON ?? "python3";
const hasOnnxRuntime = spawnSync(PYTHON, ["-c", "import numpy, onnxruntime"]).status === 0;
const folder = mkdtempSync(join(tmpdir(), "pde-dirichlet-onnx-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Two layers on a batch of matrices, with products read transposed. */
function network(): Program {
  const program = new Program();
  const x = program.input("fields", [4, 5, 3]);
  const weights = program.constant(draw([7, 3], "weights"), [7, 3]);
  const hidden = ops.relu(ops.add(ops.matmul(x, weights, { transposeB: true }), program.constant(0.1)));
  program.output("gram", ops.matmul(hidden, hidden, { transposeA: true }));
  program.output("mean", ops.mean(hidden));
  return program;
}

const fields = draw([4, 5, 3], "fields");

/** How many nodes of a type a file holds: the field `op_type` has number 4. */
function count(bytes: Uint8Array, type: string): number {
  const field = `\x22${String.fromCharCode(type.length)}${type}`;
  return Buffer.from(bytes).toString("latin1").split(field).length - 1;
}

describe("an encoded program", () => {
  it("keeps the names and shapes of inputs and outputs", async () => {
    const session = await InferenceSession.create(encodeOnnx(network()));
    expect(session.inputNames).toEqual(["fields"]);
    expect(session.outputNames).toEqual(["gram", "mean"]);
    expect(session.inputMetadata[0]).toMatchObject({ type: "float32", shape: [4, 5, 3] });
    expect(session.outputMetadata[0]).toMatchObject({ type: "float32", shape: [4, 7, 7] });
    expect(session.outputMetadata[1]).toMatchObject({ type: "float32", shape: [] });
  });

  it.each([false, true])(
    "computes the same with extensions %s, which are used only then",
    async (extensions) => {
      const bytes = encodeOnnx(network(), { extensions });
      expect(Buffer.from(bytes).includes("com.microsoft")).toBe(extensions);
      const session = await InferenceSession.create(bytes);
      const results = await session.run({
        fields: new OrtTensor("float32", Float32Array.from(fields), [4, 5, 3]),
      });
      const expected = await (await referenceBackend.compile(network())).run({ fields });
      expect(error(results.gram.data as Float32Array, expected.gram)).toBeLessThan(1e-6);
    },
  );

  it.each([false, true])(
    "has GELU and gradients of kernels with extensions %s as well",
    async (extensions) => {
      const program = new Program();
      const x = program.input("fields", [2, 3, 5, 4]);
      const g = program.constant(draw([2, 2, 5, 4], "results"), [2, 2, 5, 4]);
      program.output("gelu", ops.gelu(x));
      program.output("large", ops.convolveKernel(x, g, [1, 1]));
      program.output("small", ops.convolveKernel(x, g, [3, 3], { padding: [1, 1] }));
      const values = draw([2, 3, 5, 4], "planes");
      const session = await InferenceSession.create(encodeOnnx(program, { extensions }));
      const planes = new OrtTensor("float32", Float32Array.from(values), [2, 3, 5, 4]);
      const results = await session.run({ fields: planes });
      const expected = await (await referenceBackend.compile(program)).run({ fields: values });
      for (const name of ["gelu", "large", "small"])
        expect(error(results[name].data as Float32Array, expected[name])).toBeLessThan(1e-6);
    },
  );

  it("takes any length of an axis that is left open", async () => {
    const program = new Program();
    const x = program.input("fields", [2, 3]);
    program.output("prediction", ops.relu(ops.matmul(x, program.constant([1, 2, 3], [3, 1]))));
    const samples = { 0: "samples" };
    const session = await InferenceSession.create(
      encodeOnnx(program, { openAxes: { fields: samples, prediction: samples } }),
    );
    expect(session.inputMetadata[0]).toMatchObject({ shape: ["samples", 3] });
    const five = new OrtTensor("float32", new Float32Array(15).fill(1), [5, 3]);
    expect([...((await session.run({ fields: five })).prediction.data as Float32Array)]).toEqual([
      6, 6, 6, 6, 6,
    ]);
  });

  it("leaves out what no output needs", () => {
    const program = new Program();
    const x = program.input("x", [3]);
    ops.exp(x);
    program.output("y", ops.tanh(x));
    expect(count(encodeOnnx(program), "Exp")).toBe(0);
    expect(count(encodeOnnx(program), "Tanh")).toBe(1);
  });

  it("reshapes the same values to the same shape once, from where they were first", () => {
    const program = new Program();
    const x = program.input("x", [4, 9]);
    const fields = ops.reshape(x, [1, 1, 6, 6]);
    const kernel = program.input("k", [1, 1, 6, 6]);
    program.output("y", ops.convolve(fields, kernel));
    program.output("gradient", ops.convolveKernel(fields, program.input("g", [1, 1, 1, 1]), [6, 6]));
    const bytes = encodeOnnx(program);
    // x and k for one product, x shared and g for the other, and two results.
    expect(count(bytes, "Reshape")).toBe(5);
  });

  it("gives inner values names that no input or output has", async () => {
    const program = new Program();
    let y = program.input("Tanh_3", [2]);
    for (let i = 0; i < 5; i++) y = ops.tanh(ops.add(y, program.input(`Tanh_${i + 4}`, [2])));
    program.output("Add_3", y);
    expect((await InferenceSession.create(encodeOnnx(program))).outputNames).toEqual(["Add_3"]);
  });
});

it("whole numbers keep their sign when they become 64-bit", () => {
  const values = [0, 1, -1, 2147483647, -2147483648];
  expect([...widen(Int32Array.from(values))]).toEqual(values.map(BigInt));
});

describe("a product and a sum", () => {
  const shapes = { bias: [3], row: [1, 3], column: [4, 1], scalar: [], matrix: [4, 3] };

  function sumOf(shape: readonly number[], combine: typeof ops.add, reversed: boolean): Program {
    const program = new Program();
    const product = ops.matmul(program.input("a", [5, 4]), program.input("b", [3, 5]), {
      transposeA: true,
      transposeB: true,
    });
    const addend = program.input("c", shape);
    program.output("y", reversed ? combine(addend, product) : combine(product, addend));
    return program;
  }

  for (const [name, shape] of Object.entries(shapes))
    for (const combine of [ops.add, ops.subtract])
      for (const reversed of [false, true])
        it(`become one Gemm: ${combine.name} of a ${name}${reversed ? ", in reverse" : ""}`, async () => {
          const program = sumOf(shape, combine, reversed);
          const bytes = encodeOnnx(program);
          expect(count(bytes, "Gemm")).toBe(1);
          expect(count(bytes, "Add") + count(bytes, "Sub")).toBe(0);
          const values = { a: draw([5, 4], "a"), b: draw([3, 5], "b"), c: draw(shape, "c") };
          const expected = (await (await referenceBackend.compile(program)).run(values)).y;
          const session = await InferenceSession.create(bytes);
          const { y } = await session.run({
            a: new OrtTensor("float32", Float32Array.from(values.a), [5, 4]),
            b: new OrtTensor("float32", Float32Array.from(values.b), [3, 5]),
            c: new OrtTensor("float32", Float32Array.from(values.c), shape),
          });
          expect(error(y.data as Float32Array, expected)).toBeLessThan(1e-6);
        });

  it("stay apart where the product is used elsewhere, or the sum is larger than it", () => {
    const shared = sumOf([3], ops.add, false);
    const used = new Program();
    const product = ops.matmul(used.input("a", [2, 2]), used.input("b", [2, 2]));
    used.output("sum", ops.add(product, 1));
    used.output("product", product);
    expect(count(encodeOnnx(shared), "Add")).toBe(0);
    expect(count(encodeOnnx(used), "Add")).toBe(1);
    expect(count(encodeOnnx(sumOf([2, 4, 3], ops.add, false)), "Add")).toBe(1);
  });
});

it.skipIf(!hasOnnxRuntime)("Python's onnxruntime loads the file and computes the same", async () => {
  const path = join(folder, "network.onnx");
  writeFileSync(path, encodeOnnx(network()));
  const script = [
    "import json, sys, numpy as np, onnxruntime",
    "session = onnxruntime.InferenceSession(sys.argv[1])",
    "fields = np.array(json.load(sys.stdin), np.float32).reshape(session.get_inputs()[0].shape)",
    "results = session.run(None, {session.get_inputs()[0].name: fields})",
    "print(json.dumps({o.name: r.ravel().tolist() for o, r in zip(session.get_outputs(), results)}))",
  ].join("\n");
  const ran = spawnSync(PYTHON, ["-c", script, path], {
    input: JSON.stringify([...fields]),
    encoding: "utf8",
  });
  const results = JSON.parse(ran.stdout);
  const expected = await (await referenceBackend.compile(network())).run({ fields });
  expect(error(results.gram, expected.gram)).toBeLessThan(1e-6);
  expect(error(results.mean, expected.mean)).toBeLessThan(1e-6);
});
