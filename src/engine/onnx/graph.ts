import { OptionError } from "../../errors.js";
import { encode } from "../../files/ndarray.js";
import {
  bytes,
  float,
  type Message,
  message,
  serialise,
  text,
  whole,
} from "../../files/protobuf/write-protobuf.js";
import { VERSION } from "../../version.js";
import type { TensorType } from "../program.js";
import type { Shape } from "../shape.js";

/** Attributes of an ONNX node: whole numbers, floats (`{ float: 0.5 }`), lists of both, and strings. */
export type OnnxAttributes = Readonly<
  Record<string, number | boolean | readonly number[] | { float: number } | { floats: number[] } | string>
>;

/** Lengths of axes; one that is left open has a name instead. */
export type OnnxShape = readonly (number | string)[];

/** Operations beyond the standard that ONNX Runtime has on the CPU, such as FusedMatMul. */
export const EXTENSIONS = "com.microsoft";

/** ONNX Runtime's convolutions of fields whose channels lie in blocks. */
export const BLOCKED = "com.microsoft.nchwc";

// Versions of the file format and of the standard operations. Numbers of fields and types are those of
// https://github.com/onnx/onnx/blob/main/onnx/onnx.proto
const IR_VERSION = 8;
const OPSET_VERSION = 18;
const ELEMENT_TYPE = { float32: 1, int: 7, float64: 11 } as const;

/** What float tensors of a file are made of. */
export type OnnxPrecision = "float32" | "float64";

/** A protocol buffer ends at 2 GiB. */
const LARGEST_FILE = 2 ** 31 - 1;

interface OnnxNode {
  readonly inputs: readonly string[];
  readonly output: string;
  readonly encoded: Message;
}

/** An ONNX graph while it is written: nodes name the values that they take and make. */
export class OnnxGraph {
  readonly #nodes: OnnxNode[] = [];
  readonly #initializers = new Map<string, Message>();
  readonly #inputs: Message[] = [];
  readonly #outputs = new Map<string, Message>();
  readonly #taken: Set<string>;
  readonly #domains = new Set<string>();
  readonly #made = new Map<string, string>();
  readonly #reshaped = new Map<string, string>();

  /** `reserved` are the names of inputs and outputs, which nothing else may take. */
  constructor(
    reserved: Iterable<string>,
    readonly precision: OnnxPrecision = "float32",
  ) {
    this.#taken = new Set(reserved);
  }

  input(name: string, shape: OnnxShape, dtype: TensorType): string {
    this.#inputs.push(message(11, this.#valueInfo(name, shape, dtype)));
    return name;
  }

  output(name: string, value: string, shape: OnnxShape, dtype: TensorType): void {
    this.#nodes.push(node("Identity", [value], name));
    this.#outputs.set(name, message(12, this.#valueInfo(name, shape, dtype)));
  }

  /** Whole numbers, or numbers that take the file's precision. */
  constant(given: Float32Array | Float64Array | BigInt64Array, shape: Shape): string {
    const name = this.#fresh("constant");
    const values = given instanceof BigInt64Array ? given : inPrecision(given, this.precision);
    const type = values instanceof BigInt64Array ? ELEMENT_TYPE.int : ELEMENT_TYPE[this.precision];
    const dims = shape.flatMap((length) => whole(1, length));
    this.#initializers.set(name, message(5, dims, whole(2, type), text(8, name), bytes(9, encode(values))));
    return name;
  }

  /** A number; equal ones share a constant. */
  scalar(value: number): string {
    return this.once(`scalar ${value}`, () => this.constant(Float64Array.of(value), []));
  }

  /** A vector of equal numbers; equal ones share a constant. */
  filled(value: number, length: number): string {
    return this.once(`filled ${value} ${length}`, () =>
      this.constant(new Float64Array(length).fill(value), [length]),
    );
  }

  /** The name that `make` gives, made once for a key. */
  once(key: string, make: () => string): string {
    const known = this.#made.get(key) ?? make();
    this.#made.set(key, known);
    return known;
  }

  zeros(shape: Shape): string {
    return this.node("Expand", [this.scalar(0), this.ints(shape)]);
  }

  /** A whole number; equal ones share a constant. */
  index(value: number): string {
    return this.once(`index ${value}`, () => this.constant(BigInt64Array.of(BigInt(value)), []));
  }

