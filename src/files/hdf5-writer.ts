import type { Dataset, File, Group } from "h5wasm/node";
import { elements } from "../numerics/shape.js";
import { type Attributes, PIECE_BYTES } from "./hdf5/hdf5-file.js";
import { explained, loadLibrary, openLibraryFile } from "./hdf5-on-disk.js";
import { type ElementType, elementSize, typeOfValues, type Values } from "./ndarray.js";

/** A dataset to write: values in memory, or rows that are made as they are written. */
export interface Hdf5NewDataset {
  readonly shape: readonly number[];
  readonly values:
    | Values
    | {
        readonly dtype: Exclude<ElementType, "bool" | "float16">;
        /** Rows `start` to `end - 1`, in C order. */
        rows(start: number, end: number): Values | Promise<Values>;
      };
  readonly attributes?: Attributes;
  /**
   * What each axis is. A path that this file holds (`/x`) makes that dataset the HDF5 dimension scale of the axis, with the
   * last part of the path as label; any other word is its label. Both can be given apart.
   */
  readonly axes?: readonly (string | { readonly label: string; readonly scale: string })[];
  /** gzip level 1 to 9. Default: none, which every tool reads fastest. */
  readonly compression?: number;
}

export interface Hdf5Contents {
  readonly attributes?: Attributes;
  /** By absolute path; the groups on the way are made. */
  readonly datasets: Readonly<Record<string, Hdf5NewDataset>>;
}

/** NumPy's codes that h5wasm shares with Python's struct module. */
const STRUCT_CODES: Readonly<Record<string, string>> = {
  int8: "<b",
  uint8: "<B",
  int16: "<h",
  uint16: "<H",
  int32: "<i",
  uint32: "<I",
  int64: "<q",
  uint64: "<Q",
  float32: "<f",
  float64: "<d",
};

/** Writes an HDF5 file. Values given by rows pass through in pieces, so memory stays bounded. */
export async function writeHdf5(path: string, contents: Hdf5Contents): Promise<void> {
  await loadLibrary();
  const call: Call = (work) => explained(path, () => atFixedTime(work));
  const file = call(() => openLibraryFile(path, "w"));
  try {
    call(() => setAttributes(file, contents.attributes));
    for (const [at, dataset] of Object.entries(contents.datasets)) {
      call(() => makeGroups(file, at));
      const created = await create(file, at, dataset, call);
      call(() => setAttributes(created, dataset.attributes));
    }
    for (const [at, dataset] of Object.entries(contents.datasets)) {
      call(() => nameAxes(file, at, dataset, contents));
    }
  } finally {
    call(() => file.close());
  }
}

/** How the library is called here: its errors explained, its clock stopped. */
type Call = <T>(work: () => T) => T;

/**
 * HDF5 stamps every dataset with the time, which no option of h5wasm turns off. The library asks `Date.now` for it, so
 * that clock stands still for the length of a (synchronous) call: the same contents give the same bytes.
 */
function atFixedTime<T>(work: () => T): T {
  const { now } = Date;
  Date.now = () => 0;
  try {
    return work();
  } finally {
    Date.now = now;
  }
}

async function create(file: File, path: string, dataset: Hdf5NewDataset, call: Call): Promise<Dataset> {
  const { shape, values, compression } = dataset;
  const dtype = "rows" in values ? values.dtype : typeOfValues(values);
  const rowBytes = elements(shape.slice(1)) * elementSize(dtype);
  const options = { name: path.replace(/^\//, ""), dtype: STRUCT_CODES[dtype] };
  if (!("rows" in values)) {
    if (elements(shape) !== values.length) {
      throw new RangeError(`${path}: ${values.length} values do not fill ${shape.join("x")}`);
    }
    const chunks = compression ? chunksOf(shape, rowBytes, COMPRESSED_CHUNK) : undefined;
    const whole = { ...options, data: values, shape: [...shape], chunks, compression };
    return call(() => file.create_dataset(whole));
  }
  // The library writes a new dataset at once or not at all, so this one starts with its first piece and grows.
  const [rows, ...rest] = shape;
  const step = Math.min(rows, Math.max(1, Math.floor(PIECE_BYTES / 2 / rowBytes)));
  const data = await values.rows(0, step);
  const layout = {
    shape: [step, ...rest],
    maxshape: [...shape],
    chunks: chunksOf(shape, rowBytes, compression ? COMPRESSED_CHUNK : PLAIN_CHUNK),
    compression,
  };
  const created = call(() => file.create_dataset({ ...options, data, ...layout }));
  if (step < rows) call(() => created.resize([...shape]));
  for (let at = step; at < rows; at += step) {
    const end = Math.min(rows, at + step);
    const piece = await values.rows(at, end);
    call(() => created.write_slice([[at, end]], piece));
  }
  return created;
}

/** Bytes of a chunk that has to be read as a whole. */
const COMPRESSED_CHUNK = 1 << 20;
/** Bytes of one that is not compressed: more than the library's cache (8 MiB), so that it reads single rows. */
const PLAIN_CHUNK = 16 << 20;

/** Whole rows, so many bytes of them: chunks suit reading by rows. */
function chunksOf(shape: readonly number[], rowBytes: number, bytes: number): number[] {
  const [rows, ...rest] = shape;
  return [Math.max(1, Math.min(rows, Math.floor(bytes / rowBytes))), ...rest];
}

function makeGroups(file: File, path: string): void {
  const parts = path.split("/").filter(Boolean).slice(0, -1);
  parts.forEach((_, depth) => {
    const group = parts.slice(0, depth + 1).join("/");
    if (!file.get(group)) file.create_group(group);
  });
}

function setAttributes(object: Dataset | Group, attributes: Attributes = {}): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "number") {
      object.create_attribute(name, value, null, Number.isSafeInteger(value) ? "<q" : "<d");
    } else if (typeof value === "string") object.create_attribute(name, value);
    else if (typeof value[0] === "string") object.create_attribute(name, value as string[]);
    else object.create_attribute(name, Float64Array.from(value as readonly number[]));
  }
}

function nameAxes(file: File, path: string, { axes = [] }: Hdf5NewDataset, contents: Hdf5Contents): void {
  const dataset = file.get(path) as Dataset;
  axes.forEach((axis, index) => {
    if (typeof axis === "string" && !(axis in contents.datasets)) {
      dataset.set_dimension_label(index, axis);
      return;
    }
    const { label, scale: at } =
      typeof axis === "string" ? { label: axis.split("/").pop()!, scale: axis } : axis;
    const scale = file.get(at) as Dataset;
    if (scale.get_scale_name() === null) scale.make_scale(label);
    dataset.attach_scale(index, at);
    dataset.set_dimension_label(index, label);
  });
}
