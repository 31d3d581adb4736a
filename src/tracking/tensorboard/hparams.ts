import { bytesFields, textField, wholeField } from "../../files/protobuf/read-protobuf.js";
import {
  double,
  type Message,
  message,
  serialise,
  text,
  whole,
} from "../../files/protobuf/write-protobuf.js";
import type { SettingValue } from "../../records/settings.js";
import type { TrackedEnd } from "../tracker.js";

/** Name of the plugin and of its tags (tensorboard/plugins/hparams/metadata.py). */
export const HPARAMS = "hparams";
export const EXPERIMENT_TAG = "_hparams_/experiment";
export const START_TAG = "_hparams_/session_start_info";
export const END_TAG = "_hparams_/session_end_info";

// Fields of HParamsPluginData, whose version is 0, and of Experiment (plugin_data.proto, api.proto).
const DATA = { experiment: 2, start: 3, end: 4 } as const;
const EXPERIMENT = { hparam: 4, metric: 5, name: 6 } as const;
const HPARAM = { name: 1, type: 4, differs: 7 } as const;

const TYPES = { string: 1, boolean: 2, number: 3 } as const;
type TypeNumber = (typeof TYPES)[keyof typeof TYPES];
const STATUS = { finished: 1, failed: 2, killed: 0 } as const;

/** A hyperparameter of an experiment: the type that all its values have, and whether they differ. */
export interface HyperParameter {
  readonly type: TypeNumber;
  readonly differs: boolean;
}

/** The type under which a value is listed. */
export const typeOf = (value: SettingValue): TypeNumber => TYPES[typeof value as keyof typeof TYPES];
/** What values of several types are listed as. */
export const TEXT_TYPE = TYPES.string;

/** Metrics that the table of runs shows, with what they are called there. */
const METRICS: Readonly<Record<string, string>> = {
  test_error: "test error",
  excess_error: "excess error (pp)",
  train_loss: "training loss",
  "partition/d_sol": "D_sol",
  h_g_norm: "H_g^norm",
  d_theta: "D_theta",
  d_loc: "D_loc",
  client_error_mean: "client error, mean",
  client_error_worst: "client error, worst",
  training_seconds: "seconds of training",
};

/** What all runs have in common: the columns of the table of runs. */
export function experimentData(
  name: string,
  parameters: ReadonlyMap<string, HyperParameter>,
  shown = METRICS,
): Uint8Array {
  const columns = [...parameters].map(([key, { type, differs }]) =>
    message(
      EXPERIMENT.hparam,
      text(HPARAM.name, key),
      whole(HPARAM.type, type),
      differs ? whole(HPARAM.differs, 1) : [],
    ),
  );
  const metrics = Object.entries(shown).map(([tag, title]) =>
    message(EXPERIMENT.metric, message(1, text(2, tag)), text(3, title)),
  );
  return serialise(message(DATA.experiment, ...columns, ...metrics, text(EXPERIMENT.name, name)));
}

/** The hyperparameters of an experiment that was written before. */
export function readExperiment(content: Uint8Array): Map<string, HyperParameter> {
  const columns = bytesFields(content, DATA.experiment).flatMap((one) => bytesFields(one, EXPERIMENT.hparam));
  return new Map(
    columns.map((column) => [
      textField(column, HPARAM.name),
      {
        type: wholeField(column, HPARAM.type) as TypeNumber,
        differs: wholeField(column, HPARAM.differs) === 1,
      },
    ]),
  );
}

/** What a run has of the hyperparameters, and when it began, in milliseconds. */
export function startData(params: Readonly<Record<string, SettingValue>>, started: number): Uint8Array {
  const entries = Object.entries(params).map(([name, value]) =>
    message(1, text(1, name), message(2, jsonValue(value))),
  );
  return serialise(message(DATA.start, ...entries, double(5, started / 1000)));
}

/** A google.protobuf.Value. */
function jsonValue(value: SettingValue): Message {
  if (typeof value === "number") return double(2, value);
  return typeof value === "string" ? text(3, value) : whole(4, value ? 1 : 0);
}

export function endData(status: TrackedEnd["status"], time: number): Uint8Array {
  const number = STATUS[status] === 0 ? [] : whole(1, STATUS[status]);
  return serialise(message(DATA.end, number, double(2, time / 1000)));
}

/** The status that an end says; undefined for one that TensorBoard has no number for. */
export function readEnd(content: Uint8Array): TrackedEnd["status"] | undefined {
  const [end] = bytesFields(content, DATA.end);
  if (end === undefined) return undefined;
  const number = wholeField(end, 1);
  return (Object.keys(STATUS) as TrackedEnd["status"][]).find((name) => STATUS[name] === number);
}
