import { describe, expect, it } from "vitest";
import { axisLabel, channelOf, picture, withoutSingletons } from "../../src/figures/samples/sampled-field.js";

/** u = 10 x + y on two by three points. */
const [x, y] = [
  { name: "x", values: [0, 1] },
  { name: "y", values: [0, 1, 2] },
];
const byRows = { values: [0, 1, 2, 10, 11, 12], shape: [2, 3], axes: [x, y] };
const byColumns = { values: [0, 10, 1, 11, 2, 12], shape: [3, 2], axes: [y, x] };

describe("picture", () => {
  it.each([
    ["x first", byRows],
    ["x last", byColumns],
  ])("has x to the right and y upwards for an array with %s", (_, field) => {
    const image = picture(field, "x", "up");
    expect(Array.from(image.values)).toEqual([2, 12, 1, 11, 0, 10]);
    expect(image).toMatchObject({
      columns: 2,
      rows: 3,
      x: { start: -0.5, end: 1.5 },
      y: { start: 2.5, end: -0.5 },
    });
  });

  it("has depth downwards", () => {
    const image = picture(byColumns, "x", "down");
    expect(Array.from(image.values)).toEqual([0, 10, 1, 11, 2, 12]);
    expect(image.y).toEqual({ label: "$y$", start: -0.5, end: 2.5 });
  });

  it("turns axes round whose coordinates fall", () => {
    const falling = {
      ...byRows,
      axes: [
        { name: "x", values: [1, 0] },
        { name: "y", values: [2, 1, 0] },
      ],
    };
    const image = picture(falling, "x", "up");
    expect(Array.from(image.values)).toEqual([10, 0, 11, 1, 12, 2]);
    expect(image).toMatchObject({ x: { start: -0.5, end: 1.5 }, y: { start: 2.5, end: -0.5 } });
  });

  it("numbers the points of an axis without coordinates", () => {
    const unknown = { ...byRows, axes: [{ name: "row" }, { name: "column" }] };
    const image = picture(unknown, "x", "down");
    expect(image.x).toEqual({ label: "column", start: -0.5, end: 2.5 });
  });
});

describe("sampled fields", () => {
  it("give their channels and drop axes of length one", () => {
    const field = { values: [1, 2, 3, 4], shape: [2, 1, 2], axes: [{ name: "channel" }, { name: "y" }, x] };
    expect(channelOf(field, 1)).toEqual({ values: [3, 4], shape: [1, 2], axes: [{ name: "y" }, x] });
    expect(withoutSingletons(field)).toMatchObject({ shape: [2, 2], axes: [{ name: "channel" }, x] });
  });

  it("name a unit where places are known", () => {
    expect(axisLabel({ name: "x", unit: "m", values: [0, 1] })).toBe("$x$ (m)");
    expect(axisLabel({ name: "depth", unit: "m" })).toBe("depth");
  });
});
