import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { textHeatmap } from "../../src/figures/partitions/text-heatmap.js";
import { sampleCounts } from "./sample-counts.js";

// biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences are what is taken away
const plain = (text: string) => text.replace(/\x1b\[[\d;]*m/g, "");

describe("textHeatmap", () => {
  it("shows counts, shades and totals in plain text", () => {
    expect(textHeatmap(sampleCounts(5, 6, 300, 0.3))).toMatchInlineSnapshot(`
      "       solution bin
      client   0   1   2   3   4   5   samples
           0   · █18 ▓12   ·   ·   ·        30 █████▉
           1 █36   ·   · ▒ 5   ·   ·        41 ████████
           2 ▒12   ·   · █45 ░ 1 ▒16        74 ██████████████▍
           3   · █31 ▒11   · ▒10   ·        52 ██████████▏
           4 ░ 2 ░ 1 ▓27   · ▓39 ▓34       103 ████████████████████"
    `);
  });

  it("gives up the counts where the line is short, and keeps the shades", () => {
    expect(textHeatmap(sampleCounts(4, 24, 600, 0.1), { width: 80 })).toMatchInlineSnapshot(`
      "       solution bin
      client 0         5         10        15        20        samples
           0   ░░        ▒▒░░▒▒    ▒▒▒▒▒▒      ▒▒  ░░  ░░          122 █████████▌
           1 ▒▒░░          ▒▒▒▒  ░░          ▒▒  ░░    ▒▒▒▒        108 ████████▍
           2 ░░    ▒▒  ▒▒  ░░    ▒▒  ░░░░  ▒▒    ▒▒    ▒▒▒▒▒▒      193 ███████████████
           3   ▒▒▒▒  ▒▒  ░░░░  ▒▒        ▒▒        ▒▒▒▒            177 █████████████▊"
    `);
    expect(textHeatmap(sampleCounts(3, 50, 900, 0.1), { width: 60 })).toMatchInlineSnapshot(`
      "       solution bin
      client 0         10        20        30       samples
           0  ░▒   ▒░░░ ▒▒░   ▒ ▒ ░     ░  ░    ░░      239 ████
           1 ░░  ░  ░░ ░   ░ ░ ░ ░░░ ░ ░ ░░░░░░ ░       302 █████
           2 ░  ░░░ ░ ░░ ░░░░  ░  ░░░░░ ░   ░░░░ ░      359 ██████
           … and 13 more bins"
    `);
  });

  it("paints cells with 256 colours on request, in the same places", () => {
    const counts = sampleCounts(4, 5, 200, 0.3);
    const painted = textHeatmap(counts, { color: true });
    expect(painted).toContain("\x1b[48;5;");
    expect(plain(painted).replaceAll(/[░▒▓]/g, " ").length).toBe(textHeatmap(counts).length);
    const digits = (text: string) => text.match(/\d+/g);
    expect(digits(plain(painted))).toEqual(digits(textHeatmap(counts)));
  });

  it("shows forty clients and says how many more there are and how large", () => {
    const counts = Array.from({ length: 43 }, (_, client) => [client, 1]);
    const lines = textHeatmap(counts).split("\n");
    expect(lines).toHaveLength(2 + 40 + 1);
    expect(lines.at(-1)).toBe("     … and 3 more clients, of 41 to 43 samples");
  });

  it("marks the darkest shade for a client with one bin only, none for zero", () => {
    const rows = textHeatmap([
      [7, 0],
      [1, 99],
      [0, 0],
    ]).split("\n");
    expect(rows[2]).toContain("█ 7");
    expect(rows[2]).toContain("·");
    expect(rows[3]).toContain("░ 1 █99");
    expect(rows[4]).toBe("     2   ·   ·         0");
  });

  it("never writes past the width, with or without colour, and ends no line in blanks", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 60 }),
        fc.integer({ min: 1, max: 50 }),
        fc.integer({ min: 50, max: 160 }),
        fc.boolean(),
        fc.nat(2000),
        (clients, bins, width, color, seed) => {
          const text = plain(textHeatmap(sampleCounts(clients, bins, 1200, 0.2, seed), { width, color }));
          for (const line of text.split("\n")) {
            expect(Array.from(line).length).toBeLessThanOrEqual(width);
            expect(line).toBe(line.trimEnd());
          }
        },
      ),
      { numRuns: 60 },
    );
  });
});
