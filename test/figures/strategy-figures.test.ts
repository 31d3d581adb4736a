import { describe, expect, it } from "vitest";
import { comparedErrors } from "../../src/analysis/axes/axis-contrasts.js";
import { reportSubject } from "../../src/analysis/subject.js";
import { STRATEGY_NAMES } from "../../src/federation/strategies/strategies.js";
import { panelLetter } from "../../src/figures/compose.js";
import { levelCurvesFigure } from "../../src/figures/levels/level-curves.js";
import { levelDifferencesFigure } from "../../src/figures/levels/level-differences.js";
import { LEVEL_STYLES } from "../../src/figures/palette.js";
import { reportFigures } from "../../src/figures/report-figures.js";
import type { SeedRecord } from "../../src/records/seed-record.js";
import { type SyntheticOptions, syntheticRecords } from "../records/synthetic-records.js";
import { assertWellFormed, texts } from "./well-formed.js";

/** Runs of all strategies whose test errors lie the given percentage points above those of FedAvg. */
function remedies(points: (strategy: number) => number, options: SyntheticOptions = {}): SeedRecord[] {
  const fedavg = syntheticRecords({
    ...{ tasks: ["wave"], alphas: [100, 0.1, 0.01], rounds: [0, 10, 50] },
    ...options,
  });
  return STRATEGY_NAMES.flatMap((strategy, i) =>
    fedavg.map((row) => ({
      ...row,
      client_error_mean: NaN,
      ...(i > 0 && { settings: { ...row.settings, strategy }, overrides: [...row.overrides, "strategy"] }),
      test_error: row.test_error + (points(i) + (i > 0 ? 0.01 * row.seed : 0)) / 100,
    })),
  );
}

const drawn = (records: readonly SeedRecord[]) => {
  const [axis] = reportSubject(records).axes;
  return {
    differences: levelDifferencesFigure(axis, comparedErrors(axis)[0])!,
    curves: levelCurvesFigure(axis)!,
  };
};
const TITLES = ["FedProx", "SCAFFOLD", "FedNova", "FedAvgM", "FedAdagrad", "FedAdam", "FedYogi", "Ditto"];
const count = (svg: string, pattern: RegExp) => svg.match(pattern)?.length ?? 0;

describe("the figure of differences", () => {
  it("has a panel a concentration and a row a strategy, with intervals", () => {
    const { svg, caption, name } = drawn(remedies((i) => 5 * i, { seeds: [0, 1, 2, 3, 4] })).differences;
    assertWellFormed(svg);
    expect(name).toBe("difference-strategy");
    const words = texts(svg);
    expect(words).toEqual(
      expect.arrayContaining([...TITLES, "local only", "centralised", "interval above zero"]),
    );
    expect(words.filter((text) => text === "SCAFFOLD")).toHaveLength(1); // the names stand in the first panel alone
    expect(words.filter((text) => /^FedAvg: [\d.]+ \([\d.]+\) %$/.test(text))).toHaveLength(3);
    expect(words).not.toContain("interval below zero");
    expect(caption).toContain("bars 95 % Student-t intervals.");
    expect(svg).not.toMatch(/NaN|undefined/);
  });

  it("fills what is better in another colour than what is worse", () => {
    const { svg } = drawn(
      remedies((i) => (i === 0 ? 0 : i % 2 === 0 ? -20 : 20), { seeds: [0, 1, 2, 3, 4] }),
    ).differences;
    expect(texts(svg)).toEqual(expect.arrayContaining(["interval below zero", "interval above zero"]));
    expect(count(svg, /fill="#0072b2"/g)).toBe(3 * 5 + 1); // panels, strategies and the legend
    expect(count(svg, /fill="#d55e00"/g)).toBe(3 * 5 + 1);
  });

  it("shows single seeds where these are fewer than four", () => {
    const { svg, caption } = drawn(remedies((i) => i, { seeds: [0, 1] })).differences;
    expect(caption).toContain("small dots are single seeds.");
    expect(caption).not.toContain("interval");
    expect(count(svg, /<circle [^>]*r="1\.5"/g)).toBe(3 * 10 * 2 + 1);
  });

  it("has a logarithmic axis where one strategy is far from all others", () => {
    const { svg } = drawn(remedies((i) => (i === 9 ? 90 : 0.1 * i), { seeds: [0, 1, 2, 3] })).differences;
    const words = texts(svg);
    expect(words).toEqual(expect.arrayContaining(["0", "1", "10"]));
    assertWellFormed(svg);
  });

  it("is none without a second strategy, and is drawn of one seed", () => {
    expect(reportSubject(remedies(() => 0).filter(({ settings }) => !settings.strategy)).axes).toEqual([]);
    expect(drawn(remedies((i) => i, { seeds: [3] })).differences.caption).toContain("Values of one seed.");
  });
});

