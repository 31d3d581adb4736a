import { OptionError } from "../errors.js";

import { mlflow } from "./mlflow/mlflow.js";
import { tensorboard } from "./tensorboard/tensorboard.js";
import type { TrackerChoice, TrackerEntry, TrackingContext } from "./tracker.js";

/** Where runs can be logged, by the name that `--track` takes. */
export const TRACKERS: Readonly<Record<string, TrackerEntry>> = { tensorboard, mlflow };

/** "tensorboard[:folder] or mlflow:http://host:port". */
export const TRACKER_USAGE = Object.values(TRACKERS)
  .map(({ usage }) => usage)
  .join(" or ");

const WANDB = "W&B imports TensorBoard folders: --track tensorboard, then `wandb sync <folder>`";

/** Trackers that many know by their letters alone, and the way there from here. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  wandb: WANDB,
  wb: WANDB,
  weightsandbiases: WANDB,
  aim: "Aim imports TensorBoard folders: --track tensorboard, then `aim convert tensorboard --logdir <folder>`",
};

/** Reads the values of `--track`: `tensorboard`, `tensorboard:folder`, `mlflow:http://localhost:5000`. */
export function chosenTrackers(values: readonly string[], context: TrackingContext): TrackerChoice[] {
  const choices = values.map((value) => {
    const [, name, place] = /^([^:]*)(?::(.*))?$/s.exec(value)!;
    const entry = Object.hasOwn(TRACKERS, name) ? TRACKERS[name] : undefined;
    if (entry) return entry.choose(place === "" ? undefined : place, context);
    const known = ELSEWHERE[name.toLowerCase().replace(/[^a-z]/g, "")];
    throw new OptionError(
      `--track takes ${TRACKER_USAGE}, not ${name === "" ? "nothing" : shortened(name)}${known ? `; ${known}` : ""}`,
    );
  });
  const twice = choices.find(({ words }, i) => choices.findIndex((one) => one.words === words) < i);
  if (twice) throw new OptionError(`--track ${twice.words} is given twice`);
  return choices;
}

/** What stands before the colon of an address may be a part of it, and hold a password. */
const shortened = (name: string): string => (/[@/]/.test(name) || name.length > 30 ? "an address" : name);
