import type { Attribute, Dataset, File, Metadata } from "h5wasm";
import { FormatError } from "../../errors.js";
import { elements } from "../../numerics/shape.js";
import { nameList } from "../name-list.js";
import {
  type AxisRange,
  decode,
  type ElementType,
  elementSize,
  encode,
  type RowArray,
  type Values,
} from "../ndarray.js";
import { type Packing, packingOf, unpacked } from "../netcdf-attributes.js";
import { rowPieces } from "../plain/hdf5-rows.js";
import { notePlainRows, type PlainRows } from "../plain/plain-rows.js";
import { checkBox, plainElements, wholeBox } from "../strided.js";
import { bytesOf, headerOf, unusualFormat } from "./dataset-header.js";
import { compressedBy, type Hdf5Library, takesFromOther } from "./hdf5-library.js";

/** What an attribute may be. */
export type AttributeValue = number | string | readonly number[] | readonly string[];

export type Attributes = Readonly<Record<string, AttributeValue>>;

/** A dataset of an HDF5 file, read by rows. */
export interface Hdf5Dataset extends RowArray {
  readonly path: string;
  readonly attributes: Attributes;
  /** Paths of the dimension scales of each axis. */
  scales(): readonly (readonly string[])[];
}

/** An open HDF5 file; close it when done. */
export interface Hdf5File {
  readonly name: string;
  /**
   * Every dataset with shape and type. What cannot be read has a `problem`, to follow its path in a message ("holds
   * strings: ..."); its `dtype` is undefined where it holds no plain numbers.
   */
  list(): readonly {
    readonly path: string;
    readonly shape: readonly number[];
    readonly dtype?: ElementType;
    readonly problem?: string;
    /** Whether it holds strings, which `strings` reads. */
    readonly isText?: boolean;
  }[];
  /** All values of a dataset of strings. */
  strings(path: string): readonly string[];
  /** Names of what a group holds; of what the file itself holds by default. */
  children(path?: string): readonly string[];
  /** Attributes of a dataset or group; of the file itself by default. */
  attributes(path?: string): Attributes;
  /** A dataset by its path; an unknown one is a `FormatError` that lists those there are. */
  dataset(path: string): Hdf5Dataset;
  close(): void;
}

/** Bytes that pass through the memory of the HDF5 library at once: its heap never shrinks. */
export const PIECE_BYTES = 32 << 20;

/** A file that the library has opened, with its bytes. */
export interface OpenedFile {
  readonly name: string;
  readonly size: number;
  readonly file: File;
  /** Its bytes from a place on, past the library. */
  fill(into: Uint8Array, offset: number): void;
  /** Closes what `fill` reads. */
  close(): void;
}

