import { Command } from "commander";
import { describe, expect, it } from "vitest";
import { sourceParameterFlags, taskParameters, withTaskOptions } from "../../src/cli/options/task-options.js";
import { shapesOf } from "../../src/datasets/dataset.js";
import { generate, generateSpecification } from "../../src/datasets/generate.js";
import { sourceParameters, usualParameters } from "../../src/datasets/source.js";
import { sourceDataset } from "../../src/datasets/source-dataset.js";
import { SOURCE_NAMES, SOURCES, sourceOf } from "../../src/datasets/sources.js";
import { takes } from "../../src/options/option.js";
import { styleOf } from "../../src/paper/task-styles.js";

describe("the list of data sources", () => {
  it("names the sources in a refusal, also for names that every object has", () => {
    expect(() => sourceOf("heat")).toThrow(
      `there is no task "heat"; the tasks are ${SOURCE_NAMES.join(", ")}`,
    );
    expect(() => sourceOf("toString")).toThrow('no task "toString"');
  });

  it.each(SOURCE_NAMES)("has defaults for %s that its own declarations and checks allow", (name) => {
    const source = sourceOf(name);
    const usual = usualParameters(source);
    expect(Object.keys(usual)).toEqual(Object.keys(source.parameters));
    for (const [key, option] of Object.entries(source.parameters))
      expect(takes(option, usual[key])).toBe(true);
    expect(sourceParameters(name, source, {})).toEqual(usual);
  });

  it.each(SOURCE_NAMES)(
    "describes the arrays of %s: labels, kinds of axes, coordinates of their length",
    (name) => {
      const source = sourceOf(name);
      const { inputs, responses, coordinates } = source.geometry(usualParameters(source));
      for (const { label, axes } of [inputs, responses]) {
        expect(label).toMatch(/^[a-z]/);
        expect(axes.slice(1).every(({ kind }) => kind !== "channel")).toBe(true);
        for (const axis of axes)
          if (axis.coordinates) expect(coordinates[axis.coordinates]).toHaveLength(axis.length);
          else expect(axis.labels).toHaveLength(axis.length);
      }
    },
  );

  it.each([
    ["burgers", { viscosity: 2 }, /burgers's viscosity is a number from 0.005 to 1, not 2/],
    ["darcy", { variant: "fast" }, /variant is one of steady, pdebench-like, not "fast"/],
    ["darcy", { grid: 7 }, /grid is a whole number from 8 to 4096, not 7/],
    ["flat-velocity", { stride: 3 }, /stride 3 is not one of 1, 2, 4, 8/],
    ["cylinder", { reynoldsMin: 400 }, /Reynolds numbers from 400 to 300/],
    ["dam-break", { beta: 1 }, /has no option "beta"; it has grid, time/],
  ])("refuses for %s %o", (name, given, message) => {
    expect(() => sourceParameters(name, sourceOf(name), given)).toThrow(message);
  });

  it("keeps the specifications whose hashes name cached files", () => {
    expect(SOURCE_NAMES.map((task) => JSON.stringify(generateSpecification({ task })))).toEqual([
      '{"task":"antiderivative","seed":0,"train":1000,"test":1000,"parameters":{}}',
      '{"task":"burgers","seed":0,"train":800,"test":500,"parameters":{"viscosity":0.1}}',
      '{"task":"diffusion-reaction","seed":0,"train":1000,"test":1000,"parameters":{"diffusion":0.01,"reaction":0.01}}',
      '{"task":"darcy","seed":0,"train":800,"test":200,"parameters":{"grid":128,"beta":1,"variant":"steady"}}',
      '{"task":"dam-break","seed":0,"train":800,"test":100,"parameters":{"grid":128,"time":1}}',
      '{"task":"cylinder","seed":0,"train":80,"test":20,"parameters":{"grid":64,"reynoldsMin":20,"reynoldsMax":300,"startUp":100,"interval":2.5,"perturbation":0.2,"resolution":20,"latticeSpeed":0.08}}',
      '{"task":"flat-velocity","seed":0,"train":800,"test":200,"parameters":{"stride":1}}',
    ]);
  });

  it("gives data like those of a file: description, points, halves", async () => {
    const options = { task: "burgers", train: 3, test: 2, parameters: { viscosity: 0.5 } };
    const dataset = sourceDataset(options);
    const { description, coordinates } = dataset;
    expect(description).toMatchObject({
      name: "burgers",
      title: "Burgers",
      train: 3,
      parameters: { viscosity: 0.5 },
    });
    expect(description.origin).toMatch(/^simulated by/);
    const { points, inputs, responses } = shapesOf(description, coordinates);
    expect([inputs.grid, responses.grid, points.dimensions]).toEqual([[101], [101, 101], 2]);
    expect([...points.values.slice(-4)]).toEqual([1, Math.fround(0.99), 1, 1]);
    expect([...(await (await dataset.read("test")).responses.read(0, 2))]).toEqual([
      ...generate(options).test.responses,
    ]);
  });

  it("keeps the colours that figures have", () => {
    for (const name of SOURCE_NAMES) expect(SOURCES[name].color).toBe(styleOf(name)?.color);
  });
});

describe("flags of commands", () => {
  it("are one for each parameter, with its owners and defaults", () => {
    const flags = new Map(sourceParameterFlags().map((flag) => [flag.long, flag.description]));
    expect(flags.get("--viscosity")).toBe("viscosity, for burgers (default: 0.1)");
    expect(flags.get("--grid")).toBe(
      "grid points per side, for darcy, dam-break (default: 128) and cylinder (default: 64)",
    );
    const names = new Set(SOURCE_NAMES.flatMap((name) => Object.keys(SOURCES[name].parameters)));
    expect(flags.size).toBe(names.size);
  });

  it("give values back under their recorded names", () => {
    const command = withTaskOptions(new Command("generate").exitOverride());
    command.parse(["--reynolds-max", "200", "--grid", "32"], { from: "user" });
    const given = taskParameters(command.opts());
    expect(Object.entries(given).filter(([, value]) => value !== undefined)).toEqual([
      ["grid", 32],
      ["reynoldsMax", 200],
    ]);
  });
});
