import { describe, expect, it } from "vitest";
import { type BinCard, binCards } from "../../src/figures/partitions/bin-cards.js";
import { sweepCurves } from "../../src/figures/partitions/sweep-curves.js";
import { curve, plane, type SamplePanel } from "../../src/figures/samples/sample-panel.js";
import { PRINT_WIDTH, textWidth } from "../../src/figures/typography.js";
import { assertWellFormed, texts } from "./well-formed.js";

const COUNT = 8;
const places = Array.from({ length: COUNT }, (_, i) => (i + 0.5) / COUNT);
const x = { name: "x", values: places };
const y = { name: "y", values: places };

const line = (height: number) =>
  curve({ values: places.map((at) => height * Math.sin(3 * at)), shape: [COUNT], axes: [x] }, "u", "$u$ (m)");

const image = (height: number) =>
  plane(
    {
      values: places.flatMap((b) => places.map((a) => height * (a - b))),
      shape: [COUNT, COUNT],
      axes: [y, x],
    },
    "p",
    "pressure $p$",
  );

const list = (height: number): SamplePanel => ({
  ...curve({ values: [height, -height, 2], shape: [3], axes: [{ name: "x" }] }, "d", "descriptor"),
  numbers: true,
});

function cards(count: number, panels: (height: number) => readonly SamplePanel[]): BinCard[] {
  return Array.from({ length: count }, (_, bin) => ({
    title: `Bin ${bin}`,
    facts: [`${10 + bin} samples`, "spread 0.31", "silhouette 0.42"],
    fields: [
      { role: "centroid", panels: panels(1 + bin) },
      { role: "nearest", sample: 3 * bin, panels: panels(1.1 + bin) },
      { role: "farthest", sample: 100 + bin, panels: panels(2 + bin) },
    ],
    clients: [bin, 5, 0, 10],
  }));
}

const about = { title: "Flow: 30 samples in 4 bins, 4 clients", origin: "from `flow.npz`" };

const size = (figure: string) =>
  ["width", "height"].map((name) => Number(new RegExp(`<svg[^>]* ${name}="([\\d.]+)"`).exec(figure)![1]));

describe("the figure of bins", () => {
  it("draws curves of a bin in one frame as the committed file has it", async () => {
    const figure = binCards({ ...about, cards: cards(4, (height) => [line(height)]), color: "#0072b2" });
    assertWellFormed(figure);
    await expect(figure).toMatchFileSnapshot("../golden/figures/bin-cards-curves.svg");
  });

  it("draws images of a bin side by side as the committed file has it", async () => {
    const figure = binCards({ ...about, cards: cards(3, (height) => [image(height)]) });
    assertWellFormed(figure);
    await expect(figure).toMatchFileSnapshot("../golden/figures/bin-cards-images.svg");
  });

  it("draws a few numbers as markers, not as a line", () => {
    const numbers = binCards({ ...about, cards: cards(2, (height) => [list(height)]) });
    const lines = binCards({
      ...about,
      cards: cards(2, (height) => [{ ...list(height), numbers: false } as SamplePanel]),
    });
    const polylines = (figure: string) => figure.match(/<path d="M[^"Z]*L[^"Z]*L[^"Z]*"/g)?.length ?? 0;
    expect(polylines(lines)).toBe(2 * 3);
    expect(polylines(numbers)).toBe(0);
    assertWellFormed(numbers);
  });

  it("says what each picture is, how large a bin is, and whose samples it has", () => {
    const shown = texts(binCards({ ...about, cards: cards(3, (height) => [image(height)]) }));
    for (const text of [
      "Bin 2",
      "12 samples, spread 0.31, silhouette 0.42",
      "nearest 6",
      "farthest 102",
      "client",
    ])
      expect(shown).toContain(text);
    expect(shown).toContain("left to right: centroid, nearest sample, farthest sample");
    expect(shown.join()).toMatch(/pressure p/);
  });

  it("draws every channel or plane in a row of its own, with its name", () => {
    const panels = (height: number) => [
      { ...image(height), title: "p", place: "$t$ = 0" },
      { ...image(-height), title: "p", place: "$t$ = 1" },
    ];
    const figure = binCards({ ...about, cards: cards(2, panels) });
    expect(texts(figure).filter((text) => text === "t = 1")).toHaveLength(2);
    expect(figure.match(/<image/g)).toHaveLength(2 * 3 * 2);
  });

  it("says where single peaks go beyond the colours, which are those of the rest", () => {
    const calm = cards(3, (height) => [image(height)]);
    const values = (panel: SamplePanel) => ("image" in panel ? Array.from(panel.image.values) : []);
    const all = calm.flatMap(({ fields }) => fields.flatMap(({ panels }) => values(panels[0])));
    expect(Math.min(...all)).toBeLessThan(0); // a scale about zero
    expect(texts(binCards({ ...about, cards: calm })).join()).toContain("1 % of the values beyond");
    const positive = cards(3, (height) => {
      const drawn = image(height);
      return [{ ...drawn, image: { ...drawn.image, values: Array.from(drawn.image.values, Math.abs) } }];
    });
    expect(texts(binCards({ ...about, cards: positive })).join()).not.toContain("beyond");
  });

  it("draws an empty bin with its centroid alone", () => {
    const [full, other] = cards(2, (height) => [image(height)]);
    const empty = { ...other, facts: ["0 samples"], fields: other.fields.slice(0, 1), clients: [0, 0, 0, 0] };
    const figure = binCards({ ...about, cards: [full, empty] });
    expect(figure.match(/<image/g)).toHaveLength(4);
    assertWellFormed(figure);
  });

  it.each([1, 2, 5, 12, 13, 31, 50])(
    "stays as wide as a page with %i bins, and shows all of them",
    (count) => {
      for (const panels of [(h: number) => [line(h)], (h: number) => [image(h)]]) {
        const figure = binCards({ ...about, cards: cards(count, panels) });
        expect(size(figure)[0]).toBe(PRINT_WIDTH);
        expect(size(figure)[1]).toBeLessThan(120 + 250 * Math.ceil(count / 2));
        const shown = texts(figure);
        for (let bin = 0; bin < count; bin++) expect(shown).toContain(`Bin ${bin}`);
        for (const text of shown) expect(textWidth(text, 13.33)).toBeLessThan(PRINT_WIDTH);
      }
    },
  );
});

describe("the figure of a sweep", () => {
  const points = [2, 5, 8, 11].map((bins) => ({
    bins,
    explainedVariance: 1 - 0.7 / bins,
    d_sol: 0.5 + 0.3 / bins,
    d_sol_floor: 0.1 + bins / 100,
  }));

  it("is the committed one", async () => {
    const figure = sweepCurves({ title: "`burgers.h5`: 10 clients, alpha 0.1", points, marked: 10 });
    assertWellFormed(figure);
    await expect(figure).toMatchFileSnapshot("../golden/figures/sweep-curves.svg");
  });

  it("marks the partition's number of bins only where there is a partition", () => {
    expect(texts(sweepCurves({ title: "a", points, marked: 10 }))).toContain("the partition, 10 bins");
    expect(texts(sweepCurves({ title: "a", points })).join()).not.toContain("partition");
  });
});
