import { describe, expect, it } from "vitest";
import {
  comparedErrors,
  differenceFromFirst,
  differencesBySeed,
} from "../../src/analysis/axes/axis-contrasts.js";
import { axisFindings, axisSummary } from "../../src/analysis/axes/axis-findings.js";
import { findings } from "../../src/analysis/findings.js";
import { reportSummary } from "../../src/analysis/report-summary.js";
import { strategyRank, strategyTitle } from "../../src/analysis/strategy-names.js";
import { reportSubject } from "../../src/analysis/subject.js";
import { axisTable } from "../../src/analysis/tables/axis-table.js";
import { differenceTable } from "../../src/analysis/tables/difference-table.js";
import { reportTables } from "../../src/analysis/tables/report-tables.js";
import { csvTable, markdownTable } from "../../src/analysis/tables/table-formats.js";
import { STRATEGY_NAMES } from "../../src/federation/strategies/strategies.js";
import { partitionStatisticsFigure } from "../../src/figures/partitions/partition-statistics.js";
import { parseTable } from "../../src/files/csv.js";
import type { SeedRecord } from "../../src/records/seed-record.js";
import type { Settings } from "../../src/records/settings.js";
import { syntheticRecords } from "../records/synthetic-records.js";

/** What no earlier table has. */
const UNKNOWN = { client_error_mean: NaN, client_error_worst: NaN, communication: NaN };
const fedavg: readonly SeedRecord[] = syntheticRecords({
  tasks: ["wave"],
  alphas: [100, 0.1, 0.01],
  seeds: [0, 1, 2, 3],
  rounds: [0, 10, 50],
}).map((row) => ({ ...row, ...UNKNOWN }));

/** The same runs with other settings, those that are overrides named apart. */
const runs = (settings: Settings, overrides: readonly string[] = Object.keys(settings)): SeedRecord[] =>
  fedavg.map((row) => ({
    ...row,
    settings: { ...row.settings, ...settings },
    overrides: [...row.overrides, ...overrides],
  }));

/** The same whose test errors at the last round are those of the first runs and a number of percentage points more. */
const shifted = (records: readonly SeedRecord[], points: (seed: number) => number) =>
  records.map((row) => ({ ...row, test_error: row.test_error + points(row.seed) / 100 }));

const fedprox = (mu: number) =>
  runs({ strategy: "fedprox", mu, proximal: "gradient" }, ["strategy", ...(mu === 1 ? [] : ["mu"])]);
const fedadam = runs({ strategy: "fedadam", server_rate: 0.005, tau: 0.001 }, ["strategy"]);
const scaffold = runs({ strategy: "scaffold", control: "I", server_rate: 1 }, ["strategy"]);
const subjectOf = (...parts: readonly (readonly SeedRecord[])[]) => reportSubject(parts.flat());
const axesOf = (...parts: readonly (readonly SeedRecord[])[]) => subjectOf(...parts).axes;

describe("the names of strategies", () => {
  it("are those of papers, and every strategy has one", () => {
    for (const name of STRATEGY_NAMES) expect(strategyTitle(name)).toBeDefined();
    expect(STRATEGY_NAMES.map(strategyRank)).toEqual(STRATEGY_NAMES.map((_, i) => i));
    expect(strategyTitle("mine")).toBeUndefined();
    expect(strategyRank("mine")).toBe(STRATEGY_NAMES.length);
  });
});

