import { absentWords, settingName, settingWords, strategyWords } from "../../analysis/setting-words.js";
import type { OptionValue } from "../../options/option.js";
import type { StudioSettings } from "../settings.js";
import { MODEL_PREFIX } from "./run-fields.js";
import type { RunChanges } from "./run-list.js";
import { runValues } from "./run-values.js";

/** Settings whose value alone says what they are. */
const ALONE = ["strategy", "optimizer", "partitioner"];

/** What each run is called beside the others: what it has that another one has not. */
export function runNames(settings: StudioSettings, runs: readonly RunChanges[]): readonly string[] {
  const fields = [...new Set(runs.flatMap((run) => Object.keys(run)))];
  const all = runs.map((run) => runValues(settings, run));
  const differing = fields.filter((name) => all.some((values) => values[name] !== all[0][name]));
  return runs.map((run, i) => {
    const told = differing.length > 0 ? differing : Object.keys(run);
    const words = told.flatMap((name) => {
      const value = all[i][name] ?? (name === "strategy" ? "fedavg" : undefined);
      return value === undefined ? [] : [fieldWords(name, value, all[i].strategy)];
    });
    return words.join(", ") || (differing.length > 0 ? absentWords(differing[0]) : "as set");
  });
}

/** A setting with its value: `α = 0.1`, `SCAFFOLD`, `learning rate 0.01`. */
export function fieldWords(name: string, value: OptionValue, strategy?: OptionValue): string {
  if (name === "alpha") return `α = ${value}`;
  if (name === "strategy") return strategyWords({ strategy: String(value) });
  if (ALONE.includes(name)) return settingWords(name, { [name]: value });
  if (name.startsWith(MODEL_PREFIX)) return `model ${name.slice(MODEL_PREFIX.length)} ${value}`;
  return settingWords(name, { [name]: value, ...(strategy !== undefined && { strategy: String(strategy) }) });
}

/** The name of a setting of runs in ordinary words. */
export function fieldName(name: string): string {
  if (name === "alpha") return "α";
  return name.startsWith(MODEL_PREFIX) ? `model ${name.slice(MODEL_PREFIX.length)}` : settingName(name);
}

/** Lists of runs that people compare most often. */
export const PRESETS: readonly { readonly name: string; readonly runs: readonly RunChanges[] }[] = [
  { name: "Three α", runs: [{ alpha: 100 }, { alpha: 0.1 }, { alpha: 0.01 }] },
  {
    name: "Three strategies",
    runs: [{ strategy: "fedavg" }, { strategy: "fedprox", mu: 0.1 }, { strategy: "scaffold" }],
  },
  { name: "Local steps", runs: [{ local_steps: 1 }, { local_steps: 5 }, { local_steps: 20 }] },
  { name: "Participation", runs: [{}, { participation: 0.5 }, { participation: 0.2 }] },
];
