import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DataError } from "../../src/errors.js";
import { proportionColor } from "../../src/figures/palette.js";
import { clientBinHeatmap } from "../../src/figures/partitions/client-bin-heatmap.js";
import { countTicks } from "../../src/figures/ticks.js";
import { sampleCounts } from "./sample-counts.js";
import { assertWellFormed, texts } from "./well-formed.js";

function panels(clients: number, bins: number, samples: number, alphas: readonly number[]) {
  return alphas.map((alpha) => ({
    label: `α = ${alpha}`,
    counts: sampleCounts(clients, bins, samples, alpha),
  }));
}

/** Counts that are drawn in cells: those set smaller than any other text. */
function cellTexts(svg: string): string[] {
  return [...svg.matchAll(/<g[^>]* font-size="([\d.]+)"[^>]*>((?:\s*<text[^>]*>\d+<\/text>)+)/g)]
    .filter((match) => Number(match[1]) <= 8)
    .flatMap((match) => texts(match[2]));
}

/** Heights of the bars of client totals, panel after panel. */
function barHeights(svg: string): number[] {
  return [...svg.matchAll(/<g fill="#7d8ea3"[^>]*>(.*?)<\/g>/gs)].flatMap((group) =>
    [...group[1].matchAll(/height="([\d.]+)"/g)].map((match) => Number(match[1])),
  );
}

describe("clientBinHeatmap", () => {
  it("draws the paper's figure as the committed file has it", async () => {
    const figure = clientBinHeatmap({
      title: "Burgers, seed 42",
      panels: panels(10, 10, 800, [100, 1, 0.01]).map((panel) => ({
        ...panel,
        metrics: "D_sol = 0.45, CV = 0.31",
      })),
    });
    await expect(figure).toMatchFileSnapshot("../golden/figures/client-bin-heatmap.svg");
  });

  it("draws many clients and bins as the committed file has it", async () => {
    const figure = clientBinHeatmap({ panels: panels(100, 20, 2000, [0.01]) });
    await expect(figure).toMatchFileSnapshot("../golden/figures/client-bin-heatmap-100-clients.svg");
  });

  it("is a standalone SVG with size, name and no references to other files", () => {
    const figure = clientBinHeatmap({ title: "a < b & c", panels: panels(3, 4, 60, [1]) });
    assertWellFormed(figure);
    expect(figure).toMatch(
      /^<svg [^>]*height="\d+"[^>]*viewBox="0 0 336 \d+"[^>]*xmlns="http:\/\/www.w3.org\/2000\/svg"/,
    );
    expect(figure).toContain("<title>a &lt; b &amp; c</title>");
    expect(figure).not.toMatch(/href|url\((?!#)|<style|<script|NaN|undefined/);
  });

  it("writes every count but zeros where cells are large enough", () => {
    const shown = panels(10, 10, 800, [100, 0.1]);
    const counts = shown.flatMap((panel) => panel.counts.flat()).filter((count) => count > 0);
    expect(cellTexts(clientBinHeatmap({ panels: shown }))).toEqual(counts.map(String));
  });

  it("leaves the counts out where cells are too small to read them", () => {
    expect(cellTexts(clientBinHeatmap({ panels: panels(100, 20, 8000, [1]) }))).toEqual([]);
  });

  it("colours cells by the proportion within their client", () => {
    const figure = clientBinHeatmap({
      panels: [
        {
          label: "one",
          counts: [
            [1, 3],
            [4, 0],
          ],
        },
      ],
    });
    for (const proportion of [0.25, 0.75, 1])
      expect(figure).toContain(`fill="${proportionColor(proportion)}"`);
    expect(figure.match(/<rect fill="#[^"]*" height="[\d.]+" width="[\d.]+" x=/g)).toHaveLength(3);
  });

  it("draws totals as bars in proportion, on one scale for all panels", () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.array(fc.array(fc.nat(300), { minLength: 3, maxLength: 3 }), { minLength: 4, maxLength: 4 }),
          {
            minLength: 1,
            maxLength: 3,
          },
        ),
        (tables) => {
          const figure = clientBinHeatmap({
            panels: tables.map((counts, i) => ({ label: `table ${i}`, counts })),
          });
          const totals = tables.flatMap((table) => table.map((row) => row.reduce((a, b) => a + b, 0)));
          const pixelsASample = 54 / countTicks(Math.max(1, ...totals)).at(-1)!;
          const heights = barHeights(figure);
          expect(heights).toHaveLength(totals.length);
          heights.forEach((height, i) => {
            expect(height).toBeCloseTo(totals[i] * pixelsASample, 1);
          });
        },
      ),
      { numRuns: 20 },
    );
  });

  it.each([
    [2, 1, 80, [1]],
    [2, 50, 500, [100, 0.01]],
    [200, 1, 4000, [1]],
    [200, 50, 4000, [0.01, 0.001]],
    [10, 10, 800, [100, 10, 1, 0.1, 0.01, 0.001]],
  ])(
    "draws %i clients, %i bins, %i samples at alpha %j within its frame",
    (clients, bins, samples, alphas) => {
      const figure = clientBinHeatmap({ panels: panels(clients, bins, samples, alphas) });
      assertWellFormed(figure);
      expect(figure).not.toMatch(/NaN|Infinity|undefined/);
      expect(figure).not.toMatch(/(?:width|height)="-/);
      for (const alpha of alphas) expect(texts(figure)).toContain(`α = ${alpha}`);
      expect(texts(figure).filter((text) => text === "solution bin")).toHaveLength(alphas.length);
    },
  );

  it("draws clients without samples and bins that no one has", () => {
    const figure = clientBinHeatmap({
      panels: [
        {
          label: "gaps",
          counts: [
            [5, 0, 2],
            [0, 0, 0],
          ],
        },
      ],
    });
    assertWellFormed(figure);
    expect(cellTexts(figure)).toEqual(["5", "2"]);
    expect(clientBinHeatmap({ panels: [{ label: "nothing", counts: [[0], [0]] }] })).not.toMatch(
      /NaN|Infinity/,
    );
  });

  it("letters panels only where there are several, and sets D_sol with a subscript", () => {
    const one = { label: "α = 1", counts: [[1, 2]], metrics: "D_sol = 0.45" };
    expect(texts(clientBinHeatmap({ panels: [one] }))).not.toContain("a");
    const two = clientBinHeatmap({ panels: [one, one] });
    expect(texts(two)).toEqual(expect.arrayContaining(["a", "b", "Dsol = 0.45"]));
    expect(two).toMatch(
      /<tspan font-style="italic">D<\/tspan><tspan dy="[\d.]+" font-size="[\d.]+">sol<\/tspan>/,
    );
  });

  it("refuses tables that are empty or of different shapes, and names the one", () => {
    expect(() => clientBinHeatmap({ panels: [] })).toThrow(DataError);
    expect(() => clientBinHeatmap({ panels: [{ label: "α = 1", counts: [] }] })).toThrow(/"α = 1" are empty/);
    const odd = [
      {
        label: "first",
        counts: [
          [1, 2],
          [3, 4],
        ],
      },
      { label: "second", counts: [[1, 2]] },
    ];
    expect(() => clientBinHeatmap({ panels: odd })).toThrow('the counts of "second" are not 2 x 2');
  });
});