describe("an axis of strategies", () => {
  it("is one, FedAvg first, with the options that tell runs of one strategy apart", () => {
    const axes = axesOf(scaffold, fedprox(20), fedadam, fedprox(1), fedavg);
    expect(axes.map(({ name, title, isNumeric }) => [name, title, isNumeric])).toEqual([
      ["strategy", "Strategy", false],
    ]);
    const labels = axes[0].comparisons.map(({ levels }) => levels.map(({ label }) => label));
    expect(labels).toEqual([["FedAvg", "FedProx, μ = 1", "FedProx, μ = 20", "SCAFFOLD", "FedAdam"]]);
    expect(subjectOf(scaffold, fedavg).cases.map(({ title }) => title)).toEqual([
      "wave, FedAvg",
      "wave, SCAFFOLD",
    ]);
  });

  it("stands beside other axes, which compare runs of one strategy", () => {
    const some = (strategy: Settings, own: readonly string[]) =>
      runs({ ...strategy, participation: 0.2 }, [...own, "participation"]);
    const axes = axesOf(
      fedavg,
      scaffold,
      some({}, []),
      some({ strategy: "scaffold", control: "I", server_rate: 1 }, ["strategy"]),
    );
    expect(
      axes.map(({ name, comparisons }) => [
        name,
        comparisons.map(({ title, levels }) => [title, levels.map(({ label }) => label)]),
      ]),
    ).toEqual([
      [
        "strategy",
        [
          ["wave", ["FedAvg", "SCAFFOLD"]],
          ["wave, participation 0.2", ["FedAvg", "SCAFFOLD"]],
        ],
      ],
      [
        "participation",
        [
          ["wave, FedAvg", ["all clients", "participation 0.2"]],
          ["wave, SCAFFOLD", ["all clients", "participation 0.2"]],
        ],
      ],
    ]);
  });

  it("is the option itself where all runs are of one strategy", () => {
    expect(axesOf(fedprox(1), fedprox(20)).map(({ name }) => name)).toEqual(["mu"]);
  });

  it("is named by somebody's own strategy as it is recorded", () => {
    const [{ comparisons }] = axesOf(runs({ strategy: "my_own" }), fedavg);
    expect(comparisons[0].levels.map(({ label }) => label)).toEqual(["FedAvg", "strategy `my_own`"]);
  });
});

describe("differences from FedAvg", () => {
  const points = [1, 2, 3, 6];
  const worse = shifted(scaffold, (seed) => points[seed]);
  const [axis] = axesOf(fedavg, worse);
  const [first, level] = axis.comparisons[0].levels;

  it("are paired by seed", () => {
    const found = differencesBySeed(level, first, 0.1, "test_error");
    found.forEach((value, seed) => {
      expect(value).toBeCloseTo(points[seed], 9);
    });
    // Mean 3, standard deviation sqrt(14 / 3), t of three degrees of freedom.
    const half = (3.182446305284263 * Math.sqrt(14 / 3)) / 2;
    const { mean, low, high, seeds } = differenceFromFirst(level, first, 0.1)!;
    expect([mean, low, high]).toEqual([3, 3 - half, 3 + half].map((value) => expect.closeTo(value, 6)));
    expect(seeds).toBe(4);
  });

  it("are over the seeds that both have", () => {
    const [{ comparisons }] = axesOf(
      fedavg,
      worse.filter(({ seed }) => seed !== 3),
    );
    const [one, other] = comparisons[0].levels;
    expect(differenceFromFirst(other, one, 0.1)).toMatchObject({ seeds: 3, mean: expect.closeTo(2, 9) });
    expect(differenceFromFirst(other, one, 7)).toBeUndefined();
  });

  it("are a table with a row a strategy and a column a concentration, bold where the interval excludes zero", () => {
    const far = shifted(fedadam, (seed) => 5 + 0.1 * seed);
    const [own] = axesOf(fedavg, worse, far);
    const table = differenceTable(own, comparedErrors(own)[0]);
    expect(table.name).toBe("difference-strategy");
    const { header = [], rows } = parseTable(csvTable(table), "csv");
    expect(rows.map(([name]) => name)).toEqual(["FedAvg", "SCAFFOLD", "FedAdam"]);
    const at = header.indexOf("alpha_0.1");
    expect(rows.slice(1).map((row) => Number(row[at]))).toEqual([
      expect.closeTo(3, 9),
      expect.closeTo(5.15, 9),
    ]);
    const lines = markdownTable(table).split("\n");
    expect(lines[2]).toMatch(/^\| FedAvg \| [\d.]+ \([\d.]+\) \|/);
    expect(lines[3]).not.toContain("**");
    expect(lines[4]).toContain("**5.150 (0.129) [4.945, 5.355]**");
  });

  it("are a column of the comparison, which leaves out what all strategies share", () => {
    expect(axisTable(axis).columns.map(({ heading }) => heading)).toEqual([
      ...["Strategy", "α", "Test error (%)", "From FedAvg (pp)", "Excess (pp)", "D_θ", "Seeds"],
    ]);
    const other = worse.map((row) => ({ ...row, h_g_norm: row.h_g_norm * 2 }));
    expect(axisTable(axesOf(fedavg, other)[0]).columns.map(({ heading }) => heading)).toContain("H_g^norm");
  });

  it("are zero where runs differ by round-off alone", () => {
    const same = shifted(scaffold, (seed) => 1e-5 * (seed - 1.5));
    expect(markdownTable(differenceTable(axesOf(fedavg, same)[0], comparedErrors(axis)[0]))).toContain(
      "| SCAFFOLD | 0.000 | 0.000 | 0.000 | 4 |",
    );
  });

  it("are counted in the summary, which names strategies and the lowest error", () => {
    expect(axisSummary(axis)).toMatch(
      /^Strategy: at α = 0.01, the 95 % interval of the difference from FedAvg, .* The lowest mean test error there is [\d.]+ %, with FedAvg\.$/,
    );
    expect(reportSummary(subjectOf(fedavg, worse))[0]).toContain(
      "trained wave by FedAvg and SCAFFOLD for 50 rounds",
    );
    expect(reportSummary(subjectOf(fedavg))[0]).toContain("trained wave by FedAvg for 50 rounds");
  });
});

