import { describe, expect, it } from "vitest";
import { Program } from "../../src/engine/program.js";
import { backendOf } from "../../src/federation/backends.js";
import { deepOnetGradients } from "../../src/models/deeponet-gradients.js";
import { glorotNormal } from "../../src/models/initialisers.js";
import { parametersOf, weightsOf } from "../../src/models/parameter-layout.js";
import { tileColumns, tilesOf } from "../../src/models/point-tiles.js";
import { stream } from "../../src/random/stream.js";
import { plainGradient } from "../federation/plain-federation.js";
import { smallProblem } from "../federation/small-problem.js";

describe("deepOnetGradients", () => {
  const problem = smallProblem([4], { sizes: { sensors: 5, coordinates: 2, width: 6, depth: 3 } });
  const parameters = glorotNormal(problem.operator.layout, stream(2, "model"));
  const all = [{ start: 0, end: 7 }];
  const three = [
    { start: 0, end: 2 },
    { start: 2, end: 6 },
    { start: 6, end: 7 },
  ];

  it.each([
    ["reference", "one tile", all],
    ["reference", "three tiles", three],
    ["onnx", "one tile", all],
    ["onnx", "three tiles", three],
  ] as const)(
    "is what loops give, by the %s backend in %s, whatever fills up the batch",
    async (name, _, tiles) => {
      const program = new Program();
      const responses = tileColumns(problem.train.responses, 7, tiles);
      const batch = {
        inputs: program.constant(problem.train.inputs, [4, 5]),
        weights: program.constant([1 / 3, 1 / 3, 1 / 3, 0]),
        tiles: tiles.map(({ start, end }, tile) => ({
          points: program.constant(problem.points.slice(2 * start, 2 * end), [end - start, 2]),
          responses: program.constant(responses[tile], [4, end - start]),
        })),
      };
      const tensor = program.input("parameters", [parameters.length]);
      const gradients = deepOnetGradients(weightsOf(tensor, problem.operator.layout), batch, problem.sizes);
      program.output("gradient", parametersOf(gradients));
      const executable = await (await backendOf(name)).compile(program);
      const { gradient } = await executable.run({ parameters });
      await executable.close();
      const expected = plainGradient(problem, parameters, [0, 1, 2]);
      expect(gradient.length).toBe(expected.length);
      expected.forEach((value, i) => {
        expect(gradient[i]).toBeCloseTo(value, name === "reference" ? 12 : 5);
      });
    },
  );
});

describe("tilesOf", () => {
  it.each([
    [100, 40, 1],
    [10201, 64, 17],
    [10201, 100, 26],
  ])("covers %i points of width %i by %i tiles of nearly equal size", (points, width, count) => {
    const tiles = tilesOf(points, width);
    expect(tiles).toHaveLength(count);
    expect(tiles[0].start).toBe(0);
    expect(tiles[count - 1].end).toBe(points);
    tiles.forEach(({ start, end }, i) => {
      if (i > 0) expect(start).toBe(tiles[i - 1].end);
      expect(Math.abs(end - start - points / count)).toBeLessThanOrEqual(1);
    });
  });
});
