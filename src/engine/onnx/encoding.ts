import type { Attributes, OperationName, Tensor } from "../program.js";
import type { OnnxGraph } from "./graph.js";

/** What encodings know of a tensor. */
export type Shaped = Pick<Tensor, "shape">;

/** Where an operation is written, and what it takes and makes. */
export interface Place {
  readonly graph: OnnxGraph;
  readonly operands: readonly Shaped[];
  readonly result: Shaped;
  /** Whether operations beyond the ONNX standard may be used. */
  readonly extensions: boolean;
  /** Channels of a block in ONNX Runtime's own layout of fields; 1 where it may not be used. */
  readonly block: number;
}

/** Appends the nodes of one operation and returns the name of its result. */
export type Encoding<K extends OperationName> = (
  inputs: readonly string[],
  attributes: Attributes[K],
  place: Place,
) => string;

export type Encodings = { readonly [K in OperationName]: Encoding<K> };
