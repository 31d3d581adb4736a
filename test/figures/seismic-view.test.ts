import { describe, expect, it } from "vitest";
import { seismicPanels } from "../../src/figures/samples/seismic-view.js";

const axis = (name: string, values?: number[]) => ({ name, values });
const response = { values: [-1, -1, 1, 1], shape: [2, 2], axes: [axis("depth"), axis("x")] };

/** The scaling that OpenFWI documents: logarithm, then limits to [-1, 1]. */
function scaled(p: number): number {
  const [low, high] = [-Math.log1p(26.95), Math.log1p(52.77)];
  return (2 * (Math.sign(p) * Math.log1p(Math.abs(p)) - low)) / (high - low) - 1;
}

function gathers(amplitudes: readonly number[], source?: number[]) {
  return {
    values: amplitudes,
    shape: [2, 2, 1],
    axes: [axis("source", source), axis("time"), axis("receiver")],
  };
}

describe("seismicPanels", () => {
  it("shows velocities in metres a second, the surface at the top", () => {
    const [velocity] = seismicPanels({ input: gathers([0, 0, 0, 0]), response }).response;
    expect("image" in velocity && Array.from(velocity.image.values)).toEqual([1500, 1500, 4500, 4500]);
    const physical = { ...response, values: [1500, 1500, 2000, 2000] };
    const [same] = seismicPanels({ input: gathers([0, 0, 0, 0]), response: physical }).response;
    expect("image" in same && Array.from(same.image.values)).toEqual([1500, 1500, 2000, 2000]);
  });

  it("takes amplitudes back to where silence is zero, grey about it", () => {
    const { input } = seismicPanels({ input: gathers([0, 10, -10, 0].map(scaled)), response });
    const [first] = input;
    if (!("image" in first)) throw new Error("a gather is an image");
    expect(first.image.values[0]).toBeCloseTo(0, 12);
    expect(first.image.values[1]).toBeCloseTo(Math.log(11), 12);
    expect(first.colors).toMatchObject({ map: "black-white" });
  });

  it("names the place of a source, or its number", () => {
    const subtitles = (source?: number[]) =>
      seismicPanels({ input: gathers([0, 0, 0, 0], source), response }).input.map(({ subtitle }) => subtitle);
    expect(subtitles([0, 690])).toEqual(["x_s = 0 m", "x_s = 690 m"]);
    expect(subtitles()).toEqual(["source 1", "source 2"]);
  });
});
