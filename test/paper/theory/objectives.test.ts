import { afterAll, describe, expect, it } from "vitest";
import { onnxDoubleBackend } from "../../../src/engine/onnx/onnx-backend.js";
import { referenceBackend } from "../../../src/engine/reference.js";
import { dot, minus, norm, plus } from "../../../src/numerics/vector.js";
import { openObjective } from "../../../src/paper/theory/objectives.js";
import { normal } from "../../../src/random/normal.js";
import { stream } from "../../../src/random/stream.js";
import { smallProblem } from "../../federation/small-problem.js";

const sizes = { sensors: 5, coordinates: 2, width: 6, depth: 2 };

describe.each(["tanh", "relu"] as const)("the objectives of a DeepONet with %s", (activation) => {
  const { operator, train } = smallProblem([40], { sizes: { ...sizes, activation } });
  const objective = openObjective(operator, train, onnxDoubleBackend);
  const reference = openObjective(operator, train, referenceBackend);
  afterAll(async () => {
    await objective.close();
    await reference.close();
  });
  const random = stream(5, "objectives");
  const theta = Float64Array.from(
    operator.initial(stream(1, "model")),
    (value) => value + 0.1 * normal(random),
  );
  const v = Float64Array.from(theta, () => normal(random));
  const group = Int32Array.of(3, 7, 7, 21);

  it("are those of the reference backend, with gradients and Hessian products", async () => {
    for (const some of [objective.all, group, group.subarray(0, 1)]) {
      expect(await objective.loss(theta, some)).toBeCloseTo(await reference.loss(theta, some), 12);
      const gradient = await reference.gradient(theta, some);
      expect(norm(minus(await objective.gradient(theta, some), gradient))).toBeLessThan(
        1e-12 * norm(gradient),
      );
      const product = await reference.hessianVector(theta, v, some);
      const difference = minus(await objective.hessianVector(theta, v, some), product);
      expect(norm(difference)).toBeLessThan(1e-12 * norm(product));
    }
  });

  it("have the gradient that finite differences of the loss give", async () => {
    const width = 1e-5;
    const ends = [1, -1].map((sign) => objective.loss(plus(theta, v, sign * width), group));
    const [up, down] = await Promise.all(ends);
    expect((up - down) / (2 * width)).toBeCloseTo(dot(await objective.gradient(theta, group), v), 5);
  });

  it("have the Hessian products that finite differences of the gradient give", async () => {
    const width = 1e-6;
    const up = await objective.gradient(plus(theta, v, width), group);
    const down = await objective.gradient(plus(theta, v, -width), group);
    const product = await objective.hessianVector(theta, v, group);
    const expected = minus(up, down).map((value) => value / (2 * width));
    expect(norm(minus(product, expected))).toBeLessThan(1e-6 * norm(product));
  });

  it("have symmetric Hessians", async () => {
    const u = Float64Array.from(theta, () => normal(random));
    const left = dot(u, await objective.hessianVector(theta, v));
    expect(left).toBeCloseTo(dot(v, await objective.hessianVector(theta, u)), 9);
  });

  it("are means over groups: the whole is the weighted mean of its parts", async () => {
    const parts = [objective.all.subarray(0, 17), objective.all.subarray(17)];
    const [a, b] = [await objective.gradient(theta, parts[0]), await objective.gradient(theta, parts[1])];
    const whole = await objective.gradient(theta);
    expect(
      norm(
        minus(
          plus(
            a.map((value) => (17 / 40) * value),
            b,
            23 / 40,
          ),
          whole,
        ),
      ),
    ).toBeLessThan(1e-13 * norm(whole));
  });
});
