import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { finalRecords } from "../../src/analysis/observations.js";
import { mean } from "../../src/analysis/statistics.js";
import { givenStrategy } from "../../src/cli/options/strategy-options.js";
import { trainCommand } from "../../src/cli/train.js";
import { plannedModel } from "../../src/federation/chosen-model.js";
import { completeOptions, type GivenRunOptions, runOptions } from "../../src/federation/run-options.js";
import { SCHEDULE_WORDS } from "../../src/federation/schedule.js";
import { checkLocalParts } from "../../src/federation/strategies/local-parts.js";
import {
  STRATEGIES,
  STRATEGY_NAMES,
  strategyOf,
  strategyOptions,
} from "../../src/federation/strategies/strategies.js";
import { bytesInMemory } from "../../src/files/byte-source.js";
import { readParquet } from "../../src/records/seed-table.js";
import { planStudy } from "../../src/studies/plan.js";
import { readSpecification } from "../../src/studies/read-specification.js";
import { codeBlocks, tableRows } from "./markdown.js";

const ROOT = join(import.meta.dirname, "../..");
const PAGE = readFileSync(join(ROOT, "docs/strategies.md"), "utf8");
const RECORDS = join(ROOT, "docs/results/records/strategy-defaults");
const FOLDER = (name: string) => readFileSync(join(RECORDS, name));
const commands = [...PAGE.matchAll(/^pde-dirichlet (train .*)$/gm)].map(([, words]) => words);

/** What `train` makes of a command line, without training. */
async function optionsOf(words: string): Promise<ReturnType<typeof runOptions>> {
  const args = [...words.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain);
  const command = trainCommand().exitOverride();
  let given: Record<string, unknown> = {};
  command.action((task: string, options: Record<string, unknown>) => {
    given = { ...options, task };
  });
  await command.parseAsync(args.slice(1), { from: "user" });
  const optimizer = { name: String(given.optimizer) };
  return runOptions({ ...given, optimizer, strategy: givenStrategy(given) } as unknown as GivenRunOptions);
}

