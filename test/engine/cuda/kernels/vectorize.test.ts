import { describe, expect, it } from "vitest";
import { planOf } from "../../../../src/engine/cuda/compile-plan.js";
import { stepText } from "../../../../src/engine/cuda/kernels/kernel-text.js";
import * as ops from "../../../../src/engine/operations.js";
import { Program, type Tensor } from "../../../../src/engine/program.js";
import type { Shape } from "../../../../src/engine/shape.js";

/** The kernels of a program. */
function textsOf(shapes: readonly Shape[], build: (xs: readonly Tensor[]) => readonly Tensor[]): string[] {
  const program = new Program();
  const inputs = shapes.map((shape, i) => program.input(`x${i}`, shape));
  build(inputs).forEach((tensor, i) => {
    program.output(`y${i}`, tensor);
  });
  const plan = planOf(program);
  return plan.steps.flatMap((step) => stepText(step, plan.buffers)?.text ?? []);
}

const vectorize = (text: string) => text.includes("*(float4*)&") || text.includes("*(const float4*)&");

describe("a thread", () => {
  it("computes four neighbours of a large result that lie side by side, as what they are made of does", () => {
    const [text] = textsOf([[2048, 1024], [1024]], ([x, b]) => [ops.tanh(ops.add(x, b))]);
    expect(text).toContain("const float4 v0 = *(const float4*)&q0[f * 4u];");
    expect(text).toContain("const float4 v1 = *(const float4*)&q1[((f) % 256u) * 4u];");
    expect(text).toContain("*(float4*)&q2[f * 4u] = t0[part];");
  });

  it("reads but once what is the same for four neighbours", () => {
    const [text] = textsOf(
      [
        [2048, 1024],
        [2048, 1],
      ],
      ([x, row]) => [ops.multiply(x, row)],
    );
    expect(text).toContain("const float v1 = q1[((f) / 256u)];");
  });

  it("computes one element at a time where a large tensor is read or written otherwise", () => {
    const [small] = textsOf([[64, 64]], ([x]) => [ops.tanh(x)]);
    const [odd] = textsOf([[2047, 1023]], ([x]) => [ops.tanh(x)]);
    const [shifted] = textsOf([[2048, 1024]], ([x]) => [ops.tanh(ops.slice(x, 1, 3, 1023))]);
    const [turned] = textsOf(
      [
        [2048, 1024],
        [1024, 2048],
      ],
      ([x, y]) => [ops.add(x, ops.transpose(y))],
    );
    expect([small, odd, shifted, turned].map(vectorize)).toEqual([false, false, false, false]);
  });

  it("reads few numbers one by one where they are not aligned", () => {
    const [text] = textsOf([[2048, 512], [513]], ([x, b]) => [ops.add(x, ops.slice(b, 0, 1, 513))]);
    expect(text).toContain("*(const float4*)&q0[f * 4u]");
    expect(text).not.toContain("*(const float4*)&q1");
  });

  it("takes fours in turns where it keeps to its place in a line, and most of what it reads", () => {
    const [text] = textsOf(
      [
        [20480, 2],
        [2, 2, 101],
      ],
      ([points, weights]) => [ops.relu(ops.matmul(points, ops.slice(weights, 2, 1, 101)))],
    );
    expect(text).toContain("if (threadIdx.x < 250u) {");
    expect(text).toContain("const float v1 = q1[((block) / 256u) * 202u + ((threadIdx.x) % 25u) * 4u];");
    expect(text).toContain("*(float4*)&q2[block * 8000u + part * 1000u + threadIdx.x * 4u] = t0[part];");
    const [plain] = textsOf([[20480, 400], [400]], ([x, b]) => [ops.add(x, b)]);
    expect(plain).toContain("*(float4*)&q2[f * 4u]");
  });

  it("adds up four neighbours along memory, or four neighbouring sums across it, storing on the way", () => {
    const [along] = textsOf([[4096, 1024]], ([x]) => [ops.sum(ops.multiply(x, x), [1])]);
    expect(along).toMatch(/s0 \+= \(v\d+ \+ v\d+\) \+ \(v\d+ \+ v\d+\);/);
    const [across] = textsOf([[4096, 1024], [1024]], ([x, b]) => {
      const y = ops.relu(ops.add(x, b));
      return [y, ops.sum(y, [0])];
    });
    expect(across).toContain("float s0x = 0.f, s0y = 0.f, s0z = 0.f, s0w = 0.f;");
    expect(across).toContain("for (unsigned half = 16u; half >= 8u; half /= 2u)");
    expect(across).toContain("*(float4*)&");
  });
});
