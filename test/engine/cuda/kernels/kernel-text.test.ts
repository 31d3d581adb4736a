import { describe, expect, it } from "vitest";
import { planOf } from "../../../../src/engine/cuda/compile-plan.js";
import { loadFfi } from "../../../../src/engine/cuda/device/ffi.js";
import { LibraryError } from "../../../../src/engine/cuda/device/libraries.js";
import { openNvrtc } from "../../../../src/engine/cuda/device/nvrtc.js";
import { epilogueText } from "../../../../src/engine/cuda/kernels/epilogue-text.js";
import { sourceText, stepText } from "../../../../src/engine/cuda/kernels/kernel-text.js";
import { describePlan, rooflineTime } from "../../../../src/engine/cuda/plan/describe-plan.js";
import { isOwn, type Plan } from "../../../../src/engine/cuda/plan/plan.js";
import {
  add,
  gather,
  matmul,
  multiply,
  pad,
  relu,
  slice,
  sum,
  tanh,
} from "../../../../src/engine/operations.js";
import { Program } from "../../../../src/engine/program.js";
import { roundProgram } from "../../../../src/federation/rounds/round-program.js";
import { runOptions } from "../../../../src/federation/run-options.js";
import { smallProblem } from "../../../federation/small-problem.js";
import { buildOnGrid } from "../../../models/build-on-grid.js";

const nvrtc = await loadFfi()
  .then((ffi) => openNvrtc(ffi))
  .catch((error) => {
    if (error instanceof LibraryError) return undefined;
    throw error;
  });

const wide = { largeKernels: true };
const gpu = { prefersLargeKernels: true };
const options = runOptions({ task: "antiderivative", alpha: 1, seed: 1 });

/** A round of the size of the antiderivative's: ten clients, five steps. */
const small = smallProblem(
  Array.from({ length: 10 }, () => 70),
  {
    sizes: { sensors: 100, coordinates: 1, width: 40, depth: 2 },
    points: 100,
  },
);
const antiderivativeRound = roundProgram(
  small.operator.training(small.train, wide),
  options,
  { replicas: 1, clients: 10, steps: options.localSteps, rows: 64 },
  gpu,
);
const antiderivative = planOf(antiderivativeRound);

const kernelsOf = ({ steps, buffers }: Plan) => steps.flatMap((step) => stepText(step, buffers) ?? []);
const textsOf = (plan: Plan) => kernelsOf(plan).map(({ text }) => text);