/** The datasets of a file that the library has opened. */
export function hdf5File({ file, ...bytes }: OpenedFile, library: Hdf5Library): Hdf5File {
  const { name: path, size } = bytes;
  const { Dataset, ExternalLink, Group, explained } = library;
  const named = { name: path, size, fill: bytes.fill, library };
  const entity = (at: string): unknown => explained(path, () => file.get(at));
  const isDataset = (at: string): boolean => {
    try {
      return entity(at) instanceof Dataset;
    } catch (error) {
      if (explained(path, () => file.get_link(at)) !== null) return false; // a soft link that leads nowhere, as a cycle
      throw error;
    }
  };
  const isVariable = (at: string): boolean => {
    const dataset = isNetcdf() ? entity(at) : undefined;
    if (!(dataset instanceof Dataset)) return true; // who opens what is no dataset is told so
    return !String(datasetAttributes(dataset).NAME).startsWith(NO_VARIABLE);
  };
  const paths = (): string[] => explained(path, () => file.paths());
  const listing = (all = paths()): string[] => all.filter(isDataset);
  /** Why a link into another file gives no dataset; undefined for anything else. */
  const externalLink = (at: string): string | undefined => {
    const link = explained(path, () => file.get_link(at)) === null ? entity(at) : undefined; // a soft one may be a cycle
    if (!(link instanceof ExternalLink)) return undefined;
    const way = library.allowsExternalFiles() ? "it cannot be opened" : library.allowExternal;
    return `is a link into another file, ${link.filename}: ${way}`;
  };
  const described = (at: string): ReturnType<Hdf5File["list"]>[number] =>
    explained(path, () => {
      const dataset = entity(at) as Dataset;
      const { shape, dtype, problem, packing } = describe(named, dataset, isNetcdf());
      return {
        path: `/${at}`,
        shape,
        dtype: packing?.dtype ?? dtype,
        ...(dataset.metadata.type === STRING && { isText: true }),
        ...(problem !== undefined && { problem }),
      };
    });
  let netcdf: boolean | undefined;
  const isNetcdf = (): boolean => {
    netcdf ??= /\.(nc4?|cdf)$/i.test(path) || explained(path, () => "_NCProperties" in file.attrs);
    return netcdf;
  };
  return {
    name: path,
    close: () => {
      try {
        explained(path, () => file.close());
      } finally {
        bytes.close();
      }
    },
    list: () => {
      const all = paths();
      const datasets = listing(all);
      const held = new Set(datasets);
      const links = all.flatMap((at) => {
        if (held.has(at)) return [];
        const problem = externalLink(at);
        return problem === undefined ? [] : [{ path: `/${at}`, shape: [], problem }];
      });
      return [...datasets.filter(isVariable).map(described), ...links];
    },
    strings: (at) => {
      const dataset = entity(at);
      const values = dataset instanceof Dataset ? explained(path, () => dataset.value) : undefined;
      if (!Array.isArray(values) || values.some((value) => typeof value !== "string"))
        throw new FormatError(`${path}:${at} holds no list of strings`);
      return values as string[];
    },
    children: (at = "/") => {
      const group = at === "/" ? file : entity(at);
      if (group instanceof Group) return explained(path, () => group.keys());
      throw new FormatError(`${path} has no group ${at}`);
    },
    attributes: (at = "/") => {
      const object = at === "/" ? file : entity(at);
      if (object instanceof Dataset || object instanceof Group)
        return explained(path, () =>
          object instanceof Dataset ? datasetAttributes(object) : attributesOf(object.attrs),
        );
      throw new FormatError(`${path} has no ${at}`);
    },
    dataset: (at) => {
      const dataset = entity(at);
      if (dataset instanceof Dataset)
        return explained(path, () => hdf5Dataset(named, at, dataset, isNetcdf(), isVariable));
      if (dataset instanceof ExternalLink) throw new FormatError(`${path}:${at} ${externalLink(at)}`);
      const there = listing()
        .filter(isVariable)
        .map((known) => {
          const { shape } = explained(path, () => (entity(known) as Dataset).metadata);
          return { name: `/${known}`, shape: shape ?? undefined };
        });
      throw new FormatError(`${path} has no dataset ${at}; it has ${nameList(there)}`);
    },
  };
}

/** How netCDF-4 names the dataset of a dimension that has no coordinates. */
const NO_VARIABLE = "This is a netCDF dimension but not a netCDF variable";

/** A dataset by its metadata: what it holds, and why it cannot be read where that is so. */
interface Description {
  readonly shape: readonly number[];
  readonly dtype?: ElementType;
  readonly problem?: string;
  readonly packing?: Packing;
}

/** An HDF5 file by its path, with its bytes. */
interface NamedFile {
  readonly name: string;
  readonly size: number;
  /** Its bytes, past the library. */
  fill(into: Uint8Array, offset: number): void;
  readonly library: Hdf5Library;
}

function describe(file: NamedFile, dataset: Dataset, isNetcdf: boolean): Description {
  const { metadata } = dataset;
  const dtype = elementTypeOf(metadata);
  const shape = metadata.shape ?? [];
  if (!metadata.shape) return { shape, dtype, problem: "is empty" };
  if (!dtype) {
    const kind = kindOf(metadata);
    const problem = `holds ${kind}: only booleans, integers and floats of 16, 32 or 64 bits can be read`;
    return { shape, problem };
  }
  const problem =
    missingFilter(dataset) ??
    missingSource(file, metadata) ??
    neverWritten(file, elements(shape) * elementSize(dtype), metadata) ??
    unusualFormat(file, dataset);
  if (problem !== undefined) return { shape, dtype, problem };
  const packing = isNetcdf ? packingOf(dtype, datasetAttributes(dataset)) : undefined;
  if (packing && "problem" in packing) return { shape, dtype, problem: packing.problem };
  return { shape, dtype, packing };
}

function hdf5Dataset(
  file: NamedFile,
  path: string,
  dataset: Dataset,
  isNetcdf: boolean,
  isVariable: (path: string) => boolean,
): Hdf5Dataset {
  const name = `${file.name}:${path}`;
  const { explained } = file.library;
  const { shape, dtype, problem, packing } = describe(file, dataset, isNetcdf);
  if (problem !== undefined || !dtype) throw new FormatError(`${name} ${problem}`);
  // The library reads halves but has no array to put them in: as whole numbers it hands out their bits.
  if (dtype === "float16") dataset.metadata.type = INTEGER;
  const rows = shape[0] ?? 1;
  const readBox = async (box: readonly AxisRange[]): Promise<Values> => {
    checkBox(shape, box, name);
    return explained(name, () => {
      if (shape.length === 0) return scalar(dataset, dtype);
      return decode(boxBytes(dataset, box, elementSize(dtype)), dtype);
    });
  };
  const read = async (start: number, end: number): Promise<Values> => {
    if (start < 0 || end > rows || start > end)
      throw new RangeError(`rows ${start} to ${end} of ${rows} in ${name}`);
    const box = wholeBox(shape);
    if (shape.length > 0) box[0] = { start, length: end - start, step: 1 };
    return readBox(box);
  };
  notePlainRows(read, () => explained(name, () => plainRows(file, dataset, shape, dtype)));
  const scalesOf = (axis: number) => dataset.get_attached_scales(axis).filter(isVariable);
  const array: Hdf5Dataset = {
    path,
    shape,
    rows,
    dtype,
    attributes: withDimensionNames(dataset, isVariable),
    scales: () => explained(name, () => shape.map((_, axis) => scalesOf(axis))),
    read,
    readBox,
  };
  return packing ? unpacked(array, packing) : array;
}

