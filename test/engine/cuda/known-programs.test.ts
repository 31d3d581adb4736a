import { describe, expect, it } from "vitest";
import type { Device } from "../../../src/engine/cuda/device/device.js";
import { HOPPER } from "../../../src/engine/cuda/kernels/kernel-body.js";
import { fingerprint, knownPrograms } from "../../../src/engine/cuda/known-programs.js";
import { add, leakyRelu, sum, tanh } from "../../../src/engine/operations.js";
import { Program } from "../../../src/engine/program.js";

interface Changes {
  readonly shape?: readonly number[];
  readonly input?: string;
  readonly constant?: ArrayLike<number> & (Float32Array | Float64Array);
  readonly slope?: number;
  readonly axis?: number;
  readonly output?: string;
  readonly isCarried?: boolean;
  readonly isOther?: boolean;
}

/** Some program, or one that differs from it in a single thing. */
function someProgram(changes: Changes = {}): Program {
  const { shape = [3, 3], input = "x", constant = Float64Array.of(1, 2, 3), slope = 0.2 } = changes;
  const { axis = 0, output = "y", isCarried = false, isOther = false } = changes;
  const program = new Program();
  const x = program.input(input, shape);
  const h = leakyRelu(add(x, program.constant(constant, [3])), slope);
  program.output(output, sum(h, [axis]));
  program.output("h", isOther ? tanh(h) : h);
  if (isCarried) program.carry("h", input);
  return program;
}

/** A device that compiles nothing, and counts how often it is asked to. */
function countingDevice() {
  let compiled = 0;
  let fails = false;
  const device: Partial<Device> = {
    capability: [9, 0],
    multiprocessors: HOPPER,
    precision: "fp32",
    prepare: async () => {
      if (fails) throw new Error("no compiler");
    },
    compile: (_, names) => {
      compiled++;
      return new Map(names.map((name) => [name, { name }])) as unknown as ReturnType<Device["compile"]>;
    },
  };
  return {
    device: device as Device,
    compiled: () => compiled,
    failing: (now: boolean) => {
      fails = now;
    },
  };
}

describe("known programs", () => {
  it("tells programs apart that differ in anything", () => {
    const others: readonly Changes[] = [
      {},
      { shape: [2, 3] },
      { input: "z" },
      { constant: Float64Array.of(1, 2, 4) },
      { constant: Float32Array.of(1, 2, 3) },
      { slope: 0.3 },
      { axis: 1 },
      { output: "z" },
      { isCarried: true },
      { isOther: true },
    ];
    expect(new Set(others.map((one) => fingerprint(someProgram(one)))).size).toBe(others.length);
    expect(fingerprint(someProgram())).toBe(fingerprint(someProgram()));
  });

  it("plans and compiles equal programs once, those of lately", async () => {
    const { device, compiled } = countingDevice();
    const known = knownPrograms(device, {});
    const first = known(someProgram());
    expect(known(someProgram())).toBe(first);
    expect(await first.calls()).toBe(await first.calls());
    expect(compiled()).toBe(1);
    for (let i = 1; i <= 15; i++) known(someProgram({ slope: i / 64 }));
    expect(known(someProgram())).toBe(first);
    for (let i = 21; i <= 36; i++) known(someProgram({ slope: i / 64 }));
    expect(known(someProgram())).not.toBe(first);
  });

  it("tries again what could not be compiled", async () => {
    const { device, compiled, failing } = countingDevice();
    const { calls } = knownPrograms(device, {})(someProgram());
    failing(true);
    await expect(calls()).rejects.toThrow("no compiler");
    failing(false);
    expect(await calls()).toHaveLength(1);
    expect(compiled()).toBe(1);
  });
});
