import { describe, expect, it } from "vitest";
import { cudaBackend } from "../../../src/engine/cuda/cuda-backend.js";
import type { Device } from "../../../src/engine/cuda/device/device.js";
import { HOPPER, type Multiprocessors } from "../../../src/engine/cuda/kernels/kernel-body.js";
import { matmul, sum } from "../../../src/engine/operations.js";
import { Program } from "../../../src/engine/program.js";

/** NVIDIA's A100. */
const AMPERE: Multiprocessors = { processors: 108, shared: 164 * 1024, blockShared: 163 * 1024 };

/** All that a GPU with these multiprocessors is to compile for a program. */
async function sourcesOn(multiprocessors: Multiprocessors, program: Program): Promise<string> {
  const sources: string[] = [];
  const device: Partial<Device> = {
    capability: [8, 0],
    multiprocessors,
    precision: "fp32",
    prepare: async () => {},
    compile: (source, names) => {
      sources.push(source);
      return new Map(names.map((name) => [name, { name }])) as unknown as ReturnType<Device["compile"]>;
    },
    event: () => ({}) as ReturnType<Device["event"]>,
    allocate: () => 0n,
  };
  await cudaBackend(device as Device).compile(program);
  return sources.join();
}

describe("the CUDA backend", () => {
  it("asks of the GPU at hand which products add up their factors", async () => {
    const program = new Program();
    // Rows for tall kernels on 108 multiprocessors, but not on 132.
    const x = program.input("x", [15_000, 64]);
    program.output("y", matmul(x, program.input("w", [64, 64])));
    program.output("sum", sum(x, [1]));
    expect(await sourcesOn(AMPERE, program)).toContain("multiply_add");
    expect(await sourcesOn(HOPPER, program)).not.toContain("multiply_add");
  });
});
