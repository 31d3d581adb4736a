import type { Attributes, OperationName, Tensor } from "../program.js";
import type { OnnxGraph } from "./graph.js";

/** Where an operation is written, and what it takes and makes. */
export interface Place {
  readonly graph: OnnxGraph;
  readonly operands: readonly Tensor[];
  readonly result: Tensor;
  /** Whether operations beyond the ONNX standard may be used. */
  readonly extensions: boolean;
}

/** Appends the nodes of one operation and returns the name of its result. */
export type Encoding<K extends OperationName> = (
  inputs: readonly string[],
  attributes: Attributes[K],
  place: Place,
) => string;

export type Encodings = { readonly [K in OperationName]: Encoding<K> };
