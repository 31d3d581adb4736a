import { OptionError, UndecidedError, UserError } from "../../errors.js";
import type { NamedShape } from "../../files/name-list.js";
import type { ElementType } from "../../files/ndarray.js";
import type { FileStore } from "../../files/store/file-store.js";
import { usualData } from "../usual-data.js";
import type { ArrayFile } from "./array-file.js";
import { isSameName, plainName } from "./array-names.js";
import { parseSelections } from "./arrays/expression.js";
import { axisNameOf, coordinateArrays, isTime } from "./coordinate-arrays.js";
import { arrayInWords, type CompleteFileData, wholeReading } from "./data-in-words.js";
import { dataPaths } from "./data-paths.js";
import { describeWholeFile, type FileChoice, NO_HASHES } from "./file-data.js";
import { FORMATS } from "./formats.js";
import { type InspectedChoice, nextChoices } from "./inspection/next-choices.js";
import { LAYOUTS } from "./layouts.js";
import { meshAdvice } from "./mesh-advice.js";
import { openedData } from "./opened-data.js";
import { openArrayFiles } from "./several-files.js";

/** An array of a file, and what it is taken for. */
export interface InspectedArray {
  readonly name: string;
  readonly shape?: readonly number[];
  readonly dtype?: ElementType;
  /** `inputs: 1 channel on 64 x 64`, `coordinates of x`; undefined where nothing tells. */
  readonly role?: string;
  /** Why it cannot be read. */
  readonly problem?: string;
}

/** What a file holds and what the program makes of it. */
export interface Inspection {
  readonly file: string;
  readonly files: number;
  readonly bytes: number;
  /** `HDF5`, `MATLAB 5 to 7.2`. */
  readonly format: string;
  /** Conventions that the file follows, in words. */
  readonly layouts: readonly string[];
  readonly arrays: readonly InspectedArray[];
  /** Attributes of the file with one number or word: parameters of the data, if they are any. */
  readonly attributes: Readonly<Record<string, number | string>>;
  /** How `train` reads the file; undefined where it cannot. */
  readonly reading?: string;
  /** What must be said first: the line with which `train` and `partition` refuse the file. */
  readonly questions: readonly string[];
  readonly advice?: string;
  /** Choices that fit the file, the likeliest first; empty where nothing needs to be chosen. */
  readonly choices: readonly InspectedChoice[];
  /** Whether data can be trained on, or at least partitioned, with the first of the choices. */
  readonly canTrain: boolean;
  readonly canPartition: boolean;
}

/** Looks into a file of arrays, or into several as one. No sample is read. */
export async function inspection(
  store: FileStore,
  path: string,
  choice: FileChoice = {},
): Promise<Inspection> {
  const paths = dataPaths(store, path);
  const file = await openArrayFiles(store, path, {
    sampleAxis: choice.sampleAxis,
    layouts: choice.layout === "plain" ? [] : undefined,
  });
  try {
    const present = await file.list();
    const sizes = await Promise.all(paths.map((one) => sizeOf(store, one)));
    const trained = await asked(() =>
      describeWholeFile(store, path, choice, { known: usualData, hashing: NO_HASHES }),
    );
    const partitioned = await asked(() => partitionReading(store, path, choice));
    const mesh = meshAdvice(present);
    const data = "found" in trained ? trained.found : undefined;
    const advice = mesh?.line ?? data?.advice;
    return {
      file: path,
      files: paths.length,
      bytes: sizes.reduce((sum, size) => sum + size, 0),
      format: FORMATS.find(({ name }) => name === file.format)?.title ?? file.format,
      layouts: LAYOUTS.flatMap(({ name, words }) => (file.layouts?.includes(name) ? [words] : [])),
      arrays: present.map((array) => inspected(array, present, data)),
      attributes: plainAttributes(file),
      ...(data && { reading: wholeReading(data) }),
      questions: "question" in trained ? questionsOf(trained.question, path, advice) : [],
      ...(advice !== undefined && { advice }),
      choices:
        "question" in trained ? await nextChoices(file, choice, { mesh, undecided: trained.choices }) : [],
      canTrain: data !== undefined,
      canPartition: "found" in partitioned,
    };
  } finally {
    await file.close();
  }
}

