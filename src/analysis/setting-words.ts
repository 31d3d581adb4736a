import { type Settings, type SettingValue, UNKNOWN_OPTIONS } from "../records/settings.js";
import { verbatim } from "./notation.js";
import { strategyOf, strategyTitle } from "./strategy-names.js";

/** Names of settings in words, where these are not the recorded name with spaces. */
const NAMES: Readonly<Record<string, string>> = {
  clients: "number of clients",
  optimizer: "optimiser",
  rate: "learning rate",
  batch: "batch size",
  width: "model width",
  depth: "model depth",
  min_size: "smallest client",
  train: "training samples",
  test: "test samples",
  tf32: "TF32",
  mu: "μ",
  lambda: "λ",
  tau: "τ",
  server_beta1: "server β_1",
  server_beta2: "server β_2",
  local: "local parameters",
  local_steps_min: "fewest local steps",
  [UNKNOWN_OPTIONS]: "unknown options",
};

/** Settings that are called by a letter: "μ = 0.1". */
const SYMBOLS: readonly string[] = ["mu", "lambda", "tau", "server_beta1", "server_beta2"];

/** Values that stand before the noun: "20 clients". */
const COUNTED: Readonly<Record<string, string>> = {
  clients: "client",
  rounds: "round",
  threads: "thread",
  train: "training sample",
  test: "test sample",
};

const OPTIMIZERS: Readonly<Record<string, string>> = { adam: "Adam", sgd: "SGD" };

/** The name of a setting in ordinary words: "model width", "local steps". */
export function settingName(name: string): string {
  return (
    NAMES[name] ?? plain(name.replaceAll("_", " ").replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`))
  );
}

/** What runs have that lack a setting, where that has a name: records do not state the paper's choices. */
const ABSENT: Readonly<Record<string, string>> = {
  partitioner: "partitioner dirichlet",
  strategy: "FedAvg",
  participation: "all clients",
  sampling: "sampling uniform",
  local: "no local parameters",
  client_schedule: "client schedule constant",
  server_schedule: "server schedule constant",
  dropout: "dropout 0",
  weights: "weights size",
  local_steps_min: "all local steps",
  local_epochs: "local steps",
  representation: "representation field",
  standardise: "standardise arrays",
  cost: "cost l2",
};

/** A level of an axis whose runs lack the setting. */
export const absentWords = (name: string): string => ABSENT[name] ?? `no ${settingName(name)}`;

/** A setting with its value in ordinary words: "model width 16", "20 clients", "viscosity 0.05", "momentum SGD". */
export function settingWords(name: string, settings: Settings): string {
  const value = settings[name];
  if (value === undefined) return "";
  if (name === "optimizer") return optimizerWords(settings);
  if (name === "strategy") return strategyWords(settings);
  if (typeof value === "number" && name in COUNTED)
    return `${value} ${COUNTED[name]}${value === 1 ? "" : "s"}`;
  if (typeof value === "boolean") return value ? settingName(name) : `no ${settingName(name)}`;
  return `${settingName(name)}${SYMBOLS.includes(name) ? " =" : ""} ${valueText(value)}`;
}

function optimizerWords({ optimizer, momentum }: Settings): string {
  if (optimizer === "sgd" && momentum !== 0 && momentum !== undefined) return "momentum SGD";
  return OPTIMIZERS[String(optimizer)] ?? plain(String(optimizer));
}

/** The strategy that runs were trained with: "SCAFFOLD", "FedAvg" where nothing is said. */
export function strategyWords(settings: Settings): string {
  const name = strategyOf(settings);
  return strategyTitle(name) ?? `strategy ${plain(name)}`;
}

function valueText(value: SettingValue): string {
  return typeof value === "string" ? plain(value) : String(value);
}

/** Text whose signs mean nothing in our notation. */
function plain(text: string): string {
  return /[_^$`]/.test(text) ? verbatim(text) : text;
}
