import * as ort from "onnxruntime-web/wasm";
import { afterEach, describe, expect, it } from "vitest";
import type { Executable } from "../../src/engine/backend.js";
import { onnxBackend, onnxDoubleBackend } from "../../src/engine/onnx/onnx-backend.js";
import { webBackend } from "../../src/engine/onnx/web-backend.js";
import { add, gather, matmul, multiply, reshape, slice, sum } from "../../src/engine/operations.js";
import { Program } from "../../src/engine/program.js";
import { referenceBackend } from "../../src/engine/reference.js";

ort.env.wasm.numThreads = 1; // threads of its own need a page
const backends = [referenceBackend, onnxBackend, onnxDoubleBackend, webBackend(ort)];

describe.each(backends)("the $name backend", (backend) => {
  let executable: Executable;
  afterEach(() => executable.close());

  /** A counter that grows by `by` in each run and tells its sum. */
  async function counter() {
    const program = new Program();
    const next = add(program.input("count", [3]), program.input("by", []));
    program.output("next", next);
    program.output("total", sum(next));
    program.carry("next", "count");
    executable = await backend.compile(program);
    executable.write("count", Float32Array.of(1, 2, 3));
  }

  it("carries an output into the next run and returns only the others", async () => {
    await counter();
    expect(await executable.run({ by: Float32Array.of(1) })).toEqual({ total: expect.anything() });
    expect([...(await executable.run()).total]).toEqual([12]);
    expect([...executable.read("count")]).toEqual([3, 4, 5]);
  });

  it("goes on from what is written", async () => {
    await counter();
    await executable.run({ by: Float32Array.of(1) });
    executable.write("count", Float64Array.of(0, 0, 7));
    expect([...(await executable.run({ by: Float32Array.of(2) })).total]).toEqual([13]);
  });

  it("lets nobody change the state through what was read", async () => {
    await counter();
    await executable.run({ by: Float32Array.of(1) });
    executable.read("count").fill(100);
    expect([...(await executable.run()).total]).toEqual([12]);
  });

  it("takes indices as 32-bit and 64-bit whole numbers, moved around before use", async () => {
    const program = new Program();
    const indices = program.input("indices", [2, 3], "int");
    const table = program.constant([10, 20, 30, 40]);
    program.output("rows", gather(table, reshape(slice(indices, 0, 1, 2), [3])));
    executable = await backend.compile(program);
    expect([...(await executable.run({ indices: Int32Array.of(0, 0, 0, 3, 1, 3) })).rows]).toEqual([
      40, 20, 40,
    ]);
    expect([...(await executable.run({ indices: BigInt64Array.of(0n, 0n, 0n, 2n, 1n, 0n) })).rows]).toEqual([
      30, 20, 10,
    ]);
  });

  it("gives out inputs, constants and one tensor under two names", async () => {
    const program = new Program();
    const x = program.input("x", [2]);
    const twice = multiply(x, 2);
    program.output("same", x);
    program.output("constant", program.constant([5, 6]));
    program.output("twice", twice);
    program.output("again", twice);
    executable = await backend.compile(program);
    const outputs = await executable.run({ x: Float64Array.of(1, 2) });
    expect(Object.fromEntries(Object.entries(outputs).map(([name, values]) => [name, [...values]]))).toEqual({
      same: [1, 2],
      constant: [5, 6],
      twice: [2, 4],
      again: [2, 4],
    });
  });

  it("names the input that is missing, unknown, too long or of the wrong kind", async () => {
    await counter();
    await expect(executable.run()).rejects.toThrow('input "by" has no value');
    await expect(executable.run({ to: Float32Array.of(1) })).rejects.toThrow('no input "to", only count, by');
    await expect(executable.run({ by: Float32Array.of(1, 2) })).rejects.toThrow(
      '"by" of shape [] cannot take 2 values',
    );
    await expect(executable.run({ by: Int32Array.of(1) })).rejects.toThrow(
      '"by" takes float values, not Int32Array',
    );
    expect(() => executable.read("by")).toThrow('input "by" has no value');
  });
});

describe("ONNX Runtime", () => {
  it("gives the same bits in every run, with one thread and with two", async () => {
    const program = new Program();
    const x = program.input("x", [50, 70]);
    program.output("y", matmul(x, x, { transposeA: true }));
    const values = Float32Array.from({ length: 3500 }, (_, i) => Math.sin(i));
    const results = [];
    for (const threads of [1, 1, 2]) {
      const executable = await onnxBackend.compile(program, { threads });
      results.push((await executable.run({ x: values })).y);
      await executable.close();
    }
    expect(results[1]).toEqual(results[0]);
    expect(results[2]).toEqual(results[0]);
  });
});
