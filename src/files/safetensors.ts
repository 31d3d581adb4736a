import { z } from "zod";
import { FormatError } from "../errors.js";
import { elements } from "../numerics/shape.js";
import { type ByteSource, checkRange } from "./byte-source.js";
import { decode, type ElementType, elementSize, encode, typeOfValues } from "./ndarray.js";

/** Values that a safetensors file can hold and we need. */
export type TensorValues = Float32Array | Float64Array | Int32Array;

export interface NamedTensor {
  readonly shape: readonly number[];
  readonly values: TensorValues;
}

/** Tensors by name, and what is said about them: words by words, as the format wants it. */
export interface Safetensors {
  readonly tensors: Readonly<Record<string, NamedTensor>>;
  readonly metadata: Readonly<Record<string, string>>;
}

const TYPES = { F32: "float32", F64: "float64", I32: "int32" } as const satisfies Record<string, ElementType>;

const headerSchema = z.record(
  z.string(),
  z.object({
    dtype: z.string(),
    shape: z.array(z.int().nonnegative()),
    data_offsets: z.tuple([z.int().nonnegative(), z.int().nonnegative()]),
  }),
);

/**
 * The bytes of a safetensors file (github.com/huggingface/safetensors, "Format"): the header's length as 64-bit
 * little-endian, a JSON header padded by blanks, then the tensors in C order one after another.
 */
export function writeSafetensors({ tensors, metadata }: Safetensors): Uint8Array {
  const header: Record<string, unknown> = { __metadata__: metadata };
  let end = 0;
  for (const [name, { shape, values }] of Object.entries(tensors)) {
    if (elements(shape) !== values.length)
      throw new RangeError(`${values.length} values do not fill ${shape.join("x")}`);
    const dtype = Object.entries(TYPES).find(([, type]) => type === typeOfValues(values))![0];
    header[name] = { dtype, shape, data_offsets: [end, end + values.byteLength] };
    end += values.byteLength;
  }
  const text = new TextEncoder().encode(JSON.stringify(header));
  const start = 8 + Math.ceil(text.length / 8) * 8; // so that the tensors lie aligned
  const bytes = new Uint8Array(start + end).fill(0x20, 8, start);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(start - 8), true);
  bytes.set(text, 8);
  let place = start;
  for (const { values } of Object.values(tensors)) {
    bytes.set(encode(values), place);
    place += values.byteLength;
  }
  return bytes;
}

/** Reads a safetensors file of float32, float64 and int32 tensors. */
export async function readSafetensors(source: ByteSource): Promise<Safetensors> {
  const opening = await source.read(0, 8);
  const length = new DataView(opening.buffer, opening.byteOffset).getBigUint64(0, true);
  if (length > source.size) throw new FormatError(`${source.name} is not a safetensors file`);
  const start = 8 + Number(length);
  const { __metadata__: metadata = {}, ...rest } = parseHeader(await source.read(8, Number(length)), source);
  const entries = headerSchema.safeParse(rest);
  const words = z.record(z.string(), z.string()).safeParse(metadata);
  if (!entries.success || !words.success)
    throw new FormatError(`${source.name} has no valid safetensors header`);
  const tensors: Record<string, NamedTensor> = {};
  for (const [name, { dtype, shape, data_offsets }] of Object.entries(entries.data)) {
    const type = TYPES[dtype as keyof typeof TYPES];
    if (!type) throw new FormatError(`${source.name}: "${name}" is of type ${dtype}, which is not read here`);
    const [from, to] = data_offsets;
    if (to - from !== elements(shape) * elementSize(type))
      throw new FormatError(
        `${source.name}: "${name}" has ${to - from} bytes for ${shape.join("x")} ${type}`,
      );
    checkRange(source, start + from, to - from);
    const values = decode((await source.read(start + from, to - from)).slice(), type) as TensorValues;
    tensors[name] = { shape, values };
  }
  return { tensors, metadata: words.data };
}

function parseHeader(bytes: Uint8Array, source: ByteSource): Record<string, unknown> {
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    throw new FormatError(`${source.name} is not a safetensors file`);
  }
}
