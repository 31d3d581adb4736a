// Writes the tables of options in docs/studies.md from their declarations; `--check` only says whether they are up to date.
import { readFileSync, writeFileSync } from "node:fs";
import { SOURCES } from "../dist/datasets/sources.js";
import {
  ENGINE_OPTIONS,
  FEDERATION_OPTIONS,
  SCALING_OPTIONS,
} from "../dist/federation/federation-options.js";
import { OPTIMIZERS } from "../dist/federation/optimizer-options.js";
import { STRATEGIES } from "../dist/federation/strategies/strategies.js";
import { MODELS } from "../dist/models/models.js";
import { givable } from "../dist/options/option.js";
import { optionTable } from "../dist/options/option-table.js";
import { PARTITION_OPTIONS } from "../dist/partition/partition-options.js";
import { PARTITIONERS } from "../dist/partition/partitioners.js";

const PAGE = new URL("../docs/studies.md", import.meta.url);
const withoutAlpha = ({ options: { alpha: _, ...options } }) => givable(options);

const ofEach = (entries, options) =>
  Object.entries(entries)
    .filter(([, entry]) => Object.keys(options(entry)).length > 0)
    .map(([name, entry]) => `**${name}**\n\n${optionTable(options(entry), "", { flags: false })}`)
    .join("\n\n");

const TABLES = {
  federation: optionTable(FEDERATION_OPTIONS, "federation."),
  partition: optionTable(PARTITION_OPTIONS, "partition."),
  run: optionTable({ ...SCALING_OPTIONS, ...ENGINE_OPTIONS }),
  partitioners: ofEach(PARTITIONERS, withoutAlpha),
  optimizers: ofEach(OPTIMIZERS, ({ options }) => options),
  strategies: ofEach(STRATEGIES, ({ options }) => options),
  models: ofEach(MODELS, ({ options }) => options),
  parameters: ofEach(SOURCES, ({ parameters }) => parameters),
};

const before = readFileSync(PAGE, "utf8");
const after = before.replace(
  /(<!-- options: (\w+) -->\n)[\s\S]*?(\n<!-- end -->)/g,
  (_, start, name, end) => `${start}\n${TABLES[name]}\n${end}`,
);
if (process.argv.includes("--check")) {
  if (after !== before) {
    console.error("docs/studies.md does not have the declared options: run node scripts/option-tables.mjs");
    process.exitCode = 1;
  }
} else writeFileSync(PAGE, after);
