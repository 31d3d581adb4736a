import { DataError, FormatError, UserError } from "../../errors.js";
import { DISK } from "../../files/store/disk.js";
import type { Dataset, DatasetDescription, FileData, Split } from "../dataset.js";
import { type Fields, fieldsInMemory, type LabelledFields, type LabelledFile } from "../fields.js";
import { isSource, SOURCE_NAMES } from "../sources.js";
import { usualData } from "../usual-data.js";
import type { ArrayAxes } from "./array-axes.js";
import { chooseArrays, isOwnLayout, isSameName } from "./array-names.js";
import { selectionsIn } from "./arrays/chosen.js";
import { type CompleteFileData, wholeReading } from "./data-in-words.js";
import { dataPaths } from "./data-paths.js";
import { describeWholeFile, type FileChoice, NO_HASHES } from "./file-data.js";
import { fileSha256, joinedSha256, SHA256 } from "./file-hash.js";
import { openData } from "./open.js";
import { type NotedNames, repeated } from "./opened-data.js";
import { coordinatesOf, descriptionOf, openFileData } from "./read-file-data.js";
import { openArrayFiles } from "./several-files.js";

export type { FileChoice } from "./file-data.js";
export { fileSha256 } from "./file-hash.js";

/**
 * Describes the data of an HDF5, NPZ or NPY file of any shape, without reading its samples. Refuses arrays that can be
 * read in two ways, with the option that decides.
 *
 * @param layouts conventions that a record names; by default those that the file follows
 */
export async function describeFile(
  path: string,
  choice: FileChoice = {},
  layouts?: readonly string[],
): Promise<FileData> {
  const context = { known: usualData, hashing: SHA256, layouts };
  return concise(await describeWholeFile(DISK, path, choice, context), choice);
}

/** Describes a file by what is asked for, completed by what a partition of the same data notes. */
export async function describeFileAsNoted(
  path: string,
  choice: FileChoice,
  noted: NotedNames,
): Promise<FileData> {
  if (choice.window !== undefined || !(await repeats(path, choice, noted))) return describeFile(path, choice);
  const { choice: arrays, layouts } = repeated(DISK, path, choice, noted);
  const [channels, group] = [choice.channels ?? noted.channels, choice.group ?? noted.group];
  const completed = { ...choice, ...arrays, ...(channels && { channels }), ...(group && { group }) };
  return describeFile(path, completed, layouts);
}

/**
 * Whether a partition's arrays are to be taken: the file has them, and they are not those that it is read by anyway. A
 * partition of some of the samples says nothing of the others, which then are for testing.
 */
async function repeats(path: string, choice: FileChoice, noted: NotedNames): Promise<boolean> {
  const names = [noted.inputs, noted.responses].flatMap((text) => (text ? [text] : []));
  const file = await openArrayFiles(DISK, path, {
    layouts: noted.layouts ?? [],
    sampleAxis: noted.sample_axis,
  });
  try {
    const present = await file.list();
    if (present.some(({ name }) => name === "")) return true; // inputs are another file
    const isThere = (text: string) =>
      selectionsIn(present, text).every(({ name }) => present.some((one) => isSameName(one.name, name)));
    if (!names.every(isThere)) return false;
    const isAsked = (choice.inputs ?? choice.responses ?? choice.sampleAxis ?? choice.layout) !== undefined;
    const isCut = names.some((text) => wholeSamples(text) !== text);
    if (isAsked || !isCut) return true;
    const usual = await chooseArrays(file, {}, { needsInputs: true }).catch(refused);
    return usual?.inputs !== wholeSamples(noted.inputs) || usual?.responses !== wholeSamples(noted.responses);
  } finally {
    await file.close();
  }
}

/** An array without a slice that chooses samples alone: `u` of `u[:100]`. */
const wholeSamples = (text: string | null | undefined): string | undefined =>
  text?.replace(/\[[^\],]*\]$/, "");

/** Nothing where a file cannot be read without names; its error is the user's later. */
function refused(error: unknown): undefined {
  if (!(error instanceof UserError)) throw error;
  return undefined;
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
  const whole = await describeWholeFile(DISK, data.file, choice, {
    known: usualData,
    layouts: data.layouts ?? [],
    recorded: data.channels ?? "first",
    hashing: NO_HASHES, // those of the record are taken below
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
  return { description: descriptionOf(whole), coordinates: await coordinatesOf(DISK, whole) };
}

/** The data of a file; refuses a file that has changed since it was described. */
export async function openDataset(
  data: FileData,
  { isUnchanged = false }: OpenFileOptions = {},
): Promise<Dataset> {
  const whole = await complete(data);
  if (!isUnchanged) await checkUnchanged(whole);
  return openFileData(DISK, whole);
}

export interface OpenFileOptions {
  /** Whether the file's bytes are known to be those described, so that they need not be hashed again. */
  readonly isUnchanged?: boolean;
}

/** Refuses files whose bytes are others than those described. */
async function checkUnchanged({ file, sha256, files, inputs, testing }: CompleteFileData): Promise<void> {
  const second = testing && "file" in testing ? testing : undefined;
  for (const one of [...(files ?? [{ file, sha256 }]), inputs, second]) {
    if (one?.file === undefined) continue;
    const found = joinedSha256(await Promise.all(dataPaths(DISK, one.file).map(fileSha256)));
    if (found !== one.sha256)
      throw new DataError(
        `${one.file} has changed since the run was planned; start a new run in another folder`,
      );
  }
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
