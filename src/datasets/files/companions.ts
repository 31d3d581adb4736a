import { toFloats } from "../../files/ndarray.js";
import type { NpzEntries } from "../../files/npz.js";
import { DISK } from "../../files/store/disk.js";
import type { ArrayFile, NamedArray } from "./array-file.js";
import { isSameName, plainName, testName } from "./array-names.js";
import { openArray, openChosen } from "./arrays/chosen.js";
import { parseSelections } from "./arrays/expression.js";
import { axisNameOf, coordinateArrays } from "./coordinate-arrays.js";
import { isLine, storedAxisNames } from "./file-coordinates.js";
import { type OpenData, openData } from "./open.js";
import { openArrayFiles } from "./several-files.js";

/** What a file holds beside the samples that were opened: those for tests, and the coordinates of its axes. */
export interface Companions {
  readonly test?: OpenData;
  /** One-dimensional arrays by the name of their axis; those of the responses come first, in the order of the axes. */
  readonly coordinates?: NpzEntries;
  close(): Promise<void>;
}

/**
 * Opens the test half of a file, whose arrays are named as those of training with "test" in place of "train" (as ours
 * and DeepXDE's are), and the coordinates of the opened arrays. What the file does not have is left out.
 */
export async function openCompanions(path: string, data: OpenData): Promise<Companions> {
  const { axes, choice } = data;
  const file = await openArrayFiles(DISK, path, {
    layouts: choice.layouts ?? [],
    sampleAxis: axes.sampleAxis,
  });
  try {
    const responses = data.responsesName ?? "";
    // Inputs beside a nameless array are another file, unless they are a slice of it.
    const isBeside = responses === "" || responses.startsWith("[");
    const inputs = isBeside && !data.inputsName?.startsWith("[") ? undefined : data.inputsName;
    const names = { responses, ...(inputs !== undefined && { inputs }) };
    const coordinates = await coordinatesOf(file, names, data);
    const held = await testNames(file, names, data.inputs !== undefined);
    const noted = { ...choice, ...held, group: "none", sample_axis: axes.sampleAxis };
    const test = held && (await openData(path, { channels: axes.channels }, noted));
    return {
      test,
      ...(Object.keys(coordinates).length > 0 && { coordinates }),
      close: async () => test?.close(),
    };
  } finally {
    await file.close();
  }
}

interface OpenedNames {
  readonly inputs?: string;
  readonly responses: string;
}

/** Arrays of the test half, where the file has all of them. */
async function testNames(
  file: ArrayFile,
  { inputs, responses }: OpenedNames,
  needsInputs: boolean,
): Promise<OpenedNames | undefined> {
  const present = await file.list();
  const tested = (text: string | undefined) => {
    const held = text === undefined ? undefined : testName(text);
    const isThere = (name: string) => present.some((one) => isSameName(one.name, name));
    return held !== undefined && namesIn(held).every(isThere) ? held : undefined;
  };
  const held = { responses: tested(responses), inputs: needsInputs ? tested(inputs) : undefined };
  if (held.responses === undefined || (needsInputs && held.inputs === undefined)) return undefined;
  return { responses: held.responses, ...(held.inputs !== undefined && { inputs: held.inputs }) };
}

const namesIn = (text: string): readonly string[] => parseSelections(text).map(({ name }) => name);

/** Coordinates of the axes: those that belong to the opened parts of arrays, then others that fit them. */
async function coordinatesOf(
  file: ArrayFile,
  { inputs, responses }: OpenedNames,
  { axes, choice }: OpenData,
): Promise<NpzEntries> {
  const opened = await openChosen(
    {
      responses: { file, text: responses },
      ...(inputs !== undefined && { inputs: { file, text: inputs } }),
    },
    { sampleAxis: axes.sampleAxis, windowStep: choice.window_step },
  );
  const found = new Map<string, string>();
  const arrays = [opened.responses, ...(opened.inputs ? [opened.inputs] : [])];
  for (const [i, array] of arrays.entries())
    for (const { name, scale } of await scalesOf(file, array)) {
      const isOther = found.has(name) && found.get(name) !== scale; // inputs on a grid of their own
      found.set(isOther && i > 0 ? `input_${name}` : name, scale);
    }
  const used = [responses, inputs].flatMap((text) => (text ? namesIn(text) : []));
  const present = (await file.list()).filter(({ name }) => !used.some((one) => isSameName(one, name)));
  const lengths = new Set(arrays.flatMap(({ shape }) => shape.slice(1)));
  for (const { array, name, length } of coordinateArrays(present, []).lines) {
    const isStated = plainName(array).startsWith("coordinates/");
    if (!found.has(name) && (isStated || lengths.has(length))) found.set(name, array);
  }
  const order = storedAxisNames(opened.responses);
  const place = (name: string) => (order.includes(name) ? order.indexOf(name) : order.length);
  const coordinates: Record<string, Float32Array | Float64Array> = {};
  for (const [name, text] of [...found].sort(([a], [b]) => place(a) - place(b))) {
    const array = await openArray(file, text);
    coordinates[name] = toFloats(await array.read(0, array.rows));
  }
  return coordinates;
}

/** One-dimensional arrays that the file attaches to the axes of a sample, with the names of the axes. */
async function scalesOf(
  file: ArrayFile,
  array: NamedArray,
): Promise<readonly { readonly name: string; readonly scale: string }[]> {
  const names = storedAxisNames(array);
  const found = [];
  for (const [axis, length] of array.shape.entries()) {
    const scale = array.scales[axis];
    if (axis === 0 || scale === undefined) continue;
    const line = await openArray(file, scale);
    if (isLine(line) && line.rows === length) found.push({ name: names[axis] || axisNameOf(scale), scale });
  }
  return found;
}
