import { FormatError } from "../errors.js";
import { elements } from "../numerics/shape.js";
import type { ByteSource } from "./byte-source.js";
import { type NamedArrays, type NamedShape, refusedArray } from "./name-list.js";
import { decode, type ElementType, elementSize, toNumbers } from "./ndarray.js";
import { type Packing, packingOf, unpacked } from "./netcdf-attributes.js";
import { plainElements, rowMajor, stridedArray } from "./strided.js";

type Attributes = Readonly<Record<string, number | string | readonly number[]>>;

/** A classic netCDF file. */
export interface Netcdf3File extends NamedArrays {
  /** Attributes of the file itself, or of a variable. */
  attributes(name?: string): Attributes;
  /** Variables that hold the coordinates of each axis of a variable: those with the name of its dimension. */
  scales(name: string): readonly (string | undefined)[];
}

interface Dimension {
  readonly name: string;
  /** 0 for the dimension of records, which has as many places as there are records. */
  readonly length: number;
}

interface Variable {
  readonly name: string;
  readonly dimensions: readonly number[];
  readonly attributes: Attributes;
  readonly type: number;
  readonly begin: number;
}

interface Header {
  /** Undefined where the file was being written: its size tells. */
  readonly records?: number;
  readonly dimensions: readonly Dimension[];
  readonly attributes: Attributes;
  readonly variables: readonly Variable[];
}

const TYPES: Readonly<Record<number, ElementType>> = {
  1: "int8",
  3: "int16",
  4: "int32",
  5: "float32",
  6: "float64",
  7: "uint8",
  8: "uint16",
  9: "uint32",
  10: "int64",
  11: "uint64",
};
const TEXT = 2;
const DIMENSION = 10;
const VARIABLE = 11;
const ATTRIBUTE = 12;
/** Bytes that are read at first, and at most, for a header. */
const FIRST_BYTES = 1 << 14;
const MOST_BYTES = 1 << 26;
const MOST_AXES = 64;

/** Whether bytes begin like a classic netCDF file: the first format, with 64-bit offsets, or with 64-bit data. */
export function isNetcdf3(start: Uint8Array): boolean {
  return start[0] === 0x43 && start[1] === 0x44 && start[2] === 0x46 && [1, 2, 5].includes(start[3]);
}

/**
 * Opens a classic netCDF file (netCDF User's Guide, "The NetCDF Classic Format Specification"). Variables are read by
 * ranges, unpacked by `scale_factor` and `add_offset`; missing values are NaN.
 */
export async function openNetcdf3(source: ByteSource): Promise<Netcdf3File> {
  const header = await readHeader(source);
  const recordBytes = sizeOfRecords(header);
  const records = header.records ?? countRecords(source, header, recordBytes);
  const variables = new Map(header.variables.map((variable) => [variable.name, variable]));
  const described = new Map(
    header.variables.map((variable) => [variable.name, describe(variable, header, records, source.name)]),
  );
  const list = [...described.values()].map(({ packing: _, stored: __, ...rest }) => rest);
  const known = (name: string): Variable => {
    const variable = variables.get(name);
    if (!variable) throw refusedArray(source.name, name, list);
    return variable;
  };
  return {
    list: () => list,
    attributes: (name) => (name === undefined ? header.attributes : known(name).attributes),
    scales: (name) =>
      known(name).dimensions.map((at) => {
        const { name: axis } = header.dimensions[at];
        return variables.get(axis)?.dimensions.join() === String(at) && axis !== name ? axis : undefined;
      }),
    array: async (name) => {
      const { begin, dimensions } = known(name);
      const { shape, stored, packing, problem } = described.get(name)!;
      if (!stored || !shape || problem !== undefined) throw refusedArray(source.name, name, list);
      const strides = rowMajor(shape, elementSize(stored));
      if (isRecord(header, dimensions)) strides[0] = recordBytes;
      const named = { ...source, name: `${source.name}:${name}` };
      const array = stridedArray(named, {
        shape,
        strides,
        offset: begin,
        elements: plainElements(stored, false),
      });
      return packing ? unpacked(array, packing) : array;
    },
  };
}

function describe(
  { name, type, dimensions, attributes }: Variable,
  header: Header,
  records: number,
  file: string,
): NamedShape & { readonly stored?: ElementType; readonly packing?: Packing } {
  const lengths = dimensions.map((at, axis) =>
    axis === 0 && header.dimensions[at].length === 0 ? records : header.dimensions[at].length,
  );
  if (!Number.isSafeInteger(8 * elements(lengths)))
    throw new FormatError(`${file}:${name} has an impossible shape, (${lengths.join(", ")})`);
  if (type === TEXT) return { name, problem: "holds text" };
  const stored = TYPES[type];
  const packing = packingOf(stored, attributes);
  if (packing && "problem" in packing) return { name, problem: packing.problem };
  return { name, shape: lengths, dtype: packing?.dtype ?? stored, stored, packing };
}

function isRecord({ dimensions }: Header, axes: readonly number[]): boolean {
  return axes.length > 0 && dimensions[axes[0]].length === 0;
}

/** Bytes of a variable in one record. */
function bytesInRecord({ dimensions }: Header, { dimensions: axes, type }: Variable): number {
  const size = type === TEXT ? 1 : elementSize(TYPES[type]);
  return elements(axes.slice(1).map((at) => dimensions[at].length)) * size;
}

