import { describe, expect, it } from "vitest";
import { DataError } from "../../src/errors.js";
import type { Bounds } from "../../src/figures/cut-intervals.js";
import { PAPER_BAND } from "../../src/figures/legend.js";
import { type MetricPanel, metricCurves } from "../../src/figures/metric-curves.js";
import { SERIES_STYLES } from "../../src/figures/palette.js";
import { assertWellFormed, texts } from "./well-formed.js";

const ALPHAS = [100, 10, 1, 0.1, 0.01];
const MEANS = [0.16, 0.23, 0.47, 0.8, 0.98];

function panel(title: string, yLabel: string, scale: number, tasks: readonly string[]): MetricPanel {
  const series = tasks.map((name, task) => ({
    name,
    points: ALPHAS.map((alpha, i) => {
      const mean = MEANS[i] * scale * (1 + 0.06 * task);
      return { alpha, mean, low: mean * 0.9, high: mean * 1.1 };
    }),
  }));
  return { title, yLabel, series };
}

const NAMES = SERIES_STYLES.map((_, i) => `series ${i}`);
const CONTROLLED = ["antiderivative", "burgers", "diffusion-reaction"];

const stated = (alpha: number, value: number) => ({ alpha, low: value, high: value });

function withPaper(): MetricPanel {
  const plain = panel("Solution distance", "D_sol", 1, CONTROLLED);
  return {
    ...plain,
    series: plain.series.map((series, i) => ({
      ...series,
      paper: [stated(0.01, [1.133, 0.955, 0.906][i])],
    })),
    paper: [
      { alpha: 100, low: 0.15, high: 0.17 },
      { alpha: 1, low: 0.45, high: 0.5 },
    ],
  };
}

