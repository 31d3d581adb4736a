import { basename } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { DataError, OptionError } from "../../../errors.js";
import { writeOutputs } from "../../../files/disk.js";
import type { Attributes } from "../../../files/hdf5.js";
import { writeHdf5 } from "../../../files/hdf5-writer.js";
import { DISK } from "../../../files/store/disk.js";
import type { Dataset, FileArray, Split } from "../../dataset.js";
import type { Fields } from "../../fields.js";
import { isSource } from "../../sources.js";
import { usualData } from "../../usual-data.js";
import { isOwnLayout } from "../array-names.js";
import { type CompleteFileData, wholeReading } from "../data-in-words.js";
import { fileNames } from "../data-paths.js";
import { describeWholeFile, type FileChoice, NO_HASHES } from "../file-data.js";
import { SHA256 } from "../file-hash.js";
import { openFileData } from "../read-file-data.js";
import { arrayOf, ownLayout, writtenType } from "./own-layout.js";

export interface ConvertOptions {
  readonly force?: boolean;
  /** Write float32, whatever the source holds. */
  readonly float32?: boolean;
  /** Told how the file is read, before its samples are. */
  readonly onOpen?: (reading: string, advice?: string) => void;
  /** Samples of arrays that are written, and how many there are. */
  readonly onProgress?: (done: number, total: number) => void;
}

export interface ConvertedFile {
  readonly file: string;
  readonly name: string;
  readonly origin: string;
  readonly train: number;
  readonly test: number;
  readonly inputShape: readonly number[];
  readonly responseShape: readonly number[];
  /** Element types of inputs and responses. */
  readonly dtypes: Readonly<Record<"inputs" | "responses", Fields["dtype"]>>;
  /** Names of the values that each sample has. */
  readonly attributes: readonly string[];
}

/** `test` of a choice that leaves all samples in one half. */
const NO_TEST = "none";

/**
 * Writes the data that a choice names, in a file of any kind or in several, to an HDF5 file in our own layout. The new
 * file describes itself: whoever reads it need not repeat the choice. Samples pass through memory in pieces. `test: "none"`
 * writes one half.
 */
export async function convertFile(
  path: string,
  { test, ...choice }: FileChoice,
  out: string,
  { force, float32 = false, onOpen, onProgress }: ConvertOptions = {},
): Promise<ConvertedFile> {
  if (!/\.(h5|hdf5)$/i.test(out)) throw new OptionError(`--out ends in .h5 or .hdf5, not "${out}"`);
  const isWhole = test === NO_TEST;
  const data = await describeWholeFile(DISK, path, isWhole ? choice : { ...choice, test }, {
    known: usualData,
    isWhole,
    hashing: SHA256,
  });
  onOpen?.(wholeReading(data), data.advice);
  const dataset = await openFileData(DISK, data);
  try {
    const splits: readonly Split[] = isWhole ? ["train"] : ["train", "test"];
    const dtype = float32 ? ("float32" as const) : undefined;
    const total = 2 * (data.train + data.test);
    let done = 0;
    const contents = await ownLayout({
      dataset,
      splits,
      attributes: attributesOf(data),
      groups: await groupsOf(dataset, data, splits),
      dtype,
      usual: usualData(data.task),
      source: path,
      onRead: (samples) => {
        done += samples;
        onProgress?.(done, total);
      },
    });
    const write = async (temporary: string) => {
      await writeHdf5(temporary, contents);
      await checkDescription(temporary, data, isWhole);
    };
    await writeOutputs([{ path: out, write }], { force, inputs: filesOf(data).map(({ file }) => file) });
    const { inputs, responses } = await dataset.read("train");
    return {
      file: out,
      name: data.task,
      origin: originOf(data),
      train: data.train,
      test: data.test,
      inputShape: inputs.shape,
      responseShape: responses.shape,
      dtypes: {
        inputs: writtenType("inputs", inputs, dtype),
        responses: writtenType("responses", responses, dtype),
      },
      attributes: dataset.description.attributes ?? [],
    };
  } finally {
    await dataset.close();
  }
}

