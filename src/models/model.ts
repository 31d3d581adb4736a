import type { GivenValues, Options } from "../options/option.js";

/** A sample's array: channels before the grid, in C order. A list of points is a grid of one axis. */
export interface FieldShape {
  readonly channels: number;
  readonly grid: readonly number[];
}

/** What a model must know of data. */
export interface DataShapes {
  readonly inputs: FieldShape;
  readonly responses: FieldShape;
  /** Where the responses are given: points x dimensions, in the order of their grid. */
  readonly points: { readonly values: Float32Array; readonly dimensions: number };
}

/** How inputs and responses are scaled before training. */
export type InputScaling = "none" | "standard" | "channels";

/** An entry of the list of models: `MODELS` names them. A new model is one file with one of these, and its line there. */
export interface Model<Trainable> {
  /** As a heading: `DeepONet`. */
  readonly title: string;
  /** One line for the help: what it maps to what. */
  readonly summary: string;
  /** Sizes and choices, each declared once. */
  readonly options: Options;
  /** What training takes unless told otherwise. */
  readonly training: { readonly batch: number; readonly normalise: InputScaling };
  /** Why it cannot take data of these shapes, as the end of a sentence; undefined if it can. */
  refuses(shapes: DataShapes): string | undefined;
  /** Builds it for data that it does not refuse; options that are left out have their defaults for these shapes. */
  build(shapes: DataShapes, options?: GivenValues): Trainable;
}
