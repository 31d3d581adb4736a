import { type RowArray, toFloats } from "../../files/ndarray.js";
import { notePlainRows, plainRowsOf } from "../../files/plain/plain-rows.js";
import type { FileStore } from "../../files/store/file-store.js";
import type { Dataset, DatasetDescription, FileArray, PointList, Split } from "../dataset.js";
import type { Fields, LabelledFields } from "../fields.js";
import type { SampleArrays } from "../sample-arrays.js";
import type { ArrayFile, NamedArray } from "./array-file.js";
import { testName } from "./array-names.js";
import { make, place } from "./arrays/box.js";
import { openArray, openChosen } from "./arrays/chosen.js";
import { axisOf, viewOf } from "./arrays/view.js";
import type { CompleteFileData } from "./data-in-words.js";
import { arraysOfSamples } from "./described-samples.js";
import { numbered, TRAJECTORY } from "./sample-groups.js";
import { openArrayFiles } from "./several-files.js";

/** Data of a file, with what the description says of them. Their numbers are read from disk when asked for. */
export async function openFileData(store: FileStore, data: CompleteFileData): Promise<Dataset> {
  const files = openedOnce(store, data);
  return {
    description: descriptionOf(data),
    ...(data.responses.order && { responseOrder: data.responses.order }),
    coordinates: await coordinatesOf(store, data),
    read: (split) => openSplit(data, split, files.open),
    attributes: (split) => readColumns(data, split, files.open),
    arrays: (split) => openArrays(data, split, files.open),
    groups: (split) => readGroups(data, split, files.open),
    close: files.close,
  };
}

type OpenPath = (path: string) => Promise<ArrayFile>;

/** Opens each file once, for as long as the data are used. */
function openedOnce(
  store: FileStore,
  { layouts = [], sampleAxis }: CompleteFileData,
): {
  readonly open: OpenPath;
  close(): Promise<void>;
} {
  const opened = new Map<string, Promise<ArrayFile>>();
  return {
    open: (path) => {
      if (!opened.has(path)) opened.set(path, openArrayFiles(store, path, { layouts, sampleAxis }));
      return opened.get(path)!;
    },
    close: async () => {
      const files = [...opened.values()];
      opened.clear();
      await Promise.all(files.map(async (file) => (await file).close()));
    },
  };
}

/** What is known of a file's data, without where they are stored. */
export function descriptionOf(data: CompleteFileData): DatasetDescription {
  const { task: name, title, origin, parameters, seed, sha256, train, test } = data;
  const array = ({ label, unit, axes }: FileArray) => ({ label, ...(unit !== undefined && { unit }), axes });
  return {
    name,
    title,
    origin,
    parameters,
    seed,
    sha256,
    train,
    test,
    inputs: array(data.inputs),
    responses: array(data.responses),
    ...(data.attributes && { attributes: Object.keys(data.attributes) }),
  };
}

/** Points of the axes, without the samples. */
export async function coordinatesOf(
  store: FileStore,
  data: Pick<CompleteFileData, "file" | "coordinates" | "layouts" | "sampleAxis">,
): Promise<Dataset["coordinates"]> {
  const found: Record<string, PointList> = {};
  const names = Object.entries(data.coordinates ?? {});
  if (names.length === 0) return found;
  const file = await openArrayFiles(store, data.file, {
    layouts: data.layouts ?? [],
    sampleAxis: data.sampleAxis,
  });
  try {
    for (const [key, name] of names) {
      const array = await openArray(file, name);
      const values = Float64Array.from(toFloats(await array.read(0, array.rows)));
      found[key] = { values, dimensions: array.shape[1] ?? 1 };
    }
    return found;
  } finally {
    await file.close();
  }
}

/** Rows of stored arrays that make up a half: from which file and arrays, and which of their samples. */
interface Half {
  readonly file: string;
  readonly inputs: { readonly file?: string; readonly array: string };
  readonly responses: { readonly array: string };
  /** All rows without this; the given ones, or all but those. */
  readonly rows?: { readonly range: readonly [number, number]; readonly isLeftOut: boolean };
}

function halfOf({ file, inputs, responses, testing }: CompleteFileData, split: Split): Half {
  const own = {
    file,
    inputs: { file: inputs.file, array: inputs.array ?? "" },
    responses: { array: responses.array ?? "" },
  };
  if (testing && "range" in testing)
    return { ...own, rows: { range: testing.range, isLeftOut: split === "train" } };
  if (split === "train") return own;
  const held = testing ?? { inputs: testName(own.inputs.array)!, responses: testName(own.responses.array)! };
  return {
    file: testing?.file ?? file,
    inputs: { array: held.inputs },
    responses: { array: held.responses },
  };
}