describe("what is said of many strategies", () => {
  const names = ["fedprox", "scaffold", "fednova", "fedavgm", "fedadam", "fedyogi"];
  const levels = names.map((strategy, i) =>
    shifted(runs({ strategy }), (seed) => (i - 2) * 2 + (i === 2 ? 0 : 0.01 * seed)),
  );
  const sentences = axisFindings(axesOf(fedavg, ...levels)[0]);

  it("is where their intervals lie, and not each number", () => {
    expect(sentences[1]).toMatch(
      /^wave, α = 0.01: the test error is [^%]+ % \(FedAvg\)\. The 95 % interval of the difference from FedAvg, paired over four seeds, lies below zero with FedProx \(−3.985 pp\) and SCAFFOLD \(−1.985 pp\); it lies above zero with FedAvgM \(\+2.015 pp\), FedAdam \(\+4.015 pp\) and FedYogi \(\+6.015 pp\); it includes zero with FedNova \(0.000 pp\)\.$/,
    );
  });

  it("is each number of a few", () => {
    const [, few] = axisFindings(axesOf(fedavg, levels[0])[0]);
    expect(few).toContain("it changes by −3.985 [");
  });

  it("says once what holds of several", () => {
    const { notes } = findings(subjectOf(fedavg, ...levels));
    const rises = notes.filter((note) => note.includes("mean D_sol rises"));
    expect(rises).toHaveLength(1);
    expect(rises[0]).toMatch(/^wave, FedAvg and 6 other cases: /);
    expect(partitionStatisticsFigure(subjectOf(fedavg, ...levels))!.svg).not.toContain("FedProx");
  });
});

describe("clients with models of their own", () => {
  const withClients = (records: readonly SeedRecord[], mean: number, sent: number) =>
    records.map((row) => ({
      ...row,
      client_error_mean: mean + row.seed / 1000,
      client_error_worst: 2 * mean,
      client_error_spread: mean / 4,
      communication: sent,
    }));
  const ditto = runs({ strategy: "ditto", lambda: 1 }, ["strategy"]);

  it("are compared by their errors on their own bins too", () => {
    const subject = subjectOf(withClients(fedavg, 0.1, 4e6), withClients(ditto, 0.08, 4e6));
    expect(comparedErrors(subject.axes[0]).map(({ suffix }) => suffix)).toEqual(["", "-clients"]);
    const tables = reportTables(subject).map(({ name }) => name);
    expect(tables).toEqual(expect.arrayContaining(["difference-strategy", "difference-strategy-clients"]));
    const table = reportTables(subject).find(({ name }) => name === "difference-strategy-clients")!;
    const { header = [], rows } = parseTable(csvTable(table), "csv");
    expect(Number(rows[1][header.indexOf("alpha_0.01")])).toBeCloseTo(-2, 9);
  });

  it("are not where nobody has measured them, or none has a model of its own", () => {
    expect(comparedErrors(axesOf(fedavg, ditto)[0])).toHaveLength(1);
    const [axis] = axesOf(withClients(fedavg, 0.1, 4e6), withClients(scaffold, 0.08, 8e6));
    expect(comparedErrors(axis)).toHaveLength(1);
  });

  it("and what a round sends are columns of the comparison", () => {
    const [axis] = axesOf(withClients(fedavg, 0.1, 4e6), withClients(scaffold, 0.08, 8e6));
    const table = axisTable(axis);
    const { header = [], rows } = parseTable(csvTable(table), "csv");
    const of = (name: string) => rows.map((row) => Number(row[header.indexOf(name)]));
    expect(of("communication_mb")).toEqual([4, 4, 4, 8, 8, 8]);
    expect(of("client_error_worst_percent")[0]).toBeCloseTo(20, 9);
    expect(of("client_error_spread_percent")[0]).toBeCloseTo(2.5, 9);
    expect(table.caption).toContain("errors of clients");
  });
});
