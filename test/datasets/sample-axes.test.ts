import { describe, expect, it } from "vitest";
import { type ChannelPlace, channelAxes, type UnreadSamples } from "../../src/datasets/files/sample-axes.js";

const read = (inputs: UnreadSamples, responses: UnreadSamples, asked?: ChannelPlace) => {
  const { inputs: a, responses: u } = channelAxes({ inputs, responses }, { path: "f.h5", asked });
  return [a, u];
};
const field = (...shape: number[]): UnreadSamples => ({ shape });
const FIRST = [0, 0];
const NONE = [undefined, undefined];

describe("the axis of channels", () => {
  it("is the one that was asked for, or that has the name of channels", () => {
    const cube = field(32, 32, 20);
    expect([read(cube, cube, "last"), read(cube, cube, "first")]).toEqual([[2, 2], FIRST]);
    expect(read(cube, cube, "none")).toEqual(NONE);
    const named = (...names: string[]) => ({ ...cube, names });
    expect(read(named("channel", "x", "y"), named("x", "y", "Component"))).toEqual([0, 2]);
    expect(read(named("x", "y", "t"), named("x", "y", "t"))).toEqual(NONE);
    expect(read(named("t", "variable", "x"), named("x", "y", "t"))).toEqual([1, undefined]);
  });

  it("is the only one that leaves inputs and responses on one grid", () => {
    expect(read(field(32, 32, 20), field(32, 32))).toEqual([2, undefined]);
    expect(read(field(20, 32, 32), field(32, 32))).toEqual([0, undefined]);
    expect(read(field(64, 64, 10), field(64, 64, 40))).toEqual([2, 2]); // ten states to the next forty
    expect(read(field(6, 6, 3), field(6, 6))).toEqual([2, undefined]);
    expect(read(field(3, 32, 32, 32), field(1, 32, 32, 32))).toEqual(FIRST);
    expect(read(field(8, 8, 3), field(3, 8, 8))).toEqual([2, 0]);
  });

  it("may lie last in one array beside several that were stacked along the first axis", () => {
    const stacked = { shape: [4, 16, 16], names: ["channel", "", ""] };
    expect(read(stacked, field(16, 16, 2))).toEqual([0, 2]);
    expect(read(field(16, 16, 2), stacked)).toEqual([2, 0]);
    expect(() => read({ ...stacked, shape: [4, 16, 16] }, field(16, 16, 16))).toThrow(
      "first or last with --channels",
    );
  });

  it("is the only one that leaves a grid of eight points a side", () => {
    expect(read(field(3, 32, 32), field(3, 32, 32))).toEqual(FIRST);
    expect(read(field(16, 16, 1), field(16, 16, 1))).toEqual([2, 2]);
    expect(read(field(5, 1000, 70), field(70, 70))).toEqual([0, undefined]);
    expect(read(field(2, 16, 16, 16), field(2, 16, 16, 16))).toEqual(FIRST);
    expect(read(field(256, 3), field(256))).toEqual([1, undefined]);
    expect(read(field(3, 256), field(1, 256))).toEqual(FIRST);
  });

  it("is none of a sample with two long axes, which are a plane, nor of one with fewer", () => {
    expect(read(field(16, 16), field(16, 16))).toEqual(NONE);
    expect(read(field(256), field(41, 256))).toEqual(NONE);
    expect(read(field(), field(100))).toEqual(NONE);
    expect(read(field(256), field(41, 256), "first")).toEqual([undefined, 0]);
  });

  it("is the one beside the axis of a list of points", () => {
    expect(read(field(20), { ...field(9, 801), points: 801 })).toEqual([undefined, 0]);
    expect(read(field(20), { ...field(801, 9), points: 801 })).toEqual([undefined, 1]);
  });

  it("is told by coordinates, if they fit the grid of one reading alone", () => {
    const cube = field(16, 16, 16);
    const told = (coordinates: readonly number[]) =>
      channelAxes({ inputs: cube, responses: cube }, { path: "f.h5", coordinates });
    expect(told([16, 16, 16])).toEqual({ inputs: undefined, responses: undefined });
    expect(() => told([16, 16])).toThrow("first or last with --channels");
  });

  it.each([
    [[32, 32, 20], "32 channels on 32 x 20 or 20 channels on 32 x 32 or one field on 32 x 32 x 20"],
    [[16, 16, 16], "16 channels on 16 x 16 or 16 channels on 16 x 16 or one field on 16 x 16 x 16"],
    [[1, 16, 1], "1 channel on 16 x 1 or 1 channel on 1 x 16"],
    [[20, 16, 16, 16], "20 channels on 16 x 16 x 16 or"],
  ])("is asked for where samples are %s", (shape, readings) => {
    expect(() => read({ shape }, { shape })).toThrow(readings);
    expect(() => read({ shape }, { shape })).toThrow(
      'say first, last or none with --channels, with "channels" of a study\'s data, or with an attribute "channels"',
    );
  });

  it("is asked for among fewer readings where the source of the data has a plane", () => {
    const samples = { ...field(16, 16, 16), gridRank: 2 };
    expect(() => read(samples, samples)).toThrow(/16 channels on 16 x 16: say first or last with --channels/);
    expect(read(samples, { ...field(16, 16), gridRank: 2 }, "last")).toEqual([2, undefined]);
  });

  it("cannot be asked for where there is none", () => {
    expect(() => read(field(100), field(100), "last")).toThrow("leave out --channels");
  });
});
