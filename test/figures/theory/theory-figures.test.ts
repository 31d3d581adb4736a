import { describe, expect, it } from "vitest";
import { concentrationFigure } from "../../../src/figures/theory/concentration-law.js";
import { decades } from "../../../src/figures/theory/log-panel.js";
import { shuffled } from "../../../src/figures/theory/points.js";
import { transportFigure } from "../../../src/figures/theory/transport-band.js";
import { gatherConcentration } from "../../../src/theory/concentration-evidence.js";
import { gatherTransport } from "../../../src/theory/transport-evidence.js";
import { binSetting } from "../../theory/bin-setting.js";
import { assertWellFormed, texts } from "../well-formed.js";

const few = <T>(items: readonly T[]) => items.filter((_, i) => i % 8 === 0);
const concentration = gatherConcentration(binSetting(), undefined, 1500);
const transport = gatherTransport(binSetting());
const figures = {
  "concentration-law": concentrationFigure({
    ...concentration,
    points: few(concentration.points),
    finite: few(concentration.finite),
  }),
  "transport-band": transportFigure({
    ...transport,
    points: few(transport.points),
    partitions: few(transport.partitions),
  }),
};

describe("figures of the theory", () => {
  it.each(Object.entries(figures))("draw %s as the committed file has it", async (name, svg) => {
    assertWellFormed(svg);
    expect(svg).not.toMatch(/NaN|Infinity|undefined/);
    await expect(svg).toMatchFileSnapshot(`../../golden/figures/theory/${name}.svg`);
  });

  it("draw the transport band without its lower end where two bins lie in one place", () => {
    const svg = transportFigure({ ...transport, cMin: 0 });
    assertWellFormed(svg);
    expect(svg).not.toMatch(/NaN|Infinity|undefined/);
    expect(texts(svg).some((text) => text.includes("/ 2"))).toBe(false);
  });
});

describe("decades", () => {
  it("are the powers of ten between two numbers, thinned where they are many", () => {
    expect(decades([0.02, 30], 10)).toEqual([0.1, 1, 10]);
    expect(decades([30, 0.02], 10)).toEqual([0.1, 1, 10]);
    expect(decades([1e-6, 1], 4)).toEqual([1e-6, 1e-4, 1e-2, 1]);
  });
});

describe("shuffled points", () => {
  it("are the same points in another order", () => {
    const items = Array.from({ length: 100 }, (_, i) => i);
    expect(shuffled(items)).not.toEqual(items);
    expect([...shuffled(items)].sort((a, b) => a - b)).toEqual(items);
  });
});
