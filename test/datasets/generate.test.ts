import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import {
  type GenerateOptions,
  generate,
  generateSamples,
  generateSpecification,
  type Samples,
} from "../../src/datasets/generate.js";
import { TASK_NAMES, type TaskName, taskOf } from "../../src/datasets/tasks.js";

const CONTROLLED = TASK_NAMES.slice(0, 3);

function hash({ inputs, responses }: Samples): string {
  const bytes = ({ buffer, byteOffset, byteLength }: Samples["inputs"]) =>
    new Uint8Array(buffer, byteOffset, byteLength);
  return createHash("sha256").update(bytes(inputs)).update(bytes(responses)).digest("hex");
}

describe("the table of tasks", () => {
  it("has the sizes and shapes of the paper", () => {
    const sizes = TASK_NAMES.map((name) => {
      const { train, test, geometry, parameters } = taskOf(name);
      const { inputShape, responseShape } = geometry(parameters);
      return [name, train, test, inputShape, responseShape];
    });
    expect(sizes).toEqual([
      ["antiderivative", 1000, 1000, [100], [100]],
      ["burgers", 800, 500, [101], [101, 101]],
      ["diffusion-reaction", 1000, 1000, [101], [101, 101]],
      ["darcy", 800, 200, [128, 128], [128, 128]],
      ["dam-break", 800, 100, [3, 128, 128], [3, 128, 128]],
      ["cylinder", 80, 20, [2, 64, 64], [2, 64, 64]],
      ["flat-velocity", 800, 200, [5, 1000, 70], [70, 70]],
    ]);
  });

  it.each(TASK_NAMES)("has as many coordinates for %s as its shapes say", (name) => {
    const { geometry, parameters } = taskOf(name);
    const { inputShape, responseShape, inputAxes, responseAxes, coordinates } = geometry(parameters);
    const lengths = (axes: readonly string[], shape: readonly number[]) =>
      axes.map((axis, i) => coordinates[axis]?.length ?? shape[i]);
    expect(lengths(inputAxes, inputShape)).toEqual(inputShape);
    expect(lengths(responseAxes, responseShape)).toEqual(responseShape);
  });
});