describe("the figure of curves", () => {
  it("has a panel a concentration, a curve a strategy and all in the legend", () => {
    const { svg, caption } = drawn(remedies((i) => i)).curves;
    assertWellFormed(svg);
    expect(caption).toContain("Rounds are on a log(1 + r) axis, errors on a logarithmic axis of each panel.");
    expect(texts(svg)).toEqual(expect.arrayContaining(["FedAvg", ...TITLES, "local only", "centralised"]));
    expect(texts(svg).filter((text) => /^α = /.test(text))).toHaveLength(3);
  });

  it("is none where only start and end were measured", () => {
    const [axis] = reportSubject(remedies((i) => i, { rounds: [0, 50] })).axes;
    expect(levelCurvesFigure(axis)).toBeUndefined();
  });

  it("tells as many strategies apart as there are", () => {
    const looks = LEVEL_STYLES.map(({ color, symbol }, i) => `${color} ${symbol} ${i >= 6}`);
    expect(new Set(looks).size).toBe(LEVEL_STYLES.length);
    expect(LEVEL_STYLES.length).toBeGreaterThanOrEqual(STRATEGY_NAMES.length);
  });
});

describe("a report of strategies", () => {
  it("has both figures, and no tangle of lines over alpha", () => {
    const names = reportFigures(reportSubject(remedies((i) => i))).map(({ name }) => name);
    expect(names.slice(0, 2)).toEqual(["difference-strategy", "curves-strategy"]);
    expect(names).not.toContain("compare-strategy");
    const few = remedies((i) => i).filter(
      ({ settings: { strategy } }) => !strategy || strategy === "scaffold",
    );
    expect(reportFigures(reportSubject(few)).map(({ name }) => name)).toContain("compare-strategy");
  });

  it("has letters for as many panels as there are", () => {
    expect([0, 25, 26, 27, 52].map((i) => panelLetter(i, 60))).toEqual(["a", "z", "aa", "ab", "ba"]);
    expect(panelLetter(0, 1)).toBeUndefined();
    const { svg } = reportFigures(reportSubject(remedies((i) => i))).find(
      ({ name }) => name === "mechanisms",
    )!;
    const letters = texts(svg).filter((text) => /^[^\w\s]$|^[a-z]{1,2}$/.test(text));
    expect(letters).toHaveLength(3 * STRATEGY_NAMES.length);
    expect(letters.slice(24)).toEqual(["y", "z", "aa", "ab", "ac", "ad", "ae", "af", "ag"]);
  });

  it("tells panels apart whose titles are long", () => {
    const decoupled = remedies((i) => i).flatMap((row) => {
      if (row.settings.strategy !== "fedprox") return row.settings.strategy === undefined ? [row] : [];
      const values = { participation: 0.3, proximal: "decoupled" };
      return [0.1, 10].map((mu) => ({
        ...{ ...row, settings: { ...row.settings, ...values, mu } },
        overrides: [...row.overrides, "participation", "mu", "proximal"],
      }));
    });
    const { svg } = reportFigures(reportSubject(decoupled)).find(({ name }) => name === "mechanisms")!;
    expect(texts(svg).join("\n")).toMatch(/μ = 0\.1[\s\S]*μ = 10/);
    expect(svg).not.toContain("…");
  });

  it("has room for two options of a strategy beside its name", () => {
    const records = remedies((i) => i).map((row) =>
      row.settings.strategy === "fedavgm"
        ? {
            ...{ ...row, settings: { ...row.settings, server_rate: 0.5, server_momentum: 0.5 } },
            overrides: [...row.overrides, "server_rate", "server_momentum"],
          }
        : row,
    );
    expect(texts(drawn(records).differences.svg)).toContain("FedAvgM, server rate 0.5, server momentum 0.5");
  });
});