async function openSplit(data: CompleteFileData, split: Split, open: OpenPath): Promise<LabelledFields> {
  const half = halfOf(data, split);
  const file = await open(half.file);
  const arrays = await openChosen(
    {
      inputs: {
        file: half.inputs.file === undefined ? file : await open(half.inputs.file),
        text: half.inputs.array,
      },
      responses: { file, text: half.responses.array },
    },
    { sampleAxis: data.sampleAxis, windowStep: data.windowStep },
  );
  return {
    inputs: inLayout(data.inputs, arrays.inputs!, half.rows),
    responses: inLayout(data.responses, arrays.responses, half.rows),
  };
}

/** Arrays with a row for each sample of a half. */
async function openArrays(data: CompleteFileData, split: Split, open: OpenPath): Promise<SampleArrays> {
  const { file, responses, rows } = halfOf(data, split);
  const held = rows ? data.train + data.test : split === "train" ? data.train : data.test;
  return arraysOfSamples(await open(file), {
    responses: responses.array,
    samples: held,
    sampleAxis: data.sampleAxis,
    ...(data.windows !== undefined && { windows: { each: data.windows } }),
    fields: (array) => rowsOf(array, rows),
  });
}

/** Samples in the order of the description's axes. */
function inLayout({ axes, order }: FileArray, array: NamedArray, rows: Half["rows"]): Fields {
  const moved = order
    ? viewOf(
        array,
        [0, ...order.map((axis) => axis + 1)].map((axis) => axisOf(array, axis)),
      )
    : array;
  return {
    ...rowsOf(moved, rows),
    shape: axes.map(({ length }) => length),
  };
}

/** The wanted rows of an array as fields. */
function rowsOf(array: RowArray, rows: Half["rows"]): Fields {
  const dtype = array.dtype === "float32" || array.dtype === "float16" ? "float32" : "float64";
  const all = async (start: number, end: number) => toFloats(await array.read(start, end));
  const shape = array.shape.slice(1);
  const [first, last] = rows?.range ?? [0, 0];
  const gap = last - first;
  const isPart = rows !== undefined && !rows.isLeftOut;
  const rowOf = (sample: number) => (isPart ? first + sample : sample < first ? sample : sample + gap);
  const read = async (start: number, end: number) => {
    if (isPart || end <= first || start >= first) return all(rowOf(start), rowOf(start) + end - start);
    const [before, after] = [await all(start, first), await all(last, end + gap)];
    const both = make(before, before.length + after.length);
    place(both, before, 0);
    place(both, after, before.length);
    return both;
  };
  notePlainRows(read, () => {
    const plain = plainRowsOf(array);
    return plain && { ...plain, at: (sample) => plain.at(rowOf(sample)) };
  });
  const areFlags = array.dtype === "bool";
  return { samples: isPart ? gap : array.rows - gap, shape, dtype, read, ...(areFlags && { areFlags }) };
}

/** Numbers that each sample of a half has; those that only the other half has are left out. */
async function readColumns(
  data: CompleteFileData,
  split: Split,
  open: OpenPath,
): Promise<Readonly<Record<string, Float64Array>>> {
  const { file: path, rows } = halfOf(data, split);
  const file = await open(path);
  const present = new Set((await file.list()).map(({ name }) => name));
  const found: Record<string, Float64Array> = {};
  for (const [name, array] of Object.entries(data.attributes ?? {})) {
    const isHeld = split === "test" && rows === undefined;
    const stored = isHeld ? (testName(array) ?? array) : array;
    if (!present.has(stored)) continue;
    const column = await openArray(file, stored);
    const all = toFloats(await column.read(0, column.rows));
    found[name] = chosenRows(ofWindows(all, data), rows);
  }
  return found;
}

/** Values of trajectories for each of their windows. */
function ofWindows(
  values: ArrayLike<number>,
  { windows = 1 }: Pick<CompleteFileData, "windows">,
): Float64Array {
  return Float64Array.from({ length: values.length * windows }, (_, i) => values[Math.floor(i / windows)]);
}

function chosenRows(values: Float64Array, rows: Half["rows"]): Float64Array {
  if (!rows) return values;
  const [start, end] = rows.range;
  return rows.isLeftOut ? values.filter((_, i) => i < start || i >= end) : values.slice(start, end);
}

/** The group of each sample; undefined where none stay together. */
async function readGroups(
  data: CompleteFileData,
  split: Split,
  open: OpenPath,
): Promise<Int32Array | undefined> {
  const { group, attributes = {}, windows = 1 } = data;
  if (group === undefined) return undefined;
  if (group !== TRAJECTORY || attributes[group] !== undefined) {
    const { [group]: column } = await readColumns(data, split, open);
    return column && numbered(column);
  }
  const { rows } = halfOf(data, split);
  const total = data.train + (rows ? data.test : 0);
  const count = split === "test" && !rows ? data.test : total;
  return numbered(
    chosenRows(
      Float64Array.from({ length: count }, (_, i) => Math.floor(i / windows)),
      rows,
    ),
  );
}