/** Files that are read, with their hashes. */
function filesOf({ file, sha256, files, inputs, testing }: CompleteFileData) {
  const second = testing && "file" in testing ? testing : undefined;
  const others = [inputs, second].flatMap((one) =>
    one?.file === undefined ? [] : [{ file: one.file, sha256: one.sha256! }],
  );
  return [...(files ?? [{ file, sha256 }]), ...others];
}

/** Bytes of a list of texts up to which HDF5 keeps it as an attribute. */
const MOST_BYTES = 60_000;

function attributesOf(data: CompleteFileData): Attributes {
  const { task, title, seed, parameters, group } = data;
  const sources = filesOf(data);
  const isShort = sources.length * 64 + sources.reduce((sum, { file }) => sum + file.length, 0) < MOST_BYTES;
  return {
    format: "pde-dirichlet/dataset/1",
    [isSource(task) ? "task" : "name"]: task,
    ...(usualData(task)?.title !== title && { title }),
    origin: originOf(data),
    seed,
    ...parameters,
    ...(group !== undefined && { group }),
    ...(isShort && {
      source_files: sources.map(({ file }) => basename(file)),
      source_sha256: sources.map(({ sha256 }) => sha256),
    }),
  };
}

/** Digits of a hash in a sentence; the attribute `source_sha256` has all of them. */
const SHOWN_DIGITS = 16;

/** `converted from ns.mat (SHA-256 41c3...): inputs a, responses u[..., -1]`, after what the file itself says. */
function originOf(data: CompleteFileData): string {
  const { origin, sha256, inputs, responses } = data;
  const names = fileNames(DISK, data.file);
  const isUnsaid = origin === "unknown" || origin === `from ${names}`;
  const called = ({ array, file }: FileArray) => `${file === undefined ? "" : basename(file)}${array ?? ""}`;
  const isOwn =
    inputs.array !== undefined &&
    responses.array !== undefined &&
    isOwnLayout({ inputs: inputs.array, responses: responses.array });
  const chosen = isOwn
    ? ""
    : `: ${[
        `inputs ${called(inputs)}`,
        ...(called(responses) === "" ? [] : [`responses ${called(responses)}`]),
      ].join(", ")}`;
  const converted = `converted from ${names} (SHA-256 ${sha256.slice(0, SHOWN_DIGITS)}...)${chosen}`;
  return isUnsaid ? converted : `${origin}; ${converted}`;
}

/** The group of each sample where the samples have no such attribute; those of the test half have numbers of their own. */
async function groupsOf(
  dataset: Dataset,
  { group, attributes = {} }: CompleteFileData,
  splits: readonly Split[],
) {
  if (group === undefined || attributes[group] !== undefined) return undefined;
  const train = (await dataset.groups?.("train")) ?? new Int32Array(0);
  const test = splits.includes("test") ? ((await dataset.groups?.("test")) ?? new Int32Array(0)) : train;
  const first = train.reduce((most, one) => Math.max(most, one + 1), 0);
  return { name: group, of: { train, test: test.map((one) => first + one) } };
}

/** Refuses a converted file that would be read otherwise than its source. */
async function checkDescription(file: string, data: CompleteFileData, isWhole: boolean): Promise<void> {
  const found = await describeWholeFile(DISK, file, {}, { known: usualData, isWhole, hashing: NO_HASHES });
  const said = ({ task, title, seed, parameters, group, train, test, ...one }: CompleteFileData) => ({
    ...{ name: task, title, seed, parameters, group, train, test },
    inputs: arrayOf(one.inputs),
    responses: arrayOf(one.responses),
  });
  const [before, after] = [said(data), said(found)] as const;
  const differs = (Object.keys(before) as (keyof typeof before)[]).find(
    (key) => !isDeepStrictEqual(before[key], after[key]),
  );
  if (differs === undefined) return;
  const option = differs === "inputs" ? "--input-axes" : "--axes";
  throw new DataError(
    `${data.file} cannot be converted: its ${differs} would be read as ${JSON.stringify(after[differs])}, not ` +
      `${JSON.stringify(before[differs])}: name the axes with ${option}`,
  );
}
