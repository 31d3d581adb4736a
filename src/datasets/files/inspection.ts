import { stat } from "node:fs/promises";
import { OptionError, UserError } from "../../errors.js";
import type { NamedShape } from "../../files/name-list.js";
import type { ElementType } from "../../files/ndarray.js";
import { elements } from "../../numerics/shape.js";
import { usualData } from "../usual-data.js";
import type { ArrayFile } from "./array-file.js";
import { isSameName, plainName } from "./array-names.js";
import { parseSelections } from "./arrays/expression.js";
import { coordinateArrays } from "./coordinate-arrays.js";
import { arrayInWords, type CompleteFileData, wholeReading } from "./data-in-words.js";
import { dataPaths } from "./data-paths.js";
import { describeWholeFile, type FileChoice } from "./file-data.js";
import { FORMATS } from "./formats.js";
import { LAYOUTS } from "./layouts.js";
import { meshAdvice } from "./mesh-advice.js";
import { openData } from "./open.js";
import { openArrayFiles } from "./several-files.js";
import { timeAxisOf } from "./window-choice.js";

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

/** A way to go on, as options of a command. */
export interface InspectedChoice {
  /** What the options do: `the first frame to the last`. */
  readonly words: string;
  readonly options: readonly string[];
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
export async function inspectFile(path: string, choice: FileChoice = {}): Promise<Inspection> {
  const paths = dataPaths(path);
  const file = await openArrayFiles(path, {
    sampleAxis: choice.sampleAxis,
    layouts: choice.layout === "plain" ? [] : undefined,
  });
  try {
    const present = await file.list();
    const sizes = await Promise.all(paths.map((one) => stat(one)));
    const trained = await asked(() =>
      describeWholeFile(path, choice, { known: usualData, hash: async () => "" }),
    );
    const partitioned = await asked(() => partitionReading(path, choice));
    const advice = meshAdvice(present);
    const data = "found" in trained ? trained.found : undefined;
    return {
      file: path,
      files: paths.length,
      bytes: sizes.reduce((sum, { size }) => sum + size, 0),
      format: FORMATS.find(({ name }) => name === file.format)?.title ?? file.format,
      layouts: LAYOUTS.flatMap(({ name, words }) => (file.layouts?.includes(name) ? [words] : [])),
      arrays: present.map((array) => inspected(array, present, data)),
      attributes: plainAttributes(file),
      ...(data && { reading: wholeReading(data) }),
      questions: "question" in trained ? [trained.question] : [],
      ...(advice !== undefined && { advice }),
      choices: data ? [] : await choicesOf(file, present, choice),
      canTrain: data !== undefined,
      canPartition: "found" in partitioned,
    };
  } finally {
    await file.close();
  }
}

type Answer<T> = { readonly found: T } | { readonly question: string };

/** A result, or the line that refuses it. */
async function asked<T>(find: () => Promise<T>): Promise<Answer<T>> {
  try {
    return { found: await find() };
  } catch (error) {
    if (!(error instanceof UserError) || error instanceof OptionError) throw error; // what is asked for cannot be
    return { question: error.message };
  }
}

async function partitionReading(path: string, { channels, ...choice }: FileChoice): Promise<string> {
  const data = await openData(path, { ...choice, ...(channels !== "none" && { channels }) });
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
  return shape?.length === 0 ? "one number" : undefined;
}

/** Attributes with one number or word. */
function plainAttributes({ attributes }: ArrayFile): Inspection["attributes"] {
  return Object.fromEntries(
    Object.entries(attributes).flatMap(([name, value]) =>
      typeof value === "number" || typeof value === "string" ? [[name, value]] : [],
    ),
  );
}

/** Numbers from which on an array is more than coordinates. */
const FEWEST_AXES = 2;

/** Arrays of one shape up to which they are rather channels than data of their own. */
const MOST_CHANNELS = 6;

/** Choices that the arrays allow, the likeliest first. */
async function choicesOf(
  file: ArrayFile,
  present: readonly NamedShape[],
  choice: FileChoice,
): Promise<readonly InspectedChoice[]> {
  const { lists } = coordinateArrays(present, []);
  const candidates = present
    .filter(
      ({ name, shape }) =>
        shape !== undefined && shape.length >= FEWEST_AXES && !lists.some((one) => one.array === name),
    )
    .sort((a, b) => elements(b.shape!) - elements(a.shape!));
  const [largest] = candidates;
  if (largest === undefined || choice.responses !== undefined) return [];
  const found: InspectedChoice[] = [];
  const named = (name: string) => plainName(name);
  const isLarge = largest.shape!.length > FEWEST_AXES; // a curve needs no axis of time
  const time = isLarge ? await timeAxisOf(file, largest.name, choice.sampleAxis) : undefined;
  // Fields of one shape, as the velocities and the pressure of a flow, are channels.
  const alike = candidates.filter(({ shape }) => shape!.join() === largest.shape!.join());
  if (time !== undefined) {
    const names =
      alike.length <= MOST_CHANNELS ? alike.map(({ name }) => named(name)).sort() : [named(largest.name)];
    const at = (frames: string) => names.map((name) => `${name}[${":, ".repeat(time)}${frames}]`).join(", ");
    const pair = (words: string, inputs: string, responses: string) =>
      found.push({ words, options: ["--inputs", at(inputs), "--responses", at(responses)] });
    const frames = largest.shape![time];
    pair("the first frame to the last", "0", "-1");
    if (frames >= 4) {
      const half = Math.floor(frames / 2);
      if (names.length === 1)
        pair(`the first ${half} frames to the others`, `0:${half}`, `${half}:${frames}`);
      pair("windows: each frame to the next", "t", "t+1");
    }
  }
  const partner = candidates.find(
    ({ name, shape }) => name !== largest.name && shape![0] === largest.shape![0],
  );
  if (partner && (time === undefined || alike.length === 1))
    found.push({
      words: `${named(partner.name)} to ${named(largest.name)}`,
      options: ["--inputs", named(partner.name), "--responses", named(largest.name)],
    });
  if (found.length === 0 && named(largest.name) !== "")
    found.push({
      words: "responses alone: enough to partition",
      options: ["--responses", named(largest.name)],
    });
  return found;
}