describe("generate", () => {
  // A change of any bit of any sample changes these, and the meaning of every seed that a study recorded.
  it.each<[GenerateOptions, string, string]>([
    [
      { task: "antiderivative", seed: 42 },
      "4cd3f8125f39e7d574fe3bab44c375d46a148d41e08c9e8ad0d02cf8e6e56afb",
      "3f1feec9e2de07829fdbe704bfec7aa57483596e3bd4627cbcb6583ad83f9d61",
    ],
    [
      { task: "burgers", seed: 42 },
      "e9f1860a1fe7b8d982f22eab7de17ddee586fa47d5b07e2267d3a6438fd09054",
      "4ccebc0cd7b1cfca8d6c03471cd4b80eb265fd01e36a05b5d305215c3f674ee0",
    ],
    [
      { task: "burgers", seed: 42, parameters: { viscosity: 0.05 } },
      "3fd5f9fbe8dc90386234fce501f55c6153cfbfa7fbd9d02c3a53fe5b2575a9a6",
      "e66bc40c13f4d55c2260cfd4285b49459128966adeaae55b3517a52507a1698f",
    ],
    [
      { task: "burgers", seed: 42, parameters: { viscosity: 0.01 } },
      "a41a79b5f1fd89569a8bb8cd4b6ef8cea88c4fe9c2d10c0fc62ee7b6fe766fa7",
      "319dfb63cb18bee9ed7d2b56b7cbb73420b8d04f6bb206ad511681647d7b6b8a",
    ],
    [
      { task: "diffusion-reaction", seed: 42 },
      "7fec9f74c78955af37390b38c96bedfb44dc8999e1314377eb18bfa66884d214",
      "0dcfb6a50f16f7c8a467001ac2a43a48a40a7c3d56aa2ab80b296cbfafac57ca",
    ],
    [
      { task: "darcy", seed: 42, parameters: { grid: 32 } },
      "4159a9010283686f04bb0c29ca8287d67b31b775cda845aebeb8daad2be15552",
      "fa82da680b36412e2ac3e3a6b13c0a735538cfc767309bc20d22fbdc5ed689aa",
    ],
    [
      { task: "darcy", seed: 42, parameters: { grid: 32, variant: "pdebench-like" } },
      "61db8a48451b2523752393b2c8f83c95e829eb68281e71ee437695aef242d6fd",
      "2a525382a1947e151cb5843636014e9b44a6f13e32c4ee39d5a94794e166ad60",
    ],
    [
      { task: "dam-break", seed: 42, parameters: { grid: 32 } },
      "022f337015b78898140952933393f22612cfae83391b4dd32881e5081531e821",
      "c05ed390578154aa77874d7eab232efa09d88cf9e20f349ad9bf93ce0de9205c",
    ],
    [
      { task: "cylinder", seed: 42, parameters: { grid: 16, resolution: 6, reynoldsMax: 100, startUp: 5 } },
      "9a61cbce9cfdd86515609aa76c5dfdf01bc8675d08d903408ab49c40249ec25b",
      "1665662c4da932248eacdc615d0572481563b18aea668e9a11e0dbb3c526663a",
    ],
    [
      { task: "flat-velocity", seed: 42, parameters: { stride: 8 } },
      "8da3d8c6bbcdac46a632853c3e31d3fe8b7b4ef8b71c2d43a21f7292581eb3d9",
      "89644043369067c9f62d1871e072e734ada4bb038177d4920faaec2b52b845b8",
    ],
  ])("gives the recorded bits for %o", (options, train, test) => {
    const dataset = generate({ ...options, train: 3, test: 2 });
    expect([hash(dataset.train), hash(dataset.test)]).toEqual([train, test]);
  });

  it.each(CONTROLLED)("gives a sample of %s that depends on seed, split and index alone", (task) => {
    const few = generate({ task, seed: 7, train: 2, test: 1 });
    const specification = generateSpecification({ task, seed: 7, train: 500, test: 500 });
    const second = generateSamples(specification, "train", 1, 2);
    const responseSize = second.responses.length;
    expect(few.train.responses.subarray(responseSize)).toEqual(second.responses);
    expect(few.train.inputs.subarray(second.inputs.length)).toEqual(second.inputs);
    const inputs = [few.train.inputs.subarray(0, second.inputs.length), second.inputs, few.test.inputs];
    inputs.push(generate({ task, seed: 8, train: 1, test: 0 }).train.inputs);
    expect(new Set(inputs.map(String)).size).toBe(4);
  });

  it("gives Burgers the same inputs at every viscosity, and other responses", () => {
    const [thick, thin] = [0.1, 0.05].map((viscosity) =>
      generate({ task: "burgers", seed: 1, train: 1, test: 0, parameters: { viscosity } }),
    );
    expect(thin.train.inputs).toEqual(thick.train.inputs);
    expect(thin.train.responses).not.toEqual(thick.train.responses);
    expect(thin.parameters).toEqual({ viscosity: 0.05 });
  });

  it("reports progress up to the total", () => {
    const reports: number[][] = [];
    generate(
      { task: "antiderivative", seed: 0, train: 1000, test: 5 },
      { onProgress: (...report) => reports.push(report) },
    );
    expect(reports.length).toBeGreaterThan(50);
    expect(reports[0]).toEqual([16, 1005]);
    expect(reports.at(-2)).toEqual([1000, 1005]);
    expect(reports.at(-1)).toEqual([1005, 1005]);
  });

  it("takes the sizes of the paper by default", () => {
    const { train, test } = generate({ task: "antiderivative", seed: 0 });
    expect([train.samples, test.samples]).toEqual([1000, 1000]);
    expect(test.responses).toHaveLength(100_000);
  });

  it.each<[Partial<GenerateOptions>, RegExp]>([
    [
      { task: "heat" as TaskName },
      /no task "heat"; the tasks are antiderivative, burgers, diffusion-reaction, darcy/,
    ],
    [{ task: "constructor" as TaskName }, /no task "constructor"/],
    [{ seed: -1 }, /seed -1/],
    [{ seed: 0.5 }, /seed 0.5/],
    [{ train: -3 }, /train = -3/],
    [{ test: Number.NaN }, /test = NaN/],
    [{ train: 0, test: 0 }, /nothing to generate/],
    [{ test: 1e12 }, /test = 1000000000000 is too much for one file: take at most 24507 samples/],
    [{ parameters: { viscosity: 0 } }, /burgers's viscosity is a number from 0.005 to 1, not 0$/],
    [{ task: "antiderivative", parameters: { viscosity: 0.1 } }, /option of burgers, not of antiderivative/],
    [{ parameters: { colour: 1 } }, /colour is an option of no task, not of burgers/],
    [{ parameters: { viscosity: "thick" } }, /viscosity is a number from 0.005 to 1, not "thick"/],
  ])("refuses %o", (options, message) => {
    expect(() => generate({ task: "burgers", seed: 0, train: 1, test: 1, ...options })).toThrow(message);
  });
});