  /** A vector of whole numbers; equal ones share a constant. */
  ints(values: readonly number[]): string {
    return this.once(`ints ${values.join()}`, () =>
      this.constant(BigInt64Array.from(values, BigInt), [values.length]),
    );
  }

  /** The same values in another shape. Equal ones are made once, and of several in a row the last one counts. */
  reshape(name: string, shape: Shape): string {
    const source = this.#reshaped.get(name) ?? name;
    const result = this.once(`${source} as ${shape}`, () => this.node("Reshape", [source, this.ints(shape)]));
    this.#reshaped.set(result, source);
    return result;
  }

  /** Appends a node with one output and returns that one's name. */
  node(type: string, inputs: readonly string[], attributes: OnnxAttributes = {}, domain = ""): string {
    const output = this.#fresh(type);
    if (domain !== "") this.#domains.add(domain);
    this.#nodes.push(node(type, inputs, output, attributes, domain));
    return output;
  }

  /** The bytes of an `.onnx` file, without what no output needs. */
  serialise(): Uint8Array {
    const needed = new Set(this.#outputs.keys());
    const nodes = [...this.#nodes].reverse().filter(({ output, inputs }) => {
      if (!needed.has(output)) return false;
      for (const input of inputs) needed.add(input);
      return true;
    });
    const parts = [
      nodes.reverse().map(({ encoded }) => encoded),
      [text(2, "program")],
      [...this.#initializers].flatMap(([name, encoded]) => (needed.has(name) ? [encoded] : [])),
      this.#inputs,
      [...this.#outputs.values()],
    ];
    const graph = parts.flat(2);
    const bytes = graph.reduce((sum, { length }) => sum + length, 0);
    if (bytes > LARGEST_FILE - 1000)
      throw new OptionError(`constants of ${bytes} bytes do not fit an ONNX file of 2 GiB; make them inputs`);
    return serialise(
      whole(1, IR_VERSION),
      text(2, "pde-dirichlet"),
      text(3, VERSION),
      message(7, graph),
      message(8, text(1, ""), whole(2, OPSET_VERSION)),
      ...[...this.#domains].map((domain) => message(8, text(1, domain), whole(2, 1))),
    );
  }

  #valueInfo(name: string, shape: OnnxShape, dtype: TensorType): Message {
    const dims = shape.map((length) =>
      message(1, typeof length === "string" ? text(2, length) : whole(1, length)),
    );
    const type = ELEMENT_TYPE[dtype === "int" ? "int" : this.precision];
    return [...text(1, name), ...message(2, message(1, whole(1, type), message(2, ...dims)))];
  }

  #fresh(word: string): string {
    let name = `${word}_${this.#taken.size}`;
    while (this.#taken.has(name)) name = `${name}_`;
    this.#taken.add(name);
    return name;
  }
}

function node(
  type: string,
  inputs: readonly string[],
  output: string,
  attributes: OnnxAttributes = {},
  domain = "",
): OnnxNode {
  const encoded = message(
    1,
    ...inputs.map((input) => text(1, input)),
    text(2, output),
    text(4, type),
    ...Object.entries(attributes).map(([name, value]) => message(5, text(1, name), attributeValue(value))),
    text(7, domain),
  );
  return { inputs, output, encoded };
}

/** Numbers in a precision; the same array where it has that one already. */
export function inPrecision(
  values: Float32Array | Float64Array,
  precision: OnnxPrecision,
): Float32Array | Float64Array {
  const wanted = precision === "float32" ? Float32Array : Float64Array;
  return values instanceof wanted ? values : wanted.from(values);
}

/** 32-bit whole numbers as 64-bit ones; each becomes its low word and its sign. */
export function widen(values: Int32Array): BigInt64Array {
  const words = new Int32Array(2 * values.length);
  for (let i = 0; i < values.length; i++) {
    words[2 * i] = values[i];
    words[2 * i + 1] = values[i] >> 31;
  }
  return new BigInt64Array(words.buffer);
}

function attributeValue(value: OnnxAttributes[string]): Message {
  if (typeof value === "number" || typeof value === "boolean")
    return [...whole(3, Number(value)), ...whole(20, 2)];
  if (typeof value === "string") return [...text(4, value), ...whole(20, 3)];
  if ("floats" in value) return [...value.floats.flatMap((item) => float(7, item)), ...whole(20, 6)];
  if ("float" in value) return [...float(2, value.float), ...whole(20, 1)];
  return [...value.flatMap((item) => whole(8, item)), ...whole(20, 7)];
}