/** Bytes from one record to the next: variables are padded to four bytes, unless there is but one. */
function sizeOfRecords(header: Header): number {
  const sizes = header.variables
    .filter(({ dimensions }) => isRecord(header, dimensions))
    .map((variable) => bytesInRecord(header, variable));
  return sizes.length === 1 ? sizes[0] : sizes.reduce((sum, size) => sum + Math.ceil(size / 4) * 4, 0);
}

/** Whole records in a file that does not say how many it has. */
function countRecords(source: ByteSource, header: Header, recordBytes: number): number {
  const begins = header.variables.flatMap(({ begin, dimensions }) =>
    isRecord(header, dimensions) ? [begin] : [],
  );
  if (recordBytes === 0) return 0;
  return Math.max(0, Math.floor((source.size - Math.min(...begins)) / recordBytes));
}

/** The header. How long it is only its end tells, so that more is read until it is complete. */
async function readHeader(source: ByteSource): Promise<Header> {
  for (let length = FIRST_BYTES; ; length *= 4) {
    const bytes = await source.read(0, Math.min(length, MOST_BYTES, source.size));
    const header = new HeaderReader(bytes, source.name).read();
    if (header !== undefined) return header;
    if (bytes.length === source.size)
      throw new FormatError(`${source.name} is truncated: its header is cut off`);
    if (bytes.length === MOST_BYTES)
      throw new FormatError(`${source.name} has a header of more than ${MOST_BYTES} bytes`);
  }
}

class CutOff extends Error {}

/** A place in a header that moves on as it is read. All numbers are big-endian. */
class HeaderReader {
  private at = 4;
  private readonly view: DataView;
  private readonly version: number;

  constructor(
    private readonly bytes: Uint8Array,
    private readonly file: string,
  ) {
    if (!isNetcdf3(bytes)) throw new FormatError(`${file} is not a classic netCDF file`);
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.version = bytes[3];
  }

  /** The header; undefined where the bytes end before it does. */
  read(): Header | undefined {
    try {
      const count = this.count(true);
      const records = count < 0 ? undefined : count;
      const dimensions = this.list(DIMENSION, () => ({ name: this.name(), length: this.count() }));
      const attributes = this.attributes();
      const variables = this.list(VARIABLE, () => this.variable(dimensions));
      return { records, dimensions, attributes, variables };
    } catch (error) {
      if (error instanceof CutOff) return undefined;
      throw error;
    }
  }

  private variable(all: readonly Dimension[]): Variable {
    const name = this.name();
    const axes = this.count();
    if (axes > MOST_AXES) throw this.damaged(`${name} has ${axes} dimensions`);
    const dimensions = Array.from({ length: axes }, () => this.count());
    const attributes = this.attributes();
    const type = this.word();
    this.count(true); // bytes of the variable, which a large one does not tell rightly
    const begin = this.version === 1 ? this.word() >>> 0 : this.wide();
    if (dimensions.some((at, axis) => !all[at] || (axis > 0 && all[at].length === 0)))
      throw this.damaged(`${name} has an unknown dimension`);
    if (type !== TEXT && !TYPES[type]) throw this.damaged(`${name} is of type ${type}`);
    return { name, dimensions, attributes, type, begin };
  }

  private attributes(): Attributes {
    const pairs = this.list(ATTRIBUTE, (): [string, number | string | number[]] => {
      const name = this.name();
      const type = this.word();
      const count = this.count();
      if (type === TEXT) return [name, new TextDecoder().decode(this.padded(count)).replace(/\0+$/, "")];
      const dtype = TYPES[type];
      if (!dtype) throw this.damaged(`attribute ${name} is of type ${type}`);
      const values = [...toNumbers(decode(this.padded(count * elementSize(dtype)), dtype, false))];
      return [name, values.length === 1 ? values[0] : values];
    });
    return Object.fromEntries(pairs);
  }

  /** A list: its tag and length, or zeros where it is absent. */
  private list<T>(tag: number, item: () => T): T[] {
    const found = this.word();
    const count = this.count();
    if (found !== tag && (found !== 0 || count !== 0))
      throw this.damaged(`a list of kind ${found} in place of ${tag}`);
    const items: T[] = [];
    while (items.length < count) items.push(item()); // a count that lies ends with the bytes
    return items;
  }

  private name(): string {
    return new TextDecoder().decode(this.padded(this.count()));
  }

  private count(mayBeNegative = false): number {
    const value = this.version === 5 ? this.wide() : this.word();
    if (value < 0 && !mayBeNegative) throw this.damaged(`a length of ${value}`);
    return value;
  }

  private word(): number {
    return this.view.getInt32(this.skip(4), false);
  }

  private wide(): number {
    return Number(this.view.getBigInt64(this.skip(8), false));
  }

  private padded(length: number): Uint8Array {
    const start = this.skip(Math.ceil(length / 4) * 4);
    return this.bytes.subarray(start, start + length);
  }

  private skip(length: number): number {
    if (this.at + length > this.bytes.length) throw new CutOff();
    this.at += length;
    return this.at - length;
  }

  private damaged(how: string): FormatError {
    return new FormatError(`${this.file} is damaged: ${how}`);
  }
}