describe("the text of a kernel", () => {
  it("computes a chain of elementwise operations in one pass, element by element where they lie in order", () => {
    const program = new Program();
    const x = program.input("x", [6, 5]);
    program.output("y", tanh(add(multiply(x, 2), relu(x))));
    const [text, ...others] = textsOf(planOf(program));
    expect(others).toEqual([]);
    expect(text).toBe(`(const float* __restrict__ p0, float* p1) {
  if (blockIdx.x < 1u) {
    const unsigned block = blockIdx.x - 0u;
    const float* __restrict__ q0 = p0;
    float* q1 = p1;
    const unsigned i = block * 256u + threadIdx.x;
    if (i < 30u) {
      const float v0 = q0[i];
      const float v1 = v0 * 2.00000000e+0f;
      const float v2 = v0 <= 0.f ? 0.f : v0;
      const float v3 = v1 + v2;
      const float v4 = tanhf(v3);
      q1[i] = v4;
    }
    return;
  }
}
`);
  });

  it("reads through gathers, and pads only where there is something to read", () => {
    const program = new Program();
    const rows = gather(program.input("table", [9, 4]), program.input("indices", [3], "int"));
    program.output("y", pad(rows, 0, 2, 1));
    const [text] = textsOf(planOf(program));
    expect(text).toContain("const int* __restrict__");
    expect(text).toMatch(/>= 0\) & .* \? q\d\[.*\(unsigned\)v0 \* 4u\] : 0;/);
  });

  it("asks once for each number that is read of a product of padded tensors, and not for the product", () => {
    const program = new Program();
    const [x, y] = ["x", "y"].map((name) => program.input(name, [6, 5]));
    program.output("z", pad(multiply(x, y), 1, 2, 2));
    const [text] = textsOf(planOf(program));
    expect(text.split(" ? ")).toHaveLength(3);
  });

  it("is the same for the same work on other buffers, so that steps share kernels", () => {
    const texts = textsOf(antiderivative);
    expect(texts.length).toBeGreaterThan(25);
    expect(new Set(texts).size).toBeLessThan(20);
  });

  it("of a product takes each element on to where it belongs", () => {
    const program = new Program();
    const [x, w, b] = [
      [3, 20, 7],
      [7, 6],
      [3, 1, 6],
    ].map((shape, i) => program.input(`x${i}`, shape));
    program.output("y", relu(add(matmul(x, w), b)));
    const plan = planOf(program, { hasKernel: () => true });
    const [step] = plan.steps.filter(isOwn);
    const { results, types, pointers } = epilogueText(step, plan.buffers);
    const { elements } = results;
    // All matrices have the same right factor: they are one of 60 rows.
    expect([step.batch, step.rows]).toEqual([1, 60]);
    expect(elements.declare(8)).toBe("float t0[8];\n");
    expect(elements.compute).toBe(`const float v0 = q0[((row) / 20u) * 6u + column];
const float v1 = value + v0;
const float v2 = v1 <= 0.f ? 0.f : v1;
t0[part] = v2;
`);
    expect(elements.store).toBe("q1[column + row * 6u] = t0[part];\n");
    expect(types).toEqual(["const float* __restrict__", "float*"]);
    expect(pointers.map(({ offset }) => offset)).toEqual([0, 0]);
  });

  it("of products that differ in their buffers alone is the same", () => {
    const program = new Program();
    const x = program.input("x", [20, 7]);
    for (const i of [0, 1, 2]) {
      const layer = program.input(`layer ${i}`, [8, 6]);
      program.output(`y ${i}`, relu(add(matmul(x, slice(layer, 0, 0, 7)), slice(layer, 0, 7, 8))));
    }
    const texts = textsOf(planOf(program, { hasKernel: () => true }));
    expect(texts).toHaveLength(3);
    expect(new Set(texts).size).toBe(1);
  });

  it.skipIf(nvrtc === undefined)("is accepted by NVRTC, for rounds of a DeepONet and of FNO2D", () => {
    const shapes = { inputShape: [1, 8, 8], responseShape: [8, 8] };
    const operator = buildOnGrid("fno", shapes, { width: 4, modes: 2, layers: 2, projection: 8 });
    const training = operator.training(
      { samples: 3, inputs: new Float32Array(192), responses: new Float32Array(192) },
      wide,
    );
    const sizes = { replicas: 1, clients: 2, steps: 2, rows: 4 };
    const fno = roundProgram(training, options, sizes, gpu);
    const ours = { hasKernel: () => true };
    for (const plan of [antiderivative, planOf(antiderivativeRound, ours), planOf(fno, ours)]) {
      const different = new Map(kernelsOf(plan).map((kernel) => [kernel.text, kernel]));
      const source = sourceText(new Map([...different.values()].map((kernel, i) => [`kernel${i}`, kernel])));
      expect(nvrtc!.compile(source, "sm_90").length).toBeGreaterThan(1000);
    }
  });
});

describe("the plan of a round", () => {
  it("takes at most 20 launches and products a step for the antiderivative, and copies nothing", () => {
    expect(antiderivative.steps.length).toBeLessThanOrEqual(20 * options.localSteps);
    expect(antiderivative.steps.filter(({ kind }) => kind === "copy")).toEqual([]);
  });

  it("is described by traffic and arithmetic, which bound its time from below", () => {
    const program = new Program();
    const x = program.input("x", [1000, 100]);
    program.output("y", sum(multiply(x, x), [1]));
    const steps = describePlan(planOf(program));
    expect(steps).toEqual([
      { kind: "launch", text: "1 sums 1000 of 100", bytes: 4 * (100_000 + 1000), flops: 0 },
    ]);
    expect(rooflineTime(steps, { bandwidth: 1e6, flops: 1e9, launch: 1e-6 })).toBeCloseTo(0.404, 10);
    expect(rooflineTime(steps, { bandwidth: 1e12, flops: 1e9, launch: 1e-5 })).toBeCloseTo(1e-5, 10);
  });
});
