import { describe, expect, it } from "vitest";
import { gatherConcentration } from "../../../src/paper/theory/evidence/concentration-evidence.js";
import { gatherTransport } from "../../../src/paper/theory/evidence/transport-evidence.js";
import { alignmentFigure } from "../../../src/paper/theory-figures/alignment.js";
import { concentrationFigure } from "../../../src/paper/theory-figures/concentration-law.js";
import { gradientTransferFigure } from "../../../src/paper/theory-figures/gradient-transfer.js";
import { localDispersionFigure } from "../../../src/paper/theory-figures/local-dispersion.js";
import { decades } from "../../../src/paper/theory-figures/log-panel.js";
import { shuffled } from "../../../src/paper/theory-figures/points.js";
import { riskSignFigure } from "../../../src/paper/theory-figures/risk-sign.js";
import { THEORY_FIGURES } from "../../../src/paper/theory-figures/theory-figures.js";
import { trajectoryDriftFigure } from "../../../src/paper/theory-figures/trajectory-drift.js";
import { transportFigure } from "../../../src/paper/theory-figures/transport-band.js";
import { assertWellFormed, texts } from "../../figures/well-formed.js";
import { binSetting } from "../theory/bin-setting.js";
import * as training from "../theory/training-evidence.js";

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
  "gradient-transfer": gradientTransferFigure(training.transfer),
  "local-dispersion": localDispersionFigure(training.dispersion),
  "trajectory-drift": trajectoryDriftFigure(training.drift),
  alignment: alignmentFigure(training.alignment),
  "risk-sign": riskSignFigure(training.risk),
};
/** Panels of each figure, in letters. */
const PANELS: Readonly<Record<keyof typeof figures, number>> = {
  "concentration-law": 4,
  "transport-band": 2,
  "gradient-transfer": 4,
  "local-dispersion": 6,
  "trajectory-drift": 4,
  alignment: 4,
  "risk-sign": 4,
};

describe("figures of the theory", () => {
  it.each(Object.entries(figures))("draw %s as the committed file has it", async (name, svg) => {
    assertWellFormed(svg);
    expect(svg).not.toMatch(/NaN|Infinity|undefined/);
    await expect(svg).toMatchFileSnapshot(`../../golden/figures/theory/${name}.svg`);
  });

  it("are those of all predictions", () => {
    expect(Object.keys(figures)).toEqual(Object.keys(THEORY_FIGURES));
  });

  it.each(Object.entries(figures))("give each panel of %s a letter", (name, svg) => {
    const letters = texts(svg).filter((text) => /^[a-h]$/.test(text.trim()));
    expect(letters.map((letter) => letter.trim())).toEqual(
      [..."abcdefgh"].slice(0, PANELS[name as keyof typeof figures]),
    );
  });

  it("draw every partition of the gradients twice, as a mixture and with its samples", () => {
    const { cases } = training.transfer;
    const alone = cases.map((one) => ({ ...one, points: one.points.filter(({ alpha }) => alpha === 1) }));
    const dots = (svg: string) => svg.split("<circle").length - 1;
    const added = cases.flatMap(({ points }) => points).length - alone.flatMap(({ points }) => points).length;
    const inLegend = 4; // concentrations
    expect(
      dots(figures["gradient-transfer"]) -
        dots(gradientTransferFigure({ ...training.transfer, cases: alone })),
    ).toBe(2 * added + inLegend);
  });

  it("mark where a line goes on beyond the axis", () => {
    const arrowheads = (svg: string) => svg.split('d="M0,0L0,-2.6').length - 1;
    const [first, ...others] = training.drift.cases;
    const last = Math.max(...first.points.map(({ rate }) => rate));
    const points = first.points.map((point) =>
      point.rate === last && point.steps > 5 ? { ...point, remainder: 1e15 } : point,
    );
    const diverging = { ...training.drift, cases: [{ ...first, points }, ...others] };
    expect(arrowheads(figures["trajectory-drift"])).toBe(0);
    expect(arrowheads(trajectoryDriftFigure(diverging))).toBe(1);
  });

  it.each([
    ["trajectory-drift", "its leading term"],
    ["local-dispersion", "bound, expectation"],
    ["alignment", "with their own samples"],
    ["concentration-law", "K = 2"],
  ] as const)("have in the legend of %s: %s", (name, words) => {
    expect(texts(figures[name])).toContain(words);
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
