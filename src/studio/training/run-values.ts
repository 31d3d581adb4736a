import { OPTIMIZERS } from "../../federation/optimizer-options.js";
import { DEFAULT_STRATEGY, STRATEGIES } from "../../federation/strategies/strategies.js";
import type { Options, OptionValue } from "../../options/option.js";
import { PARTITIONERS, takesAlpha } from "../../partition/partitioners.js";
import type { StudioSettings } from "../settings.js";
import { MODEL_PREFIX } from "./run-fields.js";
import type { RunChanges } from "./run-list.js";

/** Values of settings of runs by name, as `RUN_FIELDS` has them. What is left out has its usual value. */
export type RunValues = Readonly<Record<string, OptionValue | undefined>>;

/** Entries that one setting of a run names, and that have options of their own. */
const CHOICES: Readonly<
  Record<
    string,
    { readonly usual: string; readonly entries: Readonly<Record<string, { readonly options: Options }>> }
  >
> = {
  partitioner: { usual: "dirichlet", entries: PARTITIONERS },
  strategy: { usual: DEFAULT_STRATEGY, entries: STRATEGIES },
  optimizer: { usual: "adam", entries: OPTIMIZERS },
};

/** What a run has: the settings of the page, and in their place what the run changes. */
export function runValues(settings: StudioSettings, run: RunChanges): RunValues {
  const { alpha, clients, seed, bins, min_size, repair, partitioner, split, local_steps, batch, training } =
    settings;
  const page: RunValues = {
    ...{ alpha, clients, seed, bins, repair, partitioner, ...split },
    ...(min_size > 0 && { min_size }),
    local_steps,
    ...(batch > 0 && { batch }),
    ...training,
  };
  const values: Record<string, OptionValue | undefined> = { ...page, ...run };
  const drop = (isStray: (name: string) => boolean) => {
    for (const name of Object.keys(values))
      if (!Object.hasOwn(run, name) && isStray(name)) delete values[name];
  };
  // Options of another strategy, say, than the run has: the page's are not for it.
  for (const [name, { usual, entries }] of Object.entries(CHOICES)) {
    const own = entries[String(values[name] ?? usual)]?.options;
    drop(
      (option) => Object.values(entries).some(({ options }) => option in options) && !(own && option in own),
    );
  }
  if (run.model !== undefined && run.model !== page.model) drop((name) => name.startsWith(MODEL_PREFIX));
  if (values.local_epochs !== undefined) drop((name) => name === "local_steps");
  if (run.local_steps !== undefined) drop((name) => name === "local_epochs");
  return values;
}

/** Whether a run has a concentration. */
export const hasAlpha = ({ partitioner = "dirichlet" }: RunValues): boolean =>
  takesAlpha(String(partitioner));
