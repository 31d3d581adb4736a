import type { FileData } from "../../datasets/dataset.js";
import { type Fields, fieldSize, type LabelledFields } from "../../datasets/fields.js";
import { fieldsSha256, openData } from "../../datasets/files/open.js";
import { DataError } from "../../errors.js";
import { checkSameData, type GivenPartition, readGivenPartition } from "../../exchange/given-clients.js";
import type { AssignmentFile, GivenClients } from "../../partition/partitioner.js";

/** Training samples, and how many there are of either kind. */
interface Training {
  readonly data?: FileData | undefined;
  readonly train: LabelledFields;
  readonly counts: { readonly train: number; readonly test: number };
}

/**
 * Clients of the training samples by a partition of these alone, or of all samples of a file. A partition of ours must have
 * been made from these very samples.
 */
export async function trainingClients(
  given: GivenPartition,
  file: AssignmentFile,
  training: Training,
): Promise<GivenClients> {
  const { data, train, counts } = training;
  const { clientOfSample, clientNames } = await ofAllSamples(given, file, training);
  const rows = trainingRows(clientOfSample.length, training);
  if (!rows)
    throw new DataError(
      `${file.file} states the clients of ${clientOfSample.length} samples, but ${counts.train} are there for training` +
        optionsOf(given, data),
    );
  if (given.own) {
    if (data) await checkSameSamples(given, file, { data, responses: train.responses, rows });
    else checkSameData(given, await fieldsSha256(train.responses), file, "the generated data");
  }
  return { clientOfSample: Int32Array.from(rows, (row) => clientOfSample[row]), clientNames };
}

/** Clients of all samples that a partition speaks of. Lists of samples may leave out the last ones. */
async function ofAllSamples(
  given: GivenPartition,
  file: AssignmentFile,
  { data, counts: { train, test } }: Training,
): Promise<GivenClients> {
  const { length } = given.clientOfSample;
  const range = rangeOf(data);
  const all = train + (range ? test : 0);
  if (given.own || length === train || length >= all) return given;
  if (range && range[1] < all && length < train)
    throw new DataError(
      `${file.file} names samples up to ${length - 1}: of the ${train} training samples, or of all ${all}? Name the last one, too`,
    );
  return readGivenPartition(file, length < train ? train : all);
}

/** Rows of a partition that are training samples; undefined where their numbers do not fit. */
function trainingRows(
  length: number,
  { data, counts: { train, test } }: Training,
): readonly number[] | undefined {
  const range = rangeOf(data);
  const rows = Array.from({ length }, (_, row) => row);
  if (length === train) return rows;
  if (!range || length !== train + test) return undefined;
  return rows.filter((row) => row < range[0] || row >= range[1]);
}

const rangeOf = (data: FileData | undefined): readonly [number, number] | undefined =>
  data?.testing && "range" in data.testing ? data.testing.range : undefined;

/**
 * Refuses a partition of ours that was made from other responses, or from other samples than those trained on. Training may
 * order the axes of a sample otherwise, so samples are compared by their extremes.
 */
async function checkSameSamples(
  given: GivenPartition,
  { file, ...rest }: AssignmentFile,
  training: { readonly data: FileData; readonly responses: Fields; readonly rows: readonly number[] },
): Promise<void> {
  const opened = await openData(training.data.file, {}, given.own!.file.data);
  try {
    const hashed = opened.hashedResponses();
    const partitioned = await extremesOf(hashed.fields);
    checkSameData(given, await hashed.sha256(), { file, ...rest }, training.data.file);
    const trained = await extremesOf(training.responses);
    const isSame = (row: number, i: number) =>
      [0, 1].every((side) => partitioned[2 * row + side] === trained[2 * i + side]);
    const other = training.rows.findIndex((row, i) => !isSame(row, i));
    if (other >= 0)
      throw new DataError(
        `${file} was made from other samples or responses than those trained on (training sample ${other} differs` +
          `${optionsOf(given, training.data)}): partition these, or export the clients (--format csv) if the samples are the same`,
      );
  } finally {
    await opened.close();
  }
}

/** The options by which a partition of ours read its data, where training reads them otherwise; "" elsewhere. */
function optionsOf({ own }: GivenPartition, data: FileData | undefined): string {
  if (!own || !data) return "";
  const { inputs, responses, sample_axis, window_step, layouts = [] } = own.file.data;
  const isPlain = layouts.length === 0 && (data.layouts ?? []).length > 0;
  const named = (which: "inputs" | "responses") => (data[which] ? data[which].array : `/train/${which}`);
  const options = [
    ["--inputs", inputs, named("inputs")],
    ["--responses", responses, named("responses")],
    ["--sample-axis", sample_axis, data.sampleAxis],
    ["--window-step", window_step, data.windowStep ?? 1],
    ["--layout", isPlain ? "plain" : undefined, undefined],
  ].flatMap(([flag, noted, read]) => (noted == null || noted === read ? [] : [`${flag} "${noted}"`]));
  return options.length === 0 ? "" : `; its options were ${options.join(" ")}`;
}

/** Numbers that are read at once. */
const SLICE_NUMBERS = 1 << 21;

/** Smallest and largest number of every sample. */
async function extremesOf(fields: Fields): Promise<Float64Array> {
  const size = fieldSize(fields);
  const step = Math.max(1, Math.floor(SLICE_NUMBERS / size));
  const found = new Float64Array(2 * fields.samples);
  for (let start = 0; start < fields.samples; start += step) {
    const end = Math.min(start + step, fields.samples);
    const values = await fields.read(start, end);
    for (let sample = start; sample < end; sample++) {
      let [smallest, largest] = [Infinity, -Infinity];
      for (let i = (sample - start) * size; i < (sample - start + 1) * size; i++) {
        if (values[i] < smallest) smallest = values[i];
        if (values[i] > largest) largest = values[i];
      }
      found[2 * sample] = smallest;
      found[2 * sample + 1] = largest;
    }
  }
  return found;
}
