import type { GivenValues, Options } from "../options/option.js";
import type { TrainableModel } from "./trainable-model.js";

/** A sample's array: channels before the grid, in C order. A list of points is a grid of one axis. */
export interface FieldShape {
  readonly channels: number;
  readonly grid: readonly number[];
}

/** What a model must know of data. */
export interface DataShapes {
  readonly inputs: FieldShape;
  readonly responses: FieldShape;
  /**
   * Where the responses are given: points x dimensions, in the order of their grid. Without it each axis of the grid runs
   * from 0 to 1.
   */
  readonly points?: OutputPoints;
}

export interface OutputPoints {
  readonly values: Float32Array;
  readonly dimensions: number;
}

/** How inputs and responses are scaled before training. */
export type InputScaling = "none" | "standard" | "channels";

/** An entry of the list of models: `MODELS` names them. A new model is one file with one of these, and its line there. */
export interface Model {
  /** As a heading: `DeepONet`. */
  readonly title: string;
  /** One line for the help: what it maps to what. */
  readonly summary: string;
  /** Sizes and choices, each declared once. */
  readonly options: Options;
  /** Defaults of training. */
  readonly training: { readonly batch: number; readonly normalise: InputScaling };
  /** Why it cannot take data of these shapes, as the end of a sentence; undefined if it can. */
  refuses(shapes: DataShapes): string | undefined;
  /** Builds it for data that it does not refuse; options that are left out have their defaults for these shapes. */
  build(shapes: DataShapes, options?: GivenValues): TrainableModel;
  /** Throws a `DataError` for scaled responses that it cannot predict; absent if it can predict any number. */
  checkResponses?(responses: Float32Array): void;
}

/** A sample's array as a field on a grid of so many axes; undefined if it has other axes than these and channels. */
export function fieldShape(shape: readonly number[], axes: number): FieldShape | undefined {
  if (shape.length === axes) return { channels: 1, grid: shape };
  return shape.length === axes + 1 ? { channels: shape[0], grid: shape.slice(1) } : undefined;
}

/** Numbers of a sample. */
export function fieldSize({ channels, grid }: FieldShape): number {
  return grid.reduce((product, length) => product * length, channels);
}

/** A grid in words: `64 x 64 points`. */
export const gridWords = (grid: readonly number[]): string => `${grid.join(" x ")} points`;
