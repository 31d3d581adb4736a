import { describe, expect, it } from "vitest";
import { planOf } from "../../../../src/engine/cuda/compile-plan.js";
import { describePlan } from "../../../../src/engine/cuda/plan/describe-plan.js";
import { isOwn, type Job, loadsOf, type Plan, storesOf } from "../../../../src/engine/cuda/plan/plan.js";
import * as ops from "../../../../src/engine/operations.js";
import { Program } from "../../../../src/engine/program.js";
import { roundProgram } from "../../../../src/federation/rounds/round-program.js";
import { runOptions } from "../../../../src/federation/run-options.js";
import type { TrainableModel } from "../../../../src/models/trainable-model.js";
import { buildOnGrid } from "../../../models/build-on-grid.js";
import { plansWith } from "./plan-for.js";

const planFor = plansWith({});

/** The plan of a function of inputs. */
const jobsOf = ({ steps }: Plan): readonly Job[] =>
  steps.flatMap((step) => (step.kind === "launch" ? step.jobs : []));

/** Numbers that kernels write, but for sums. */
const written = (plan: Plan): number =>
  jobsOf(plan).reduce((sum, job) => {
    const size = job.kind === "map" ? job.size : job.layout.outputs * job.layout.length;
    return sum + size * (job.kind === "map" ? storesOf(job) : job.stores).length;
  }, 0);

describe("what a plan reads and writes", () => {
  it("is one copy of an operand that products take in both orientations", () => {
    const plan = planFor(
      [
        [6, 2, 8, 16],
        [6, 16, 16],
        [6, 16, 16],
      ],
      ([x, a, b]) => {
        const parts = ops.reshape(
          ops.transpose(ops.reshape(x, [3, 2, 2, 8, 16]), [1, 0, 2, 3, 4]),
          [6, 16, 16],
        );
        return [ops.matmul(parts, a), ops.matmul(parts, b, { transposeA: true })];
      },
    );
    expect(written(plan)).toBe(6 * 16 * 16);
  });

  it("is the copy alone of tensors that are joined only to be copied in another order", () => {
    const plan = planFor(
      [
        [8, 6, 16],
        [8, 6, 16],
        [9, 12],
      ],
      ([x, y, w]) => {
        const joined = ops.concat([ops.add(x, y), ops.subtract(x, y)], 1);
        return [ops.matmul(w, ops.reshape(ops.transpose(joined, [1, 0, 2]), [12, 8 * 16]))];
      },
    );
    expect(written(plan)).toBe(2 * 8 * 6 * 16);
  });

  it("is one pass for the gradients of a thin layer and of its inputs", () => {
    const plan = planFor(
      [
        [2, 4096, 16],
        [2, 4096, 1],
        [2, 16, 1],
      ],
      ([h, g, w]) => {
        const toH = ops.multiply(ops.matmul(g, w, { transposeB: true }), ops.geluSlope(h));
        return [ops.matmul(ops.gelu(h), g, { transposeA: true }), ops.sum(toH, [1]), toH];
      },
    );
    const passes = jobsOf(plan).filter((job) => job.kind === "reduce" && job.layout.length > 64);
    expect(passes.map((job) => [job.kind === "reduce" && job.sums.length, job.stores.length])).toEqual([
      [2, 1],
    ]);
  });

  it("is each client's kernel once where that covers the whole field, whatever the samples", () => {
    const [clients, samples, channels, out] = [10, 16, 64, 128];
    const field = [clients, samples, channels, 8, 9];
    const plan = planFor(
      [field, [clients, out, channels, 8, 9], [clients, samples, out, 1, 1]],
      ([x, w, g]) => [ops.convolve(x, w), ops.tanh(ops.convolveBack(g, w, [8, 9]))],
    );
    const products = plan.steps.flatMap((step) => (step.kind === "product" ? [step] : []));
    const columns = channels * 8 * 9;
    expect(products.map(({ rows, batch, inner }) => [rows, batch * inner])).toEqual(
      expect.arrayContaining([
        [samples, clients * columns],
        [samples, clients * out],
      ]),
    );
    expect(written(plan)).toBe(0);
    expect(products.filter(isOwn).flatMap(({ epilogue }) => epilogue)).toHaveLength(2);
  });

  it("is no column of a transposed convolution of one channel, whose field is computed once", () => {
    const [samples, channels, inner, outer] = [16, 8, 70, 80];
    const edge = (outer - inner) / 2;
    const plan = planFor(
      [
        [samples, 1, inner, inner],
        [1, channels, 3, 3],
        [samples, channels, outer, outer],
      ],
      ([g, w, h]) => {
        const field = ops.convolveBack(ops.relu(g), w, [inner, inner], { padding: [1, 1] });
        const wide = ops.pad(ops.pad(field, -1, edge, edge), -2, edge, edge);
        const masked = ops.multiply(wide, ops.leakySlope(h, 0.2));
        const sums = ops.sum(ops.multiply(masked, h), [-2, -1], { keep: true });
        return [ops.multiply(ops.add(h, masked), sums)];
      },
    );
    expect(plan.steps.map(({ kind }) => kind)).toEqual(["launch", "launch", "launch"]);
    expect(written(plan)).toBe(2 * samples * channels * outer ** 2);
  });

  it("has each of several transposed convolutions of one channel computed once", () => {
    const loads = (depth: number) => {
      const kernel = [1, 1, 3, 3];
      const kernels = Array.from({ length: depth }, () => kernel);
      const plan = planFor([[2, 1, 16, 16], ...kernels], ([x, ...weights]) => [
        weights.reduce((y, w) => ops.tanh(ops.convolveBack(y, w, [16, 16], { padding: [1, 1] })), x),
      ]);
      return loadsOf(jobsOf(plan).flatMap(storesOf)).length;
    };
    expect(loads(3)).toBeLessThanOrEqual(3 * loads(1));
  });

  it("holds small results of several tensors that a much larger one needs", () => {
    const plan = planFor(
      [
        [512, 1],
        [512, 1],
        [512, 1],
        [1, 1024],
      ],
      ([a, b, c, row]) => [ops.multiply(ops.exp(ops.multiply(ops.add(a, b), c)), row)],
    );
    expect(jobsOf(plan).map((job) => job.kind === "map" && job.size)).toEqual([512, 512 * 1024]);
  });

  it("holds no batch of inputs before the step that needs it", () => {
    const arena = (steps: number) => {
      const program = new Program();
      const table = program.input("table", [4, 2 ** 18]);
      const indices = program.input("indices", [steps, 16], "int");
      let w = program.input("w", [16, 16]);
      for (let step = 0; step < steps; step++) {
        const own = ops.reshape(ops.slice(indices, 0, step, step + 1), [16]);
        const batch = ops.gather(table, own);
        w = ops.tanh(ops.matmul(ops.matmul(w, batch), batch, { transposeB: true }));
      }
      program.output("y", w);
      return planOf(program).arena;
    };
    expect(arena(4)).toBeLessThan(1.5 * arena(1));
  });
});

