import { openFile } from "../files/disk.js";
import { isHdf5 } from "../files/file-kinds.js";
import { openHdf5 } from "../files/hdf5.js";
import { toFloats } from "../files/ndarray.js";
import { type NpzEntries, openNpz } from "../files/npz.js";
import { type OpenData, openData } from "./open.js";

/** What a file holds beside the samples that were opened: those for tests, and the coordinates of its axes. */
export interface Companions {
  readonly test?: OpenData;
  /** One-dimensional arrays by the name of their axis; those of the responses come first, in the order of the axes. */
  readonly coordinates?: NpzEntries;
  close(): Promise<void>;
}

/**
 * Opens the test half of a file, whose arrays are named as those of training with "test" in place of "train" (as ours
 * and DeepXDE's are), and the arrays under `/coordinates` of an HDF5 file. What the file does not have is left out.
 */
export async function openCompanions(path: string, data: OpenData): Promise<Companions> {
  const { names, coordinates } = await contentsOf(path, data.responsesName);
  const tested = (name?: string) => name?.replace("train", "test");
  const [responses, inputs] = [tested(data.responsesName), tested(data.inputsName)];
  const hasTest = responses !== undefined && responses !== data.responsesName && names.includes(responses);
  const test = hasTest ? await openData(path, { ...data.axes, responses, inputs }) : undefined;
  return { test, coordinates, close: async () => test?.close() };
}

async function contentsOf(
  path: string,
  responses?: string,
): Promise<{ names: readonly string[]; coordinates?: NpzEntries }> {
  const file = await openFile(path);
  try {
    if (await isHdf5(file)) return await hdf5Contents(path, responses);
    // Of a NPY file the responses have no name, and there is nothing beside them.
    return { names: responses === undefined ? [] : (await openNpz(file)).names };
  } finally {
    await file.close();
  }
}

async function hdf5Contents(path: string, responses?: string) {
  const file = await openHdf5(path);
  try {
    const names = file.list().map((one) => one.path);
    const labels = responses === undefined ? undefined : file.dataset(responses).attributes.DIMENSION_LABELS;
    const axes = Array.isArray(labels) ? labels.map(String) : [];
    const place = (name: string) => (axes.includes(name) ? axes.indexOf(name) : axes.length);
    const own = file
      .list()
      .filter((one) => /^\/?coordinates\/[^/]+$/.test(one.path) && one.shape.length === 1)
      .map((one) => ({ path: one.path, name: one.path.split("/").at(-1)! }))
      .sort((a, b) => place(a.name) - place(b.name));
    const coordinates: Record<string, Float32Array | Float64Array> = {};
    for (const { path: at, name } of own) {
      const array = file.dataset(at);
      coordinates[name] = toFloats(await array.read(0, array.shape[0]));
    }
    return { names, coordinates: own.length > 0 ? coordinates : undefined };
  } finally {
    file.close();
  }
}
