import { describe, expect, it } from "vitest";
import { callsOf, stagesOf } from "../../../src/engine/cuda/calls.js";
import { planOf } from "../../../src/engine/cuda/compile-plan.js";
import type { Precision } from "../../../src/engine/cuda/device/device.js";
import { loadFfi } from "../../../src/engine/cuda/device/ffi.js";
import { LibraryError } from "../../../src/engine/cuda/device/libraries.js";
import { openNvrtc } from "../../../src/engine/cuda/device/nvrtc.js";
import { HOPPER } from "../../../src/engine/cuda/kernels/kernel-body.js";
import { add, matmul, relu, sum } from "../../../src/engine/operations.js";
import { Program } from "../../../src/engine/program.js";

const nvrtc = await loadFfi()
  .then((ffi) => openNvrtc(ffi))
  .catch((error) => {
    if (error instanceof LibraryError) return undefined;
    throw error;
  });

/** A device that only notes what it is to compile. */
function compiler(precision: Precision = "fp32") {
  const sources: string[] = [];
  const prepared = new Set<string>();
  const prepare = async (texts: readonly string[]) => {
    for (const text of texts) prepared.add(text);
  };
  const compile = (source: string, names: readonly string[]) => {
    expect(prepared).toContain(source);
    sources.push(source);
    return new Map(names.map((name) => [name, { name }]));
  };
  return { precision, multiprocessors: HOPPER, prepare, compile, sources };
}

/** Layers of clients side by side, and a wider one. */
function layers(clients: number): Program {
  const program = new Program();
  const x = program.input("x", [40, 7]);
  for (let i = 0; i < clients; i++)
    program.output(
      `y${i}`,
      relu(add(matmul(x, program.input(`w${i}`, [7, 6])), program.input(`b${i}`, [6]))),
    );
  program.output("wide", matmul(x, program.input("w", [7, 9])));
  program.output("sum", sum(x));
  return program;
}

describe("the calls of a plan", () => {
  it("are one launch for products of ours that differ in their pointers alone", async () => {
    const device = compiler();
    const plan = planOf(layers(5), { hasKernel: () => true });
    const calls = await callsOf(plan, device);
    expect(calls.map(({ kind }) => kind)).toEqual(["launch", "launch", "launch"]);
    expect(calls.flatMap(({ steps }) => steps).sort((a, b) => a - b)).toEqual([...plan.steps.keys()]);
    const alike = calls.find(({ steps }) => steps.length === 5)!;
    if (alike.kind !== "launch") throw new Error("no launch");
    expect(alike.text.blocks[2]).toBe(5);
    // Two factors, the bias and the result of each, in the order of the steps.
    expect(alike.text.pointers).toHaveLength(20);
    alike.steps.forEach((number, copy) => {
      const step = plan.steps[number];
      if (step.kind !== "product") throw new Error("no product");
      const buffers = alike.text.pointers.slice(4 * copy, 4 * copy + 4).map(({ buffer }) => buffer);
      expect(buffers.slice(0, 2)).toEqual([step.a.buffer, step.b.buffer]);
      expect(buffers[3]).toBe(step.epilogue![0].buffer);
    });
    // One kernel a module, as long as there are few.
    expect(device.sources).toHaveLength(3);
    expect(stagesOf(calls)).toEqual([calls]);
  });

  it("are launches of their own for products whose text is the same, but not how many matrices they have", async () => {
    const program = new Program();
    for (const batch of [140, 150]) {
      const x = program.input(`x${batch}`, [batch, 64, 500]);
      program.output(`y${batch}`, relu(matmul(x, program.input(`w${batch}`, [batch, 500, 48]))));
    }
    const calls = await callsOf(planOf(program), compiler());
    const blocks = calls.map((call) => (call.kind === "launch" ? call.text.blocks : undefined));
    expect(blocks).toEqual([
      [1, 140, 1],
      [1, 150, 1],
    ]);
  });

  it("are as many launches as their pointers need", async () => {
    const calls = await callsOf(planOf(layers(250), { hasKernel: () => true }), compiler());
    const sizes = calls.map(({ steps }) => steps.length).sort((a, b) => a - b);
    expect(sizes).toEqual([1, 1, 50, 100, 100]);
  });

  it("leave to the library what has no kernel of ours, alike ones together", async () => {
    const calls = await callsOf(planOf(layers(5), { hasKernel: ({ columns }) => columns === 9 }), compiler());
    expect(calls.map(({ kind, steps }) => [kind, steps.length]).slice(0, 3)).toEqual([
      ["launch", 1],
      ["products", 5],
      ["launch", 1],
    ]);
  });

  it.skipIf(nvrtc === undefined)("compile, in either precision", async () => {
    for (const precision of ["fp32", "tf32"] as const) {
      const device = compiler(precision);
      await callsOf(planOf(layers(5), { hasKernel: () => true }), device);
      for (const source of device.sources)
        expect(nvrtc!.compile(source, "sm_90").length).toBeGreaterThan(1000);
    }
  });
});