/** The rows of a dataset where they lie in the file as they are; whatever is in doubt is left to the library. */
function plainRows(
  file: NamedFile,
  dataset: Dataset,
  shape: readonly number[],
  dtype: ElementType,
): PlainRows | undefined {
  if (shape.length === 0 || elements(shape) === 0 || file.library.allowsExternalFiles()) return undefined;
  const { chunks, type, size, virtual_sources } = dataset.metadata;
  if (virtual_sources !== undefined) return undefined;
  const { fill } = file;
  const stored = { shape, chunks, type: dtype === "float16" ? FLOAT : type, size, header: headerOf(dataset) };
  const pieces = rowPieces(bytesOf(file), stored);
  if (!pieces) return undefined;
  const { starts, each, littleEndian } = pieces;
  const bytes = elements(shape.slice(1)) * size;
  const { decode: decodeRows } = plainElements(dtype, littleEndian);
  const at = (row: number) => starts[Math.floor(row / each)] + (row % each) * bytes;
  // The library has the last word: its rows must be the same.
  const isSame = (row: number) => {
    const own = new Uint8Array(bytes);
    fill(own, at(row));
    const box = wholeBox(shape);
    box[0] = { start: row, length: 1, step: 1 };
    const theirs = decode(boxBytes(dataset, box, size), dtype);
    return areEqual(encode(decodeRows(own)), encode(theirs));
  };
  if (![0, shape[0] - 1].every(isSame)) return undefined;
  return { bytes, at, fill, decode: decodeRows };
}

const areEqual = (a: Uint8Array, b: Uint8Array): boolean =>
  a.length === b.length && a.every((byte, i) => byte === b[i]);

/** The bytes of a box. A large one passes through the library's memory in pieces along its first axes. */
function boxBytes(dataset: Dataset, box: readonly AxisRange[], size: number): Uint8Array {
  const bytes = elements(box.map(({ length }) => length)) * size;
  if (bytes === 0) return new Uint8Array(0);
  const axis = box.findIndex(({ length }) => length > 1);
  if (bytes <= PIECE_BYTES || axis < 0) {
    const ranges = box.map(({ start, length, step }): [number, number, number] => [
      start,
      start + (length - 1) * step + 1,
      step,
    ]);
    return encode(dataset.slice(ranges) as Values);
  }
  const all = new Uint8Array(bytes);
  const { start, length, step } = box[axis];
  const width = bytes / length;
  const places = Math.max(1, Math.floor(PIECE_BYTES / width));
  for (let at = 0; at < length; at += places) {
    const part = { start: start + at * step, length: Math.min(places, length - at), step };
    all.set(boxBytes(dataset, [...box.slice(0, axis), part, ...box.slice(axis + 1)], size), at * width);
  }
  return all;
}

/** Filters that the library has: deflate, shuffle, fletcher32, szip, nbit, scaleoffset. */
const LAST_OWN_FILTER = 6;

/** The first filter of a dataset that the library lacks. Without this a read may give whatever the memory held. */
function missingFilter(dataset: Dataset): string | undefined {
  if (!dataset.metadata.chunks) return undefined; // only chunks are filtered
  const missing = dataset.filters.find(({ id }) => id > LAST_OWN_FILTER);
  return missing && compressedBy(missing.name || `filter ${missing.id}`);
}

/** A virtual dataset whose sources may not be read or are missing: the library would put fill values there. */
function missingSource({ name, library }: NamedFile, { virtual_sources = [] }: Metadata): string | undefined {
  const others = virtual_sources.map((source) => source.file_name).filter((source) => source !== ".");
  if (others.length === 0) return undefined;
  if (!library.allowsExternalFiles()) return takesFromOther(others[0], library);
  const missing = others.find((source) => !source.includes("%b") && library.isMissing(source, name));
  return missing === undefined ? undefined : `takes its data from another file, ${missing}, which is missing`;
}

