import { describe, expect, it } from "vitest";
import { type Fields, fieldsInMemory, type LabelledFields } from "../../src/datasets/fields.js";
import { backendOf } from "../../src/federation/backends.js";
import { openObservables } from "../../src/federation/observables/observables.js";
import { replicaData } from "../../src/federation/replicas/replicas-data.js";
import { type FieldScale, fitScaling, trainingSamples, UNSCALED } from "../../src/federation/scaling.js";
import { stream } from "../../src/random/stream.js";
import { buildOnGrid } from "../models/build-on-grid.js";
import { fieldProblem } from "./field-problem.js";
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

/** Fields of three axes have channels along the first. */
const shapesOn = ({ inputs, responses }: LabelledFields) => {
  const field = ({ shape }: Fields) =>
    shape.length === 3 ? { channels: shape[0], grid: shape.slice(1) } : { channels: 1, grid: shape };
  return { inputs: field(inputs), responses: field(responses) };
};

describe("scaling", () => {
  it("gives inputs and responses of the training set mean 0 and deviation 1", async () => {
    const { inputs, responses } = await trainingSamples(
      labelled,
      await fitScaling(labelled, "standard", shapesOn(labelled)),
    );
    for (const numbers of [inputs, responses]) {
      const { mean, square } = moments(numbers);
      expect(mean).toBeCloseTo(0, 5);
      expect(square).toBeCloseTo(1, 5);
    }
  });

  it("is undone by its constants", async () => {
    const scaling = await fitScaling(labelled, "standard", shapesOn(labelled));
    const { responses } = await trainingSamples(labelled, scaling);
    const [{ offset, scale }] = scaling.responses;
    const original = await labelled.responses.read(0, 12);
    responses.forEach((z, i) => {
      expect(scale * z + offset).toBeCloseTo(original[i], 6);
    });
  });

  it("gives each channel mean 0 and deviation 1, if told so and there are channels", async () => {
    const random = stream(2, "channels");
    const values = Float64Array.from({ length: 5 * 24 }, (_, i) => (1 + (i % 3)) * random.uniform() + 10 * i);
    const fields = (shape: readonly number[]) => fieldsInMemory(values, 5, shape);
    const both = { inputs: fields([2, 3, 4]), responses: fields([6, 4]) };
    const scaling = await fitScaling(both, "channels", shapesOn(both));
    expect([scaling.inputs.length, scaling.responses.length]).toEqual([2, 1]);
    expect(scaling.responses).toEqual((await fitScaling(both, "standard", shapesOn(both))).responses);
    const { inputs } = await trainingSamples(both, scaling);
    for (const channel of [0, 1]) {
      const own = inputs.filter((_, i) => Math.floor(i / 12) % 2 === channel);
      const { mean, square } = moments(own);
      expect(mean).toBeCloseTo(0, 5);
      expect(square).toBeCloseTo(1, 5);
      const { offset, scale } = scaling.inputs[channel];
      expect(scale * own[13] + offset).toBeCloseTo(values[24 + 12 * channel + 1], 3);
    }
  });

  it("leaves numbers alone where none is wanted, float32 ones without a copy", async () => {
    expect(await fitScaling(labelled, "none", shapesOn(labelled))).toEqual(UNSCALED);
    const inputs = Float32Array.of(1, 2, 3, 4);
    const fields = { inputs: fieldsInMemory(inputs, 2, [2]), responses: fieldsInMemory(inputs, 2, [2]) };
    expect((await trainingSamples(fields)).inputs.buffer).toBe(inputs.buffer);
  });

  it("keeps constants finite for a field that is the same everywhere", async () => {
    const flat = fieldsInMemory(new Float64Array(6).fill(3), 2, [3]);
    const scaling = await fitScaling(
      { inputs: flat, responses: flat },
      "standard",
      shapesOn({ inputs: flat, responses: flat }),
    );
    expect(scaling.inputs).toEqual([{ offset: 3, scale: 1 }]);
  });

  it("does not change what is measured: errors are in the units of the data", async () => {
    const problem = smallProblem([4, 5]);
    const scaling = { ...UNSCALED, responses: [{ offset: 0.5, scale: 7 }] };
    const zero = new Float32Array(problem.operator.initial(stream(1, "model")).length);
    const backend = await backendOf("reference");
    const data = replicaData([problem], backend);
    const observables = await openObservables([{ ...problem, scaling }], data, backend);
    // A model that predicts 0 misses the data by their scaled parts, z = (u - 0.5) / 7.
    const { responses } = problem.test;
    const norm = (offset: number) => Math.sqrt(responses.reduce((sum, z) => sum + (7 * z + offset) ** 2, 0));
    expect((await observables.testErrors([zero]))[0]).toBeCloseTo(norm(0) / norm(0.5), 5);
    await observables.close();
  });

  it("does not change it either where channels have scales of their own, alone or among replicas", async () => {
    const shapes = { inputShape: [8, 8], responseShape: [2, 8, 8] };
    const operator = buildOnGrid("fno", shapes, { width: 4, modes: 2, layers: 1 });
    const scales = [
      { offset: 0.5, scale: 7 },
      { offset: -2, scale: 0.1 },
    ];
    const of = (responses: FieldScale) => ({
      ...fieldProblem(operator, shapes),
      scaling: { ...UNSCALED, responses },
    });
    const problems = [of(scales), of([...scales].reverse())];
    const backend = await backendOf("reference");
    const zero = new Float32Array(operator.initial(stream(1, "model")).length);
    const together = await openObservables(problems, replicaData(problems, backend), backend);
    const [errors, losses] = [
      await together.testErrors([zero, zero]),
      await together.trainLosses([zero, zero]),
    ];
    await together.close();
    for (const [run, problem] of problems.entries()) {
      const own = problem.scaling.responses;
      const norm = (z: Float32Array, moved: number) =>
        Math.sqrt(
          z.reduce((sum, value, i) => {
            const { offset, scale } = own[Math.floor(i / 64) % 2];
            return sum + (scale * value + moved * offset) ** 2;
          }, 0),
        );
      const { test, train } = problem;
      const error = norm(test.responses, 0) / norm(test.responses, 1);
      const loss = norm(train.responses, 0) ** 2 / train.responses.length;
      expect(errors[run]).toBeCloseTo(error, 5);
      expect(losses[run] / loss).toBeCloseTo(1, 5);
      const alone = await openObservables([problem], replicaData([problem], backend), backend);
      expect((await alone.testErrors([zero]))[0]).toBeCloseTo(error, 5);
      expect((await alone.trainLosses([zero]))[0] / loss).toBeCloseTo(1, 5);
      await alone.close();
    }
  });
});
