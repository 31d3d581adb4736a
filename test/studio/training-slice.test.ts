import { describe, expect, it } from "vitest";
import { keptSamples } from "../../src/studio/lab/files/training-slice.js";

const shapes: Readonly<Record<string, readonly number[]>> = { u: [100, 7, 5], v: [100, 7, 5], "": [100, 5] };
const kept = (text: string, range: readonly [number, number], sampleAxis: "first" | "last" = "first") =>
  keptSamples(text, { range, sampleAxis, shapeOf: (name) => shapes[name] });

describe("arrays cut to some of their samples", () => {
  it.each([
    ["u", "u[0:80]"],
    ["", "[0:80]"],
    ["[:, 0]", "[0:80, 0]"],
    ["u[:, -1]", "u[0:80, -1]"],
    ["u[..., -1]", "u[0:80, :, -1]"],
    ["u[:, t:t+4]", "u[0:80, t:t+4]"],
    ["u[:, t-1]", "u[0:80, t-1]"],
    ["u[:, ::2]", "u[0:80, ::2]"],
    ["u[10:]", "u[10:90]"],
    ["u[-90:, 1:3]", "u[10:90, 1:3]"],
    ["u, v[:, 0]", "u[0:80], v[0:80, 0]"],
  ])("%s with the first 80 samples is %s", (text, expected) => {
    expect(kept(text, [0, 80])).toBe(expected);
  });

  it("may lie along the last axis", () => {
    expect(kept("u", [1, 5], "last")).toBe("u[:, :, 1:5]");
    expect(kept("u[0]", [1, 5], "last")).toBe("u[0, :, 1:5]");
    expect(kept("u[..., 1:]", [0, 3], "last")).toBe("u[:, :, 1:4]");
  });

  it("are not there where no slice names them", () => {
    expect(kept("u[3]", [0, 80])).toBeUndefined();
    expect(kept("u[::2]", [0, 40])).toBeUndefined();
    expect(kept("w", [0, 80])).toBeUndefined();
    expect(kept("u, w", [0, 80])).toBeUndefined();
  });
});
