import { describe, expect, it } from "vitest";
import { fieldsInMemory } from "../../src/datasets/fields.js";
import { backendOf } from "../../src/federation/backends.js";
import { openObservables } from "../../src/federation/observables.js";
import { fitScaling, trainingSamples, UNSCALED } from "../../src/federation/scaling.js";
import { stream } from "../../src/random/stream.js";
import { smallProblem } from "./small-problem.js";

const random = stream(5, "scaling");
const values = (count: number, scale: number, offset: number) =>
  Float64Array.from({ length: count }, () => offset + scale * random.uniform());
const labelled = {
  inputs: fieldsInMemory(values(12 * 5, 3, 100), 12, [5]),
  responses: fieldsInMemory(values(12 * 6, 1e-3, -2), 12, [2, 3]),
};

function moments(numbers: Float32Array): { mean: number; square: number } {
  const mean = numbers.reduce((sum, z) => sum + z, 0) / numbers.length;
  return { mean, square: numbers.reduce((sum, z) => sum + z * z, 0) / numbers.length };
}

describe("scaling", () => {
  it("gives inputs and responses of the training set mean 0 and deviation 1", async () => {
    const { inputs, responses } = await trainingSamples(labelled, await fitScaling(labelled, "standard"));
    for (const numbers of [inputs, responses]) {
      const { mean, square } = moments(numbers);
      expect(mean).toBeCloseTo(0, 5);
      expect(square).toBeCloseTo(1, 5);
    }
  });

  it("is undone by its constants", async () => {
    const scaling = await fitScaling(labelled, "standard");
    const { responses } = await trainingSamples(labelled, scaling);
    const { offset, scale } = scaling.responses;
    const original = await labelled.responses.read(0, 12);
    responses.forEach((z, i) => {
      expect(scale * z + offset).toBeCloseTo(original[i], 6);
    });
  });

  it("leaves numbers alone where none is wanted, float32 ones without a copy", async () => {
    expect(await fitScaling(labelled, "none")).toEqual(UNSCALED);
    const inputs = Float32Array.of(1, 2, 3, 4);
    const fields = { inputs: fieldsInMemory(inputs, 2, [2]), responses: fieldsInMemory(inputs, 2, [2]) };
    expect((await trainingSamples(fields)).inputs.buffer).toBe(inputs.buffer);
  });

  it("keeps constants finite for a field that is the same everywhere", async () => {
    const flat = fieldsInMemory(new Float64Array(6).fill(3), 2, [3]);
    const scaling = await fitScaling({ inputs: flat, responses: flat }, "standard");
    expect(scaling.inputs).toEqual({ offset: 3, scale: 1 });
  });

  it("does not change what is measured: errors are in the units of the data", async () => {
    const problem = smallProblem([4, 5]);
    const scaling = { ...UNSCALED, responses: { offset: 0.5, scale: 7 } };
    const zero = new Float32Array(problem.operator.initial(stream(1, "model")).length);
    const observables = await openObservables({ ...problem, scaling }, await backendOf("reference"));
    // A model that predicts 0 misses the data by their scaled parts, z = (u - 0.5) / 7.
    const { responses } = problem.test;
    const norm = (offset: number) => Math.sqrt(responses.reduce((sum, z) => sum + (7 * z + offset) ** 2, 0));
    expect(await observables.testError(zero)).toBeCloseTo(norm(0) / norm(0.5), 5);
    await observables.close();
  });
});
