import { toFloats } from "../files/ndarray.js";
import type { NpzEntries } from "../files/npz.js";
import type { ArrayFile } from "./array-file.js";
import { isSameName, plainName, testName } from "./array-names.js";
import { openSelection, selectionsIn } from "./arrays/chosen.js";
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
 * and DeepXDE's are), and the arrays under `/coordinates`. What the file does not have is left out.
 */
export async function openCompanions(path: string, data: OpenData): Promise<Companions> {
  const { responsesName, inputsName, axes, choice } = data;
  if (responsesName === undefined || responsesName.startsWith("[")) return { close: async () => {} }; // a NPY file
  const [responses, inputs] = [testName(responsesName), inputsName && testName(inputsName)];
  const file = await openArrayFiles(path, { layouts: choice.layouts ?? [], sampleAxis: axes.sampleAxis });
  try {
    const hasTest =
      responses !== undefined && (await hasAll(file, responses)) && (!inputs || (await hasAll(file, inputs)));
    const coordinates = await coordinatesOf(file, responsesName);
    const noted = { ...choice, sample_axis: axes.sampleAxis, channels: axes.channels, responses, inputs };
    const test = hasTest ? await openData(path, { group: "none" }, noted) : undefined;
    return { test, coordinates, close: async () => test?.close() };
  } finally {
    await file.close();
  }
}

/** Whether a file has all arrays of an expression. */
async function hasAll(file: ArrayFile, text: string): Promise<boolean> {
  const present = await file.list();
  return selectionsIn(present, text).every(({ name }) => present.some((one) => isSameName(one.name, name)));
}

/** Arrays under `/coordinates`, those of the responses' axes first. */
async function coordinatesOf(file: ArrayFile, responses: string): Promise<NpzEntries | undefined> {
  const present = await file.list();
  const { array } = await openSelection(file, selectionsIn(present, responses)[0]);
  const labels = array.attributes.DIMENSION_LABELS;
  const axes = Array.isArray(labels) ? labels.map(String) : [];
  const place = (name: string) => (axes.includes(name) ? axes.indexOf(name) : axes.length);
  const own = present
    .filter(({ name, shape }) => /^coordinates\/[^/]+$/.test(plainName(name)) && shape?.length === 1)
    .map(({ name: at }) => ({ at, name: at.split("/").at(-1)! }))
    .sort((a, b) => place(a.name) - place(b.name));
  const coordinates: Record<string, Float32Array | Float64Array> = {};
  for (const { at, name } of own) {
    const line = await file.array(at);
    coordinates[name] = toFloats(await line.read(0, line.rows));
  }
  return own.length > 0 ? coordinates : undefined;
}