type Answer<T> =
  | { readonly found: T }
  | { readonly question: string; readonly choices?: readonly InspectedChoice[] };

/** A result, or the line that refuses it. */
async function asked<T>(find: () => Promise<T>): Promise<Answer<T>> {
  try {
    return { found: await find() };
  } catch (error) {
    if (!(error instanceof UserError) || error instanceof OptionError) throw error; // what is asked for cannot be
    return {
      question: error.message,
      ...(error instanceof UndecidedError && { choices: error.choices }),
    };
  }
}

async function sizeOf(store: FileStore, path: string): Promise<number> {
  const file = await store.open(path);
  await file.close();
  return file.size;
}

async function partitionReading(
  store: FileStore,
  path: string,
  { channels, ...choice }: FileChoice,
): Promise<string> {
  const data = await openedData(store, path, { ...choice, ...(channels !== "none" && { channels }) });
  await data.close();
  return data.reading;
}

function inspected(
  array: NamedShape,
  present: readonly NamedShape[],
  data: CompleteFileData | undefined,
): InspectedArray {
  const { name, shape, dtype, problem } = array;
  const role = roleOf(array, present, data);
  return {
    name: plainName(name) || "(without a name)",
    ...(shape && { shape }),
    ...(dtype && { dtype }),
    ...(role !== undefined && { role }),
    ...(shape === undefined && { problem: problem ?? "it cannot be read" }),
  };
}

/** What an array is taken for. */
function roleOf(
  { name, shape }: NamedShape,
  present: readonly NamedShape[],
  data: CompleteFileData | undefined,
): string | undefined {
  const isIn = (text: string | undefined) =>
    text !== undefined && parseSelections(text).some((one) => isSameName(one.name, name));
  if (data) {
    const roles = (["inputs", "responses"] as const)
      .filter((which) =>
        data[which].array === undefined ? name === "" && !data[which].file : isIn(data[which].array),
      )
      .map((which) => `${which}: ${arrayInWords(data[which])}`);
    if (roles.length > 0) return roles.join("; ");
    const { testing } = data;
    if (testing && "inputs" in testing && !testing.file) {
      if (isIn(testing.inputs)) return "inputs for tests";
      if (isIn(testing.responses)) return "responses for tests";
    }
    const axis = Object.entries(data.coordinates ?? {}).find(([, text]) => isIn(text));
    if (axis) return `coordinates of ${axis[0]}`;
    const column = Object.entries(data.attributes ?? {}).find(([, text]) => isSameName(text, name));
    if (column)
      return data.windows === undefined ? "a number for each sample" : "a number for each trajectory";
    if (/^\/?test\//.test(name)) return "for tests";
  }
  const { lines, lists } = coordinateArrays(present, []);
  const line = lines.find((one) => one.array === name);
  if (line) return `coordinates of ${line.name}, perhaps`;
  if (lists.some((one) => one.array === name)) return "points, perhaps";
  if (shape?.length === 0) return "one number";
  if (shape?.length === 2 && isTime(axisNameOf(name))) return "times of each sample, perhaps";
  if (data || shape === undefined) return undefined;
  const isColumn =
    shape.length === 1 && present.some((one) => (one.shape?.length ?? 0) > 1 && one.shape![0] === shape[0]);
  return isColumn ? "a number for each sample, perhaps" : shape.length > 1 ? "a field, perhaps" : undefined;
}

/** What the netCDF library notes of itself. */
const OF_NETCDF = /^_NC|^_nc3_/;

/** Attributes with one number or word. */
function plainAttributes({ attributes }: ArrayFile): Inspection["attributes"] {
  return Object.fromEntries(
    Object.entries(attributes).flatMap(([name, value]) =>
      (typeof value === "number" || typeof value === "string") && !OF_NETCDF.test(name)
        ? [[name, value]]
        : [],
    ),
  );
}

/** The line that refuses a file without the advice that stands beside it; none where that is all. */
function questionsOf(question: string, path: string, advice: string | undefined): readonly string[] {
  if (advice === undefined || question === `${path}: ${advice}`)
    return advice === undefined ? [question] : [];
  return [question.replace(`. ${advice}`, "")];
}
