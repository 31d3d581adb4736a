import { FormatError } from "../../errors.js";
import type { Dataset, DatasetDescription, FileData, Split } from "../dataset.js";
import { type Fields, fieldsInMemory, type LabelledFields, type LabelledFile } from "../fields.js";
import { isSource, SOURCE_NAMES } from "../sources.js";
import { usualData } from "../usual-data.js";
import type { ArrayAxes } from "./array-axes.js";
import { isOwnLayout } from "./array-names.js";
import { type CompleteFileData, wholeReading } from "./data-in-words.js";
import { describeWholeFile, type FileChoice } from "./file-data.js";
import { openData } from "./open.js";
import { coordinatesOf, descriptionOf, type OpenFileOptions, openFileData } from "./read-file-data.js";

export type { FileChoice } from "./file-data.js";
export { fileSha256 } from "./file-hash.js";

/**
 * Describes the data of an HDF5, NPZ or NPY file of any shape, without reading its samples. Refuses arrays that can be
 * read in two ways, with the option that decides.
 */
export async function describeFile(path: string, choice: FileChoice = {}): Promise<FileData> {
  return concise(await describeWholeFile(path, choice, { known: usualData }), choice);
}

/** Leaves out what our own layout and the source of the data say anyway: such records stay as they were. */
function concise(data: CompleteFileData, { channels, axes, inputAxes }: FileChoice): FileData {
  const { title, inputs, responses, testing, coordinates: _, attributes: __, ...rest } = data;
  const usual = usualData(data.task);
  const says = usual && [
    usual.title,
    ...[usual.inputs, usual.responses].flatMap(({ label, unit }) => [label, unit]),
  ];
  const said = [title, ...[inputs, responses].flatMap(({ label, unit }) => [label, unit])];
  const isUsual =
    says?.every((word, i) => word === said[i]) === true &&
    isOwnLayout({ inputs: inputs.array ?? "", responses: responses.array ?? "" }) &&
    testing === undefined &&
    channels !== "none" &&
    (axes ?? inputAxes) === undefined;
  return isUsual ? rest : data;
}

/** The whole description, with what a record may leave out. */
async function complete(data: FileData): Promise<CompleteFileData> {
  const { title, inputs, responses } = data;
  if (title !== undefined && inputs && responses) return { ...data, title, inputs, responses };
  const choice = { name: data.task, sampleAxis: data.sampleAxis };
  const whole = await describeWholeFile(data.file, choice, {
    known: usualData,
    layouts: data.layouts ?? [],
    recorded: data.channels ?? "first",
    hash: async () => data.sha256, // checked by whoever reads the samples
  });
  return { ...whole, ...data, title: whole.title, inputs: whole.inputs, responses: whole.responses };
}

/** How the data of a file are read, in one line. */
export async function readingInWords(data: FileData): Promise<string> {
  return wholeReading(await complete(data));
}

/** What is known of a file's data, and where their axes' points lie; no sample is read. */
export async function describeData(
  data: FileData,
): Promise<Pick<Dataset, "coordinates"> & { readonly description: DatasetDescription }> {
  const whole = await complete(data);
  return { description: descriptionOf(whole), coordinates: await coordinatesOf(whole) };
}

/** The data of a file; refuses a file that has changed since it was described. */
export async function openDataset(data: FileData, options: OpenFileOptions = {}): Promise<Dataset> {
  return openFileData(await complete(data), options);
}

/** The data of a file with both halves in memory. */
export async function readFileData(
  data: FileData,
): Promise<Dataset & Readonly<Record<Split, LabelledFields>>> {
  const dataset = await openDataset(data);
  const closing = async <T>(found: Promise<T>): Promise<T> => found.finally(() => dataset.close());
  const half = async (split: Split) => closing(dataset.read(split).then(heldInMemory));
  return {
    ...dataset,
    attributes: (split) => closing(dataset.attributes(split)),
    train: await half("train"),
    test: await half("test"),
  };
}

/** Both arrays of a half in memory. */
export async function heldInMemory({ inputs, responses }: LabelledFields): Promise<LabelledFields> {
  const held = async (fields: Fields) =>
    fieldsInMemory(await fields.read(0, fields.samples), fields.samples, fields.shape);
  return { inputs: await held(inputs), responses: await held(responses) };
}

/** Describes a file that holds data of a task, in our own layout with both halves. */
export async function describeLabelledFile(path: string, axes: ArrayAxes = {}): Promise<LabelledFile> {
  const own = { inputs: "/train/inputs", responses: "/train/responses" };
  const data = await describeFile(path, { ...axes, ...own });
  if (!isSource(data.task))
    throw new FormatError(
      `${path} is not data of a task: it calls itself ${JSON.stringify(data.task)}, not one of ${SOURCE_NAMES.join(", ")}`,
    );
  if (data.testing !== undefined)
    throw new FormatError(`${path} has no dataset /test/inputs and /test/responses`);
  return data;
}

/** How the arrays of a file are trained on, in one line. */
export const labelledReading = (data: LabelledFile): Promise<string> => readingInWords(data);

/** One half of a file in our own layout, in memory. */
export async function readHalf(path: string, half: Split): Promise<LabelledFields> {
  const data = await openData(path, { responses: `/${half}/responses`, inputs: `/${half}/inputs` });
  try {
    return await heldInMemory({ inputs: data.inputs!, responses: data.responses });
  } finally {
    await data.close();
  }
}
