import { describe, expect, it } from "vitest";
import { OptionError } from "../../src/errors.js";
import { fieldsInMemory, fitBins, generate, normaliseResponses, partitionBins } from "../../src/index.js";
import { partitionDataset } from "../../src/pipeline/partition-dataset.js";

const values = Float64Array.from({ length: 60 * 5 }, (_, i) => Math.sin(i * 12.9898) * 43.7);
const responses = fieldsInMemory(values, 60, [5]);
const options = { clients: 3, alpha: 0.5, bins: 4, minSize: 4 };

describe("a dataset is partitioned", () => {
  it("by seed 0 unless told otherwise, as are all of its steps", async () => {
    const { partition, bins } = await partitionDataset({ responses }, options);
    const told = await partitionDataset({ responses }, { ...options, seed: 0 });
    expect(partition).toEqual(told.partition);
    expect(partition.seed).toBe(0);
    const fitted = await fitBins(await normaliseResponses(responses), { bins: 4 });
    expect(fitted.binOfSample).toEqual(bins.binOfSample);
    expect(partitionBins(bins.binOfSample, options)).toEqual(partition);
    const sizes = { task: "antiderivative", train: 2, test: 1 } as const;
    expect(generate(sizes)).toEqual(generate({ ...sizes, seed: 0 }));
  });

  it("from a plain array of numbers as from a typed one", async () => {
    const plain = await partitionDataset({ responses: fieldsInMemory([...values], 60, [5]) }, options);
    expect(plain.partition).toEqual((await partitionDataset({ responses }, options)).partition);
  });

  it.each([
    ["no options", () => partitionDataset({ responses }, undefined as never), /takes options, such as/],
    ["no alpha", () => partitionDataset({ responses }, { clients: 3 }), /alpha is .* not left out/],
    [
      "an unknown partitioner",
      () => partitionDataset({ responses }, { clients: 3, partitioner: { name: "best" } }),
      /partitioner is one of dirichlet, iid, .* not "best"/,
    ],
    ["no data", () => partitionDataset(undefined as never, options), /a dataset is \{ responses \}/],
    [
      "an array for fields",
      () => partitionDataset({ responses: values } as never, options),
      /fieldsInMemory/,
    ],
    [
      "no bins",
      async () => partitionBins(new Int32Array(60), { ...options, bins: undefined as never }),
      /bins/,
    ],
    ["lists of lists", async () => fieldsInMemory([[1], [2]] as never, 2, [1]), /one flat array of numbers/],
    ["a name", async () => fieldsInMemory("12" as never, 2, []), /one flat array of numbers/],
  ])("but not with %s", async (_, work, message) => {
    const refused = expect(Promise.resolve().then<unknown>(work)).rejects;
    await refused.toThrow(OptionError);
    await expect(Promise.resolve().then<unknown>(work)).rejects.toThrow(message);
  });
});