/** Bytes up to which a dataset may consist of fill values that were never written. */
const SMALL_BYTES = 1 << 26;
/** Deflate makes data smaller by this factor at most (zlib's technical details). */
const MOST_DEFLATED = 1032;

/** A dataset that is larger than its file can hold, however compressed: most of it are fill values. */
function neverWritten(
  { size: fileSize, library }: NamedFile,
  bytes: number,
  { virtual_sources }: Metadata,
): string | undefined {
  if (bytes <= Math.max(SMALL_BYTES, MOST_DEFLATED * fileSize)) return undefined;
  if (virtual_sources !== undefined || library.allowsExternalFiles()) return undefined;
  return `claims ${Math.round(bytes / 1e6)} MB in a file of ${Math.ceil(fileSize / 1e3)} kB: most of it was never written`;
}

/** The one value of a 0-d dataset. */
function scalar(dataset: Dataset, dtype: ElementType): Values {
  const value = dataset.value;
  if (dtype === "float16") return decode(encode(Uint16Array.of(Number(value))), dtype);
  return typeof value === "bigint" ? BigInt64Array.of(value) : Float64Array.of(Number(value));
}

/** HDF5's classes of types. */
const INTEGER = 0;
const FLOAT = 1;
const STRING = 3;
const COMPOUND = 6;
const REFERENCE = 7;
const ENUMERATION = 8;
const RAGGED = 9;
const ARRAY = 10;

/** Booleans are an enumeration, as h5py has them. Byte order is converted by the library. */
function elementTypeOf({ type, size, signed, enum_type }: Metadata): ElementType | undefined {
  if (type === INTEGER && size <= 8) return `${signed ? "" : "u"}int${8 * size}` as ElementType;
  if (type === FLOAT && [2, 4, 8].includes(size)) return `float${8 * size}` as ElementType;
  if (type === ENUMERATION && enum_type && "TRUE" in enum_type.members && size === 1) return "bool";
  return undefined;
}

/** What cannot be read, in words. */
function kindOf({ type, size, compound_type, enum_type }: Metadata): string {
  const members = compound_type?.members.map(({ name }) => name) ?? Object.keys(enum_type?.members ?? {});
  if (type === INTEGER) return `${8 * size}-bit integers`;
  if (type === FLOAT) return `${8 * size}-bit floats`;
  if (type === STRING) return "strings";
  if (type === COMPOUND)
    return members.join() === "r,i" ? "complex numbers" : `compounds of ${members.join(", ")}`;
  if (type === REFERENCE) return "references";
  if (type === ENUMERATION) return `an enumeration of ${members.join(", ")}`;
  if (type === RAGGED) return "lists of different lengths";
  if (type === ARRAY) return "arrays within its elements";
  return "elements of an unknown type";
}

/** Attributes of a dataset. The library makes up text for axes without a label, unless it is asked for labels alone. */
function datasetAttributes(dataset: Dataset): Attributes {
  const found = attributesOf(dataset.attrs);
  if (found.DIMENSION_LABELS === undefined) return found;
  return { ...found, DIMENSION_LABELS: dataset.get_dimension_labels().map((label) => label ?? "") };
}

/** Names that a library made up for dimensions. */
const MADE_UP = /^(phony_)?dim_?\d+$/;

/** Attributes of a dataset, in which dimensions of netCDF that have a name but no coordinates are labels of axes. */
function withDimensionNames(dataset: Dataset, isVariable: (path: string) => boolean): Attributes {
  const found = datasetAttributes(dataset);
  if (found.DIMENSION_LABELS !== undefined) return found;
  const names = (dataset.metadata.shape ?? []).map((_, axis) => {
    const [scale] = dataset.get_attached_scales(axis);
    const name = scale === undefined || isVariable(scale) ? "" : scale.split("/").at(-1)!;
    return MADE_UP.test(name) ? "" : name;
  });
  return names.some((name) => name !== "") ? { ...found, DIMENSION_LABELS: names } : found;
}

/** Attributes that are numbers or text; the references that tie dimension scales to their axes are passed over. */
function attributesOf(attributes: Readonly<Record<string, Attribute>>): Attributes {
  const found: Record<string, AttributeValue> = {};
  for (const [name, attribute] of Object.entries(attributes)) {
    const value = attribute.json_value;
    if (typeof value === "number" || typeof value === "string") found[name] = value;
    else if (typeof value === "boolean") found[name] = Number(value);
    else if (Array.isArray(value) && value.length > 0 && value.every((item) => typeof item === "boolean"))
      found[name] = value.map(Number);
    else if (Array.isArray(value) && value.every((item) => typeof item === typeof value[0])) {
      if (typeof value[0] === "number" || typeof value[0] === "string")
        found[name] = value as number[] | string[];
    }
  }
  return found;
}
