import { describe, expect, it } from "vitest";
import type { SplitView } from "../../src/studio/lab/lab.js";
import { openLab } from "../../src/studio/lab/lab.js";
import {
  alphaAt,
  DIAL_MARKS,
  DIAL_STEPS,
  placeOnDial,
} from "../../src/studio/page/views/clients/controls/dial-places.js";
import { lawCurves } from "../../src/studio/page/views/clients/dial-curves/curves-of.js";
import { columnsOf } from "../../src/studio/page/views/clients/heat-map/columns.js";
import { mostShare, ribbonsOf } from "../../src/studio/page/views/clients/plan/plan-layout.js";

const lab = openLab();
const split = async (options: object): Promise<SplitView> => {
  await lab.generate({ task: "antiderivative", seed: 5, train: 240, test: 0 });
  await lab.bin({ bins: 6, seed: 3 });
  return lab.split({
    ...{ clients: 7, alpha: 0.2, seed: 3, repair: "closest", partitioner: { name: "dirichlet" }, ...options },
  });
};
const sizesOf = ({ counts, bins }: SplitView) =>
  Array.from({ length: bins }, (_, bin) => counts.reduce((sum, row) => sum + row[bin], 0));

describe("places of the dial", () => {
  it("are powers of ten at its marks, and each has an alpha of its own", () => {
    expect(DIAL_MARKS).toEqual([1000, 100, 10, 1, 0.1, 0.01, 0.001]);
    DIAL_MARKS.forEach((mark, i) => {
      expect(placeOnDial(mark)).toBeCloseTo(i / 6, 12);
      expect(alphaAt(i / 6)).toBe(mark);
    });
    const alphas = Array.from({ length: DIAL_STEPS + 1 }, (_, i) => alphaAt(i / DIAL_STEPS));
    expect(new Set(alphas).size).toBe(DIAL_STEPS + 1);
    alphas.forEach((alpha, i) => {
      expect(Math.round(placeOnDial(alpha) * DIAL_STEPS)).toBe(i);
    });
    expect([placeOnDial(1e6), placeOnDial(1e-6), alphaAt(-1), alphaAt(2)]).toEqual([0, 1, 1000, 0.001]);
  });
});

describe("the curve of H_u", () => {
  it("is the exact law, and the present draw lies on this seed's curve", async () => {
    const found = await split({});
    const dial = await lab.dial({
      clients: 7,
      alpha: 0.2,
      seed: 3,
      repair: "closest",
      partitioner: { name: "dirichlet" },
    });
    const { law, band, draw, present, most } = lawCurves(found, sizesOf(found), dial);
    const squares = sizesOf(found).reduce((sum, size) => sum + (size / 240) ** 2, 0);
    for (const { alpha, value } of law) expect(value).toBeCloseTo((6 / (7 * alpha + 1)) * squares, 12);
    expect(most).toBeCloseTo(6 * squares, 12);
    expect(present).toEqual({ alpha: 0.2, value: found.metrics.h_u });
    band.forEach(({ low, high }, i) => {
      expect(low).toBeLessThanOrEqual(law[i].value);
      expect(high).toBeGreaterThanOrEqual(law[i].value);
    });
    const near = draw.filter(({ alpha }) => alpha < 0.4 && alpha > 0.1).map(({ value }) => value);
    expect(Math.min(...near)).toBeLessThan(present!.value);
    expect(Math.max(...near)).toBeGreaterThan(present!.value);
    for (const { value } of draw) expect(value).toBeLessThanOrEqual(most);
  });

  it("is that of counts where no shares are drawn, with the split at the alpha that it implies", async () => {
    const found = await split({ alpha: undefined, partitioner: { name: "shards", shards: 2 } });
    const { law, band, present } = lawCurves(found, sizesOf(found), undefined);
    expect(band).toEqual([]);
    expect(present).toEqual({ alpha: found.metrics.alpha_implied, value: found.metrics.h_u_realised });
    const above = law.filter(({ alpha }) => alpha > present!.alpha).at(-1)!;
    const below = law.find(({ alpha }) => alpha < present!.alpha)!;
    expect(above.value).toBeLessThan(present!.value);
    expect(below.value).toBeGreaterThan(present!.value);
  });
});

describe("ribbons of a plan", () => {
  const flows = [
    { from: 0, to: 0, mass: 0.25, cost: 0 },
    { from: 0, to: 2, mass: 0.25, cost: 0.5 },
    { from: 1, to: 2, mass: 0.5, cost: 0.25 },
  ];
  const columns = columnsOf(600, 4);
  const ribbons = ribbonsOf(flows, columns, { bars: 40, flows: 100 });
  const start = (path: string) => Number(/^M([\d.]+)/.exec(path)![1]);

  it("begin in the middle of their bin, side by side and as wide as their mass", () => {
    const [stays, moves] = ribbons.map(({ path }) => start(path));
    const widest = columns.each - 2;
    expect(stays).toBeCloseTo(columns.left + columns.each / 2 - widest / 4, 1);
    expect(Math.abs(moves - stays - widest / 4)).toBeLessThan(0.11); // places have one decimal
  });

  it("have the cost of what moves as labels that do not cover each other", () => {
    expect(ribbons.map(({ cost }) => cost)).toEqual([0, 2, 0.5]);
    const labels = ribbons.map(({ label }) => label);
    expect(labels[0]).toBeUndefined();
    const [[x1, y1], [x2, y2]] = [labels[1]!, labels[2]!];
    expect(Math.abs(x1 - x2) > 34 || Math.abs(y1 - y2) >= 14).toBe(true);
  });

  it("stand on a scale that covers both clients", () => {
    expect(mostShare([[0.1], [0.05]])).toBe(0.1);
    expect(mostShare([[0.1], [0.3]])).toBe(0.5);
    expect(mostShare([[0.1], [0.9]])).toBe(1);
  });
});