/** The plan of a round of clients with two samples each. */
function roundPlan(operator: TrainableModel, inputs: number, responses: number, clients: number): Plan {
  const samples = {
    samples: 2,
    inputs: new Float32Array(2 * inputs),
    responses: new Float32Array(2 * responses),
  };
  const training = operator.training(samples, { largeKernels: true });
  const options = runOptions({ task: "darcy", alpha: 1, seed: 0 });
  // Which products have kernels of ours depends on their sizes.
  return planOf(
    roundProgram(
      training,
      options,
      { replicas: 1, clients, steps: 2, rows: 2 },
      { prefersLargeKernels: true },
    ),
    {
      hasKernel: () => false,
      canFuseSecondProduct: () => false,
    },
  );
}

const grid = { inputShape: [32, 32], responseShape: [32, 32] };
const line = { inputShape: [256], responseShape: [256], axes: 1 };
const space = { inputShape: [16, 8, 8], responseShape: [16, 8, 8], axes: 3 };
const recordings = { inputShape: [5, 125, 70], responseShape: [70, 70] };

describe.each([
  ["FNO2D", buildOnGrid("fno", grid), 1024, 1024],
  ["FNO1D", buildOnGrid("fno", line), 256, 256],
  ["FNO3D", buildOnGrid("fno", space, { modes: 4 }), 1024, 1024],
  ["InversionNet", buildOnGrid("inversion-net", recordings), 5 * 125 * 70, 70 * 70],
] as const)("a round of %s", (_, operator, inputs, responses) => {
  it("has as many launches for ten clients as for five, and moves twice as much", () => {
    const [five, ten] = [5, 10].map((clients) => roundPlan(operator, inputs, responses, clients));
    const launches = (plan: Plan) => plan.steps.filter(({ kind }) => kind === "launch").length;
    const bytes = (plan: Plan) => describePlan(plan).reduce((sum, step) => sum + step.bytes, 0);
    expect(Math.abs(launches(ten) - launches(five))).toBeLessThan(0.1 * launches(five));
    expect(bytes(ten) / bytes(five)).toBeGreaterThan(1.8);
    expect(bytes(ten) / bytes(five)).toBeLessThan(2.05);
    expect(ten.arena / five.arena).toBeLessThan(2.05);
  });
});
