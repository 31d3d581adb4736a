import { DataError } from "../errors.js";
import { toFloats } from "../files/ndarray.js";
import { elements } from "../numerics/shape.js";
import { permuted, withSamplesFirst } from "./array-axes.js";
import { type ArrayFile, openArrayFile } from "./array-file.js";
import { testName } from "./array-names.js";
import type { CompleteFileData } from "./data-in-words.js";
import type { Dataset, DatasetDescription, FileArray, PointList, Split } from "./dataset.js";
import { type Fields, fieldsInMemory, type LabelledFields } from "./fields.js";
import { fileSha256 } from "./file-hash.js";

export interface OpenFileOptions {
  /** Whether the file's bytes are known to be those described, so that they need not be hashed again. */
  readonly isUnchanged?: boolean;
}

/** Data of a file, with what the description says of them. Their numbers are read when asked for. */
export async function openFileData(
  data: CompleteFileData,
  { isUnchanged = false }: OpenFileOptions = {},
): Promise<Dataset> {
  if (!isUnchanged) await checkUnchanged(data);
  return {
    description: descriptionOf(data),
    coordinates: await coordinatesOf(data),
    read: (split) => readSplit(data, split),
    attributes: (split) => readColumns(data, split),
    close: async () => {},
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

/** Refuses files whose bytes are others than those described. */
async function checkUnchanged({ file, sha256, inputs, testing }: CompleteFileData): Promise<void> {
  const second = testing && "file" in testing ? testing : undefined;
  for (const one of [{ file, sha256 }, inputs, second]) {
    if (one?.file !== undefined && (await fileSha256(one.file)) !== one.sha256)
      throw new DataError(
        `${one.file} has changed since the run was planned; start a new run in another folder`,
      );
  }
}

/** Points of the axes, without the samples. */
export async function coordinatesOf(
  data: Pick<CompleteFileData, "file" | "coordinates">,
): Promise<Dataset["coordinates"]> {
  return withFile(data.file, async (file) => {
    const found: Record<string, PointList> = {};
    for (const [key, name] of Object.entries(data.coordinates ?? {})) {
      const array = await file.array(name);
      const values = Float64Array.from(toFloats(await array.read(0, array.rows)));
      found[key] = { values, dimensions: array.shape[1] ?? 1 };
    }
    return found;
  });
}

async function withFile<T>(path: string, use: (file: ArrayFile) => Promise<T>): Promise<T> {
  const file = await openArrayFile(path);
  try {
    return await use(file);
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

async function readSplit(data: CompleteFileData, split: Split): Promise<LabelledFields> {
  const half = halfOf(data, split);
  const read = (which: "inputs" | "responses", path: string, name: string) =>
    withFile(path, async (file) => {
      const stored = await file.array(name);
      const array = withSamplesFirst(stored, `the ${which} of ${path}`, data.sampleAxis);
      const fields: Fields = {
        samples: array.shape[0],
        shape: array.shape.slice(1),
        dtype: array.dtype === "float32" || array.dtype === "float16" ? "float32" : "float64",
        read: async (start, end) => toFloats(await array.read(start, end)),
      };
      return inLayout(data[which], fields, await readRows(fields, half.rows));
    });
  return {
    inputs: await read("inputs", half.inputs.file ?? half.file, half.inputs.array),
    responses: await read("responses", half.file, half.responses.array),
  };
}

/** Samples in the order of the description's axes. */
function inLayout(
  { axes, order }: FileArray,
  { shape }: Pick<Fields, "shape">,
  values: Float32Array | Float64Array,
): Fields {
  const size = elements(shape);
  const samples = values.length / size;
  const moved = order ? permuted(values, [samples, ...shape], [0, ...order.map((axis) => axis + 1)]) : values;
  return fieldsInMemory(
    moved,
    samples,
    axes.map(({ length }) => length),
  );
}

/** Wanted rows of fields, flattened. */
async function readRows(fields: Fields, rows: Half["rows"]): Promise<Float32Array | Float64Array> {
  if (!rows) return fields.read(0, fields.samples);
  const [start, end] = rows.range;
  if (!rows.isLeftOut) return fields.read(start, end);
  const [before, after] = [await fields.read(0, start), await fields.read(end, fields.samples)];
  if (after.length === 0) return before;
  const joined = new (before.constructor as Float64ArrayConstructor)(before.length + after.length);
  joined.set(before);
  joined.set(after, before.length);
  return joined;
}

/** Numbers that each sample of a half has; those that only the other half has are left out. */
async function readColumns(
  data: CompleteFileData,
  split: Split,
): Promise<Readonly<Record<string, Float64Array>>> {
  const { file: path, rows } = halfOf(data, split);
  return withFile(path, async (file) => {
    const present = new Set((await file.list()).map(({ name }) => name));
    const found: Record<string, Float64Array> = {};
    for (const [name, array] of Object.entries(data.attributes ?? {})) {
      const isHeld = split === "test" && rows === undefined;
      const stored = isHeld ? (testName(array) ?? array) : array;
      if (!present.has(stored)) continue;
      const column = await file.array(stored);
      const fields = {
        samples: column.rows,
        shape: [],
        dtype: "float64" as const,
        read: async (start: number, end: number) => toFloats(await column.read(start, end)),
      };
      found[name] = Float64Array.from(await readRows(fields, rows));
    }
    return found;
  });
}
