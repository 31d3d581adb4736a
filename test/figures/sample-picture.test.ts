import { describe, expect, it } from "vitest";
import { SOURCES } from "../../src/datasets/sources.js";
import { curve, type ImagePanel, plane } from "../../src/figures/samples/sample-panel.js";
import { samplePicture } from "../../src/figures/samples/sample-picture.js";
import { stylePanels } from "../../src/figures/samples/sample-views.js";
import { assertWellFormed, texts } from "./well-formed.js";

const COUNT = 8;
const places = Array.from({ length: COUNT }, (_, i) => (i + 0.5) / COUNT);
const x = { name: "x", values: places };
const y = { name: "y", values: places };

function field(value: (x: number, y: number) => number) {
  return {
    values: places.flatMap((b) => places.map((a) => value(a, b))),
    shape: [COUNT, COUNT],
    axes: [y, x],
  };
}

/** Channels h, hu and hv of a bump that moves apart. */
function water(spread: number) {
  const channels = [
    field((a, b) => 1 + (1 - a) * a * b * (1 - b)),
    field((a) => spread * (a - 0.5)),
    field((_, b) => spread * (b - 0.5)),
  ];
  const values = channels.flatMap((channel) => channel.values);
  return { values, shape: [3, COUNT, COUNT], axes: [{ name: "channel" }, y, x] };
}

function sample(index: number, spread: number) {
  const panels = stylePanels(SOURCES["dam-break"].picture, { input: water(0), response: water(spread) });
  return { label: `sample ${index}`, panels };
}

const about = { title: "Radial dam break, train sample 3", origin: "simulated by pde-dirichlet 0.1.0" };

describe("the views of samples", () => {
  it("take three frames of the depth alone for what they are: the last is before, no discharges", () => {
    const frames = { ...water(1), values: Array.from(water(1).values, (_, i) => Math.floor(i / COUNT ** 2)) };
    const after = { values: field(() => 7).values, shape: [1, COUNT, COUNT], axes: water(1).axes };
    const { input, response } = stylePanels(SOURCES["dam-break"].picture, { input: frames, response: after });
    expect([...input, ...response].map(({ title }) => title)).toEqual(["$h$ before", "$h$ after"]);
    const shown = [...input, ...response].map((panel) =>
      "image" in panel ? panel.image.values[0] : undefined,
    );
    expect(shown).toEqual([2, 7]);
  });
});

describe("samplePicture", () => {
  it("draws a sample with channels as the committed file has it", async () => {
    const figure = samplePicture({ ...about, color: SOURCES["dam-break"].color, samples: [sample(3, 1)] });
    assertWellFormed(figure);
    await expect(figure).toMatchFileSnapshot("../golden/figures/sample-picture.svg");
  });

  it("draws a curve beside a map as the committed file has it", async () => {
    const input = { values: places.map((a) => a * (1 - a) - 0.1), shape: [COUNT], axes: [x] };
    const response = { ...field((a, b) => (a - 0.5) * b), axes: [x, { name: "t", values: places }] };
    const panels = stylePanels(SOURCES.burgers.picture, { input, response });
    const figure = samplePicture({
      ...about,
      color: SOURCES.burgers.color,
      samples: [{ label: "sample 0", panels }],
    });
    assertWellFormed(figure);
    expect(figure).toContain(SOURCES.burgers.color);
    await expect(figure).toMatchFileSnapshot("../golden/figures/sample-curve-and-map.svg");
  });

  it("says what it shows: title, origin, quantities, axes and letters", () => {
    const shown = texts(samplePicture({ ...about, samples: [sample(3, 1)] }));
    for (const text of [
      about.title,
      about.origin,
      "water depth h",
      "discharge hu",
      "x",
      "y",
      "h before",
      "f",
    ])
      expect(shown).toContain(text);
  });

  it("puts input over response for one sample, and one row a sample for several", () => {
    const images = (svg: string) =>
      [...svg.matchAll(/<image [^>]*width="([\d.]+)"/g)].map((match) => Number(match[1]));
    const one = samplePicture({ ...about, samples: [sample(0, 1)] });
    const two = samplePicture({ ...about, samples: [sample(0, 1), sample(1, 2)] });
    expect(images(one)).toHaveLength(6);
    expect(images(two)).toHaveLength(12);
    expect(images(one)[0]).toBeGreaterThan(1.5 * images(two)[0]);
    expect(texts(two).filter((text) => text.startsWith("sample"))).toEqual(["sample 0", "sample 1"]);
  });

  it("has the same colours for the same values of a quantity in every row", () => {
    const pictures = (svg: string) => [...svg.matchAll(/href="([^"]+)"/g)].map((match) => match[1]);
    const [weak, strong] = [sample(0, 1), sample(1, 2)];
    const both = pictures(samplePicture({ ...about, samples: [weak, strong] }));
    const alone = pictures(samplePicture({ ...about, samples: [weak, weak] }));
    expect(both[4]).not.toBe(alone[4]); // hu after: the other sample widens the scale
    expect(both[3]).toBe(alone[3]); // h after is the same in both
  });

  it("keeps the proportions of a domain", () => {
    const wide = { ...field((a) => a), axes: [y, { name: "x", values: places.map((place) => 2 * place) }] };
    const panels = {
      input: [plane(wide, "Wide", "w")],
      response: [curve({ ...wide, shape: [8] }, "u", "u")],
    };
    const figure = samplePicture({ ...about, samples: [{ label: "", panels }] });
    const [, height, width] = figure.match(/<image height="([\d.]+)".*? width="([\d.]+)"/)!.map(Number);
    expect(width / height).toBeCloseTo(2, 3);
  });

  it("is never wider than a page", () => {
    const panel = plane(
      field((a) => a),
      "Field",
      "quantity",
    );
    for (const count of [1, 2, 6, 10]) {
      const input: ImagePanel[] = Array.from({ length: count }, (_, i) => ({ ...panel, quantity: `q ${i}` }));
      const figure = samplePicture({ ...about, samples: [{ label: "", panels: { input, response: [] } }] });
      expect(Number(figure.match(/ width="(\d+)"/)![1])).toBeLessThanOrEqual(692);
    }
  });
});
