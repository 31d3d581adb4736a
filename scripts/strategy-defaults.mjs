/**
 * Writes the tables of docs/strategies.md on options of strategies from docs/results/records/strategy-defaults, where the
 * study of that folder left its seed-level records; `--check` only says whether they are up to date. Needs a build.
 *
 *   pde-dirichlet study docs/results/records/strategy-defaults/study.yaml --out out/strategy-defaults
 *   cp out/strategy-defaults/records.parquet docs/results/records/strategy-defaults/
 *   node scripts/strategy-defaults.mjs
 */
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { finalRecords } from "../dist/analysis/observations.js";
import { mean } from "../dist/analysis/statistics.js";
import { STRATEGIES } from "../dist/federation/strategies/strategies.js";
import { readRecords } from "../dist/report/write-report.js";

const PAGE = new URL("../docs/strategies.md", import.meta.url);
const RECORDS = fileURLToPath(new URL("../docs/results/records/strategy-defaults", import.meta.url));
const ALPHAS = [100, 0.1];

const records = finalRecords(await readRecords(RECORDS));

/** Runs of a strategy with some of its options. */
const runsOf = (strategy, options) =>
  records.filter(
    ({ settings }) =>
      (settings.strategy ?? "fedavg") === strategy &&
      Object.entries(options).every(([name, value]) => settings[name] === value),
  );

/** Mean errors in per cent at both alphas: "6.50 / 6.89"; a dash where there is no run. */
function errors(strategy, options, column = "test_error") {
  const runs = runsOf(strategy, options);
  const means = ALPHAS.map((alpha) => {
    const values = runs.filter((run) => run.alpha === alpha).map((run) => 100 * run[column]);
    return values.length === 0 ? "–" : mean(values).toFixed(2);
  });
  return means.every((text) => text === "–") ? "–" : means.join(" / ");
}

const isDefault = (strategy, options) =>
  Object.entries(options).every(([name, value]) => STRATEGIES[strategy].options[name].default === value);

const cell = (strategy, options, column) => {
  const text = errors(strategy, options, column);
  return isDefault(strategy, options) ? `**${text}**` : text;
};

const valuesOf = (strategy, option) => [
  ...new Set(runsOf(strategy, {}).map(({ settings }) => settings[option])),
];

/** A table of the values of one option, or of two. */
function table(strategy, rows, columns, column = "test_error") {
  const across = columns === undefined ? [undefined] : valuesOf(strategy, columns);
  const head = [
    `\`${rows}\``,
    ...across.map((value) => (value === undefined ? "Error (%)" : `\`${columns}\` ${value}`)),
  ];
  const lines = valuesOf(strategy, rows)
    .sort((a, b) => a - b)
    .map((row) => [
      String(row),
      ...across.map((value) =>
        cell(strategy, { [rows]: row, ...(value !== undefined && { [columns]: value }) }, column),
      ),
    ]);
  return [head, ["---", ...across.map(() => "---:")], ...lines]
    .map((cells) => `| ${cells.join(" | ")} |`)
    .join("\n");
}

/** What the papers and the programs of their authors have, for clients with plain SGD. */
const PUBLISHED = [
  ["fedprox", "0.001 to 1", "mu"],
  ["scaffold", "I or II, 1", "control", "server_rate"],
  ["fedavgm", "1, 0.9", "server_rate", "server_momentum"],
  ["fedadagrad", "0.1, 0.001, 0", "server_rate", "tau", "server_beta1"],
  ["fedadam", "0.1, 0.001, 0.9, 0.99", "server_rate", "tau", "server_beta1", "server_beta2"],
  ["fedyogi", "0.01, 0.001, 0.9, 0.99", "server_rate", "tau", "server_beta1", "server_beta2"],
  ["ditto", "0.1 to 1", "lambda"],
];

function defaultsTable() {
  const rows = PUBLISHED.map(([strategy, published, ...options]) => {
    const ours = options.map((option) => STRATEGIES[strategy].options[option].default);
    return `| \`${strategy}\`: ${options.map((option) => `\`${option}\``).join(", ")} | ${published} | ${ours.join(", ")} |`;
  });
  return ["| Option | Published | Ours |", "|---|---|---|", ...rows].join("\n");
}

const TABLES = {
  defaults: defaultsTable(),
  fedavg: `\`fedavg\` has ${errors("fedavg", {})} %.`,
  fedprox: table("fedprox", "mu", "proximal"),
  scaffold: table("scaffold", "server_rate"),
  fedavgm: table("fedavgm", "server_rate", "server_momentum"),
  fedadagrad: table("fedadagrad", "server_rate", "tau"),
  fedadam: table("fedadam", "server_rate", "tau"),
  fedyogi: table("fedyogi", "server_rate", "tau"),
  ditto:
    `${table("ditto", "lambda", undefined, "client_error_mean")}\n\n` +
    `Clients of \`fedavg\` have ${errors("fedavg", {}, "client_error_mean")} %, those of \`local-only\` ` +
    `${errors("local-only", {}, "client_error_mean")} %.`,
};

const before = readFileSync(PAGE, "utf8");
const after = before.replace(
  /(<!-- measured: (\w+) -->\n)[\s\S]*?\n?(<!-- end -->)/g,
  (_, start, name, end) => `${start}\n${TABLES[name]}\n\n${end}`,
);
if (process.argv.includes("--check")) {
  if (after !== before) {
    console.error(
      "docs/strategies.md does not have what was measured: run node scripts/strategy-defaults.mjs",
    );
    process.exitCode = 1;
  }
} else writeFileSync(PAGE, after);