describe("metricCurves", () => {
  it("draws the partition statistics as the committed file has them", async () => {
    const figure = metricCurves({
      title: "Controlled tasks",
      panels: [
        withPaper(),
        panel("Sample-count CV", "CV_n", 1.7, CONTROLLED),
        panel("Dirichlet realisation", "L_1 error ε_part", 0.1, CONTROLLED),
        panel("Quantisation", "ε_quant", 0.2, CONTROLLED),
      ],
    });
    assertWellFormed(figure);
    await expect(figure).toMatchFileSnapshot("../golden/figures/metric-curves.svg");
  });

  it("lets heterogeneity grow to the right: alpha falls along the axis", () => {
    const figure = metricCurves({ panels: [panel("one", "y", 1, ["burgers"])] });
    const places = ["100", "10", "1", "0.1", "0.01"].map((label) => {
      const found = figure.match(new RegExp(`translate\\(([\\d.]+),[\\d.]+\\)" y="0.71em">${label}</text>`));
      return Number(found![1]);
    });
    const gaps = places.slice(1).map((place, i) => place - places[i]);
    for (const gap of gaps) expect(gap).toBeCloseTo(gaps[0], 1);
    expect(gaps[0]).toBeGreaterThan(10);
  });

  it("labels every concentration, round or not", () => {
    const points = [1, 0.5, 0.3, 0.2].map((alpha) => ({ alpha, mean: 1, low: 1, high: 1 }));
    const figure = metricCurves({ panels: [{ title: "one", yLabel: "y", series: [{ name: "x", points }] }] });
    expect(texts(figure)).toEqual(expect.arrayContaining(["1", "0.5", "0.3", "0.2"]));
  });

  it("draws every point's interval at its height", () => {
    const points = [
      { alpha: 1, mean: 0.5, low: 0.25, high: 0.75 },
      { alpha: 0.1, mean: 1, low: 1, high: 1 },
    ];
    const figure = metricCurves({
      panels: [{ title: "one", yLabel: "y", series: [{ name: "darcy", points }] }],
    });
    const intervals = [...figure.matchAll(/<line x1="[\d.]+" x2="[\d.]+" y1="([\d.]+)" y2="([\d.]+)"\/>/g)]
      .map((match) => Math.abs(Number(match[1]) - Number(match[2])))
      .filter((height) => height > 0);
    const frame = 0.6 * (336 - 8); // the ticks run from 0 to 1
    expect(intervals[0]).toBeCloseTo(0.5 * frame, 0);
  });

  it("gives a series one colour in all panels, its own if it has one, and names it once in the legend", () => {
    const figure = metricCurves({
      panels: [panel("one", "y", 1, ["my data", "Burgers"]), panel("two", "y", 1, ["Burgers"])],
    });
    expect(texts(figure).filter((text) => text === "Burgers")).toHaveLength(1);
    expect(figure).toContain(`stroke="${SERIES_STYLES[0].color}"`);
    expect(figure).toContain(`stroke="${SERIES_STYLES[1].color}"`);
    const [plain] = panel("one", "y", 1, ["mine"]).series;
    const series = [{ ...plain, style: SERIES_STYLES[4] }];
    const own = metricCurves({ panels: [{ title: "one", yLabel: "y", series }] });
    expect(own).toContain(`stroke="${SERIES_STYLES[4].color}"`);
    expect(own).not.toContain(`stroke="${SERIES_STYLES[0].color}"`);
  });

  it("has an entry for the paper only where the paper is shown", () => {
    expect(texts(metricCurves({ panels: [withPaper()] }))).toContain("paper");
    const without = panel("one", "y", 1, CONTROLLED);
    expect(texts(metricCurves({ panels: [without] }))).not.toContain("paper");
    expect(texts(metricCurves({ panels: [{ ...without, paper: [] }] }))).not.toContain("paper");
  });

  it("draws a range of the paper as a bar, one number as a hollow marker, and grey only for ranges of all", () => {
    const points = [
      { alpha: 1, mean: 0.2, low: 0.2, high: 0.2 },
      { alpha: 0.1, mean: 1, low: 1, high: 1 },
    ];
    const draw = (low: number, high: number) =>
      metricCurves({
        panels: [
          {
            title: "one",
            yLabel: "y",
            series: [{ name: "darcy", points, paper: [{ alpha: 1, low, high }] }],
          },
        ],
      });
    const inColor = (svg: string) =>
      svg.match(new RegExp(`stroke="${SERIES_STYLES[0].color}"[^>]*>\\s*<rect`, "g"));
    expect(inColor(draw(0.17, 0.19))).toHaveLength(1);
    expect(inColor(draw(0.18, 0.18))).toBeNull();
    expect(draw(0.17, 0.19)).not.toContain(PAPER_BAND);
    expect(metricCurves({ panels: [withPaper()] })).toContain(PAPER_BAND);
  });

  it("cuts intervals at what a quantity can be, with an arrowhead", () => {
    const points = [
      { alpha: 1, mean: 0.2, low: -0.3, high: 0.7 },
      { alpha: 0.1, mean: 0.9, low: 0.6, high: 1.2 },
    ];
    const draw = (bounds?: Bounds) =>
      metricCurves({ panels: [{ title: "one", yLabel: "y", bounds, series: [{ name: "darcy", points }] }] });
    expect(texts(draw())).toEqual(expect.arrayContaining(["−0.5", "1.5"]));
    const cut = draw([0, 1]);
    expect(texts(cut)).toEqual(expect.arrayContaining(["0.0", "1.0"]));
    expect(texts(cut).filter((text) => /−|1\.\d*[1-9]/.test(text))).toEqual([]);
    const arrowheads = (svg: string) => svg.split(/<path d="M0,0L0,-2\.6/).length - 1;
    expect(arrowheads(cut)).toBe(2);
    expect(arrowheads(draw())).toBe(0);
  });

  it("keeps every marker of many series within the axis, the paper's beside ours", () => {
    const plain = panel("one", "y", 1, NAMES);
    const style = { color: "#123456", symbol: "circle" } as const;
    const series = plain.series.map((one) => ({ ...one, style, paper: [stated(0.01, 0.5)] }));
    const figure = metricCurves({ panels: [{ ...plain, series }] });
    const [left, right] = figure
      .match(/stroke="#e2e2e2"[^>]*>\s*<line x1="([\d.]+)" x2="([\d.]+)"/)!
      .slice(1)
      .map(Number);
    const groups = figure.matchAll(/translate\((-?[\d.]+),0\)">\s*((?:<circle[^>]*>\s*)+)/g);
    const places = [...groups].flatMap(([, shift, circles]) =>
      [...circles.matchAll(/cx="([\d.]+)"/g)].map((found) => Number(found[1]) + Number(shift)),
    );
    expect(places.length).toBeGreaterThan(35);
    expect(Math.min(...places)).toBeGreaterThan(left + 2.6);
    expect(Math.max(...places)).toBeLessThan(right - 2.6);
  });

  it("wraps a legend that is wider than the figure", () => {
    const narrow = metricCurves({ panels: [panel("all", "D_sol", 1, NAMES)] });
    const wide = metricCurves({ panels: [panel("all", "D_sol", 1, NAMES)], width: 900 });
    expect(narrow).not.toMatch(/translate\((?:3[4-9]\d|[4-9]\d\d)/);
    for (const figure of [narrow, wide]) expect(texts(figure)).toEqual(expect.arrayContaining(NAMES));
  });

  it("refuses to draw nothing", () => {
    expect(() => metricCurves({ panels: [] })).toThrow(DataError);
  });
});
