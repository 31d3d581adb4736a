import { describe, expect, it } from "vitest";
import { flowPanels } from "../../src/figures/samples/flow-view.js";

const places = Array.from({ length: 9 }, (_, i) => (i - 4) / 4);
const axes = [{ name: "channel" }, { name: "y", values: places }, { name: "x", values: places }];

/** A rotation of the whole fluid about the middle, at rest within half of the way to the edge. */
function rotation(speed: number, body = 0.3) {
  const inside = (x: number, y: number) => Math.hypot(x, y) < body;
  const u = places.flatMap((y) => places.map((x) => (inside(x, y) ? 0 : -speed * y)));
  const v = places.flatMap((y) => places.map((x) => (inside(x, y) ? 0 : speed * x)));
  return { values: [...u, ...v], shape: [2, 9, 9], axes };
}

describe("flowPanels", () => {
  const { input, response } = flowPanels({ input: rotation(1), response: rotation(3) });
  const valuesOf = (panel: (typeof input)[number]) =>
    "image" in panel ? Array.from(panel.image.values) : [];

  it("shows u, v and vorticity before and after", () => {
    expect(input.map(({ title }) => title)).toEqual(["$u$ before", "$v$ before", "ω before"]);
    expect(response.map(({ quantity }) => quantity)).toEqual(input.map(({ quantity }) => quantity));
  });

  it("has twice the angular velocity as vorticity of a rotation", () => {
    const [corner, edge] = [0, 4].map((cell) => valuesOf(response[2])[cell]);
    expect(corner).toBeCloseTo(6, 12);
    expect(edge).toBeCloseTo(6, 12);
  });

  it("masks the cells that rest at both times, and no others", () => {
    const masked = valuesOf(response[0]).filter(Number.isNaN).length;
    expect(masked).toBe(5); // the middle and its four neighbours, a quarter away
    const started = flowPanels({ input: rotation(0), response: rotation(3) });
    expect(valuesOf(started.input[0]).filter(Number.isNaN)).toHaveLength(5);
  });
});