describe("the page on strategies", () => {
  it("has a row, a section and an example for every strategy, and names all of its options", async () => {
    const used = await Promise.all(commands.map(optionsOf));
    for (const name of STRATEGY_NAMES) {
      expect(PAGE).toMatch(new RegExp(`^### .*\\b${name}\\b`, "m"));
      for (const option of Object.keys(STRATEGIES[name].options))
        expect(PAGE, option).toMatch(new RegExp(`(--${option.replaceAll("_", "-")}|\`${option}\`)`));
    }
    const shown = new Set(used.map(({ strategy }) => strategy?.name ?? "fedavg"));
    expect(STRATEGY_NAMES.filter((name) => !shown.has(name))).toEqual([]);
  });

  it("says of every strategy what it keeps and sends", () => {
    const rows = tableRows(PAGE).filter((row) => "received, sent" in row);
    expect(rows.map(({ Strategy }) => Strategy.slice(1, -1))).toEqual(STRATEGY_NAMES);
    for (const row of rows) {
      const name = row.Strategy.slice(1, -1);
      const run = completeOptions({ task: "antiderivative", alpha: 1 });
      const {
        serverVectors = [],
        clientVectors = [],
        isLocal,
        personal,
        traffic,
      } = strategyOf({
        ...run,
        strategy: strategyOptions({ name }),
      });
      const kept = clientVectors.length + Number(isLocal !== undefined) + Number(personal !== undefined);
      expect([name, row["Vectors at the server"]]).toEqual([name, String(serverVectors.length)]);
      expect([name, Number.parseInt(row["at each client"], 10)]).toEqual([name, kept]);
      const { down, up } = traffic ?? { down: 1, up: 1 };
      expect([name, row["received, sent"]]).toEqual([name, `${down}, ${up}`]);
    }
  });

  it("names parameters that the models have, and last layers among them", () => {
    const tasks = { deeponet: "antiderivative", fno: "darcy", "inversion-net": "flat-velocity" };
    const rows = tableRows(PAGE).filter((row) => "Last layers" in row);
    expect(rows.map(({ Model }) => Model.slice(1, -1))).toEqual(Object.keys(tasks));
    for (const { Model, Parameters, ...row } of rows) {
      const task = tasks[Model.slice(1, -1) as keyof typeof tasks];
      const { layout } = plannedModel(completeOptions({ task, alpha: 1 }));
      for (const [, name] of Parameters.matchAll(/`([^`]+)`/g))
        expect(() => checkLocalParts(layout, name)).not.toThrow();
      const [, last] = /`([^`]+)`/.exec(row["Last layers"])!;
      expect(() => checkLocalParts(layout, last)).not.toThrow();
      const end = layout.at(-1)!.name;
      expect(
        last.split(", ").some((pattern) => new RegExp(`^${pattern.replace("*", ".*")}$`).test(end)),
      ).toBe(true);
    }
  });

  it("has schedules that can be read", () => {
    const rows = tableRows(PAGE).filter((row) => "Schedule" in row);
    const names = rows.flatMap(({ Schedule }) =>
      [...Schedule.matchAll(/`([^`]+)`/g)].map(([, text]) => text),
    );
    expect(names).toHaveLength(5);
    for (const clientSchedule of names)
      expect(() => runOptions({ task: "antiderivative", alpha: 1, clientSchedule })).not.toThrow();
    for (const name of names) expect(SCHEDULE_WORDS).toContain(name.split(":")[0]);
  });

  it("describes the study that compares all strategies", async () => {
    const { runs } = await planStudy(
      readSpecification(readFileSync(join(ROOT, "studies/remedies.yaml"), "utf8"), "remedies"),
    );
    const names = new Set(runs.map(({ options }) => options.strategy?.name ?? "fedavg"));
    expect([...names]).toEqual(STRATEGY_NAMES);
    expect(new Set(runs.map(({ options }) => options.seed)).size).toBe(5);
    expect(new Set(runs.map(({ options }) => options.alpha)).size).toBe(3);
  });

  it("has the defaults that the program has", () => {
    const rows = tableRows(PAGE).filter((row) => "Published" in row);
    expect(rows.length).toBeGreaterThan(5);
    for (const { Option, Ours } of rows) {
      const [strategy, ...options] = [...Option.matchAll(/`([^`]+)`/g)].map(([, text]) => text);
      const ours = options.map((option) => String(STRATEGIES[strategy].options[option].default));
      expect([strategy, Ours]).toEqual([strategy, ours.join(", ")]);
    }
  });
});

describe("what was measured of options", () => {
  const measured = existsSync(join(RECORDS, "records.parquet"))
    ? readParquet(bytesInMemory(new Uint8Array(FOLDER("records.parquet")), "records.parquet")).then(
        finalRecords,
      )
    : undefined;

  it("is of the study beside the records", async () => {
    const { runs } = await planStudy(readSpecification(FOLDER("study.yaml").toString(), "study.yaml"));
    const ids = new Set((await measured!).map(({ run_id }) => run_id));
    expect(runs.map(({ id }) => id).sort()).toEqual([...ids].sort());
  });

  it("stands in the tables as means over seeds, the default in bold", async () => {
    const records = await measured!;
    const means = (
      strategy: string,
      options: Readonly<Record<string, unknown>>,
      column: "test_error" | "client_error_mean",
    ) => {
      const own = records.filter(
        ({ settings }) =>
          (settings.strategy ?? "fedavg") === strategy &&
          Object.entries(options).every(([name, value]) => String(settings[name]) === value),
      );
      const values = [100, 0.1].map((alpha) =>
        own.filter((row) => row.alpha === alpha).map((row) => 100 * row[column]),
      );
      return values.some((some) => some.length === 0)
        ? "–"
        : values.map((some) => mean(some).toFixed(2)).join(" / ");
    };
    const blocks = [...PAGE.matchAll(/<!-- measured: (\w+) -->\n([\s\S]*?)\n<!-- end -->/g)];
    let cells = 0;
    for (const [, strategy, text] of blocks) {
      const column = strategy === "ditto" ? "client_error_mean" : "test_error";
      if (strategy === "fedavg") expect(text).toContain(means("fedavg", {}, column));
      if (strategy === "fedavg" || strategy === "defaults") continue;
      const bold: unknown[] = [];
      for (const { [Object.keys(tableRows(text)[0])[0]]: value, ...row } of tableRows(text)) {
        const leading = Object.keys(tableRows(text)[0])[0].slice(1, -1);
        for (const [heading, cell] of Object.entries(row)) {
          const [, option, other] = /^`(\w+)` (.+)$/.exec(heading) ?? [];
          const options = { [leading]: value, ...(option !== undefined && { [option]: other }) };
          expect([strategy, options, cell.replaceAll("*", "")]).toEqual([
            strategy,
            options,
            means(strategy, options, column),
          ]);
          if (cell.startsWith("**")) bold.push(options);
          cells++;
        }
      }
      const declared = STRATEGIES[strategy].options;
      expect(bold).toHaveLength(1);
      for (const [option, value] of Object.entries(bold[0] as object))
        expect(value).toBe(String(declared[option].default));
    }
    expect(cells).toBeGreaterThan(60);
  });
});

describe("the page on extending", () => {
  it("names every part of a strategy", () => {
    const page = readFileSync(join(ROOT, "docs/extending.md"), "utf8");
    const source = readFileSync(join(ROOT, "src/federation/strategies/strategy.ts"), "utf8");
    const [, body] = /export interface Strategy \{\n([\s\S]*?)\n\}/.exec(source)!;
    const parts = [...body.matchAll(/^ {2}(?:readonly )?(\w+)\??[:(]/gm)].map(([, name]) => name);
    expect(parts.length).toBeGreaterThan(10);
    for (const part of parts) expect(page).toContain(`\`${part}\``);
    expect(codeBlocks(page, "ts").join("\n")).toContain("aggregate({ local, start, mean })");
  });
});
