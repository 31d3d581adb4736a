import { OptionError } from "../errors.js";
import type { LabelledFields, LabelledFile } from "./fields.js";
import type { SampleArrays } from "./sample-arrays.js";

/** What an axis of a sample counts. A list of points without a grid is one axis of kind `point`. */
export type AxisKind = "channel" | "time" | "space" | "point";

/** Half of a dataset: clients share the samples for training, the server measures on those for testing. */
export type Split = "train" | "test";

/** An axis of the inputs or of the responses, as plain data. */
export interface Axis {
  readonly kind: AxisKind;
  readonly name: string;
  readonly length: number;
  readonly unit?: string;
  /** What the channels are, of an axis of channels. */
  readonly labels?: readonly string[];
  /** Key of its coordinates among the {@link Coordinates}; without one, its points lie evenly from 0 to 1. */
  readonly coordinates?: string;
}

/** What the inputs or the responses are. */
export interface ArrayDescription {
  /** `permeability`; `input` or `response` where nobody says. */
  readonly label: string;
  readonly unit?: string;
  /** Axes of a sample in C order: channels first, if there are any, then the grid. */
  readonly axes: readonly Axis[];
}

/** A list of points: `dimensions` numbers for each of them, one point after another. */
export interface PointList {
  readonly values: Float64Array;
  readonly dimensions: number;
}

/** Points of axes by the key that the axes have. */
export type Coordinates = Readonly<Record<string, PointList>>;

/** What is known of labelled data, as plain data: records, workers and partitions can keep it. */
export interface DatasetDescription {
  /** Short name in records and file names: `navier-stokes`. */
  readonly name: string;
  /** Name in figures and tables. */
  readonly title: string;
  /** Where the data come from, for the records. */
  readonly origin: string;
  /** Parameters of the whole dataset, such as a viscosity. */
  readonly parameters: Readonly<Record<string, number | string>>;
  readonly seed: number;
  /** SHA-256 of the content; undefined for data that exist only in memory. */
  readonly sha256?: string;
  readonly train: number;
  readonly test: number;
  readonly inputs: ArrayDescription;
  readonly responses: ArrayDescription;
  /** Names of the values that each sample has, such as its PDE parameters or its number in a source file. */
  readonly attributes?: readonly string[];
}

/** Labelled data: what is known of them, and their numbers. */
export interface Dataset {
  readonly description: DatasetDescription;
  readonly coordinates: Coordinates;
  /** One half, samples in the layout of the description. They may be read from disk as they are asked for. */
  read(split: Split): Promise<LabelledFields>;
  /** Values of each sample by name; empty where the data have none. */
  attributes(split: Split): Promise<Readonly<Record<string, Float64Array>>>;
  /** Stored axis of each axis of a response, where its axes were put into another order. */
  readonly responseOrder?: readonly number[];
  /** Arrays of a file with a row for each sample, which may stand for the responses where bins are fitted. */
  arrays?(split: Split): Promise<SampleArrays>;
  /** Which group each sample belongs to, counted from 0, where samples of a group stay together. */
  groups?(split: Split): Promise<Int32Array | undefined>;
  /** Closes the files; what was read stays. */
  close(): Promise<void>;
}

/** An array of a file, as it is stored and as it is read. */
export interface FileArray extends ArrayDescription {
  /** Name in the file, possibly with a slice, or several names; undefined for the one array of a NPY file. */
  readonly array?: string;
  /** File of its own with its hash, for inputs beside a NPY file of responses. */
  readonly file?: string;
  readonly sha256?: string;
  /** Stored axes of a sample in the order of `axes`; undefined where they are stored in that order. */
  readonly order?: readonly number[];
}

/** Where test samples are, if not in `/test` of the same file. */
export type TestSamples =
  /** Samples `range[0]` to `range[1] - 1` of the arrays; `chosen` says how where nobody asked for them. */
  | { readonly range: readonly [start: number, end: number]; readonly chosen?: string }
  /** Arrays of their own, in the same file or in another one. */
  | {
      readonly inputs: string;
      readonly responses: string;
      readonly file?: string;
      readonly sha256?: string;
    };

/**
 * Labelled data in a file, as plain data. What comes on top of a {@link LabelledFile} is absent for a file in our own
 * layout that holds data of a known source: the source describes those.
 */
export interface FileData extends LabelledFile {
  readonly title?: string;
  /** The files, where `file` names several. */
  readonly files?: readonly { readonly file: string; readonly sha256: string }[];
  /** Conventions by which the arrays are arranged. */
  readonly layouts?: readonly string[];
  readonly inputs?: FileArray;
  readonly responses?: FileArray;
  readonly testing?: TestSamples;
  /** Arrays of coordinates by the key that axes have. */
  readonly coordinates?: Readonly<Record<string, string>>;
  /** Arrays with a number for each training sample, by name. */
  readonly attributes?: Readonly<Record<string, string>>;
  /** Frames between the starts of windows, and how many windows a trajectory has. */
  readonly windowStep?: number;
  readonly windows?: number;
  /** The attribute whose samples of one value stay together; `trajectory` for the windows of one. */
  readonly group?: string;
  /** What should be known of the file before its numbers are believed. */
  readonly advice?: string;
}

/** Channels and grid of an array; a list of points is a grid of one axis, a single number one of one point. */
export interface FieldSize {
  readonly channels: number;
  readonly grid: readonly number[];
}

/** What a model must know of data. */
export interface DatasetShapes {
  readonly inputs: FieldSize;
  readonly responses: FieldSize;
  /** Where the responses are given: points x dimensions, in the order of their grid. */
  readonly points: { readonly values: Float32Array; readonly dimensions: number };
}

/** Sizes of inputs and responses, and the points of the responses. */
export function shapesOf(
  { inputs, responses }: Pick<DatasetDescription, "inputs" | "responses">,
  coordinates: Coordinates,
): DatasetShapes {
  return {
    inputs: fieldSizeOf(inputs),
    responses: fieldSizeOf(responses),
    points: pointsOf(responses, coordinates),
  };
}

/** Channels and grid of an array. */
export function fieldSizeOf({ axes }: Pick<ArrayDescription, "axes">): FieldSize {
  const channels = axes.find(({ kind }) => kind === "channel")?.length ?? 1;
  const grid = gridAxes({ axes }).map(({ length }) => length);
  return { channels, grid: grid.length === 0 ? [1] : grid };
}

/** Axes that are no channels. */
export const gridAxes = ({ axes }: Pick<ArrayDescription, "axes">): readonly Axis[] =>
  axes.filter(({ kind }) => kind !== "channel");

/** Every point of an array's grid, the last axis fastest. */
function pointsOf(array: Pick<ArrayDescription, "axes">, coordinates: Coordinates): DatasetShapes["points"] {
  const axes = gridAxes(array).map((axis) => axisPoints(axis, coordinates));
  const dimensions = Math.max(
    1,
    axes.reduce((sum, axis) => sum + axis.dimensions, 0),
  );
  const lengths = axes.map((axis) => axis.values.length / axis.dimensions);
  const count = lengths.reduce((product, length) => product * length, 1);
  const values = new Float32Array(count * dimensions);
  for (let point = 0; point < count; point++) {
    let rest = point;
    let column = dimensions;
    for (let i = axes.length - 1; i >= 0; i--) {
      const at = rest % lengths[i];
      rest = Math.floor(rest / lengths[i]);
      const size = axes[i].dimensions;
      column -= size;
      for (let d = 0; d < size; d++) values[point * dimensions + column + d] = axes[i].values[at * size + d];
    }
  }
  return { values, dimensions };
}

/** Where the points of an axis lie. */
export function axisPoints({ name, length, coordinates: key }: Axis, coordinates: Coordinates): PointList {
  const known = key === undefined ? undefined : coordinates[key];
  if (key !== undefined && known === undefined)
    throw new OptionError(`the coordinates "${key}" of axis ${name} are missing`);
  if (known && known.values.length !== length * known.dimensions)
    throw new OptionError(
      `axis ${name} has ${length} points, but coordinates of ${known.values.length / known.dimensions}`,
    );
  return known ?? { values: evenPoints(length), dimensions: 1 };
}

/** Points from 0 to 1 at equal distances. */
function evenPoints(length: number): Float64Array {
  return Float64Array.from({ length }, (_, i) => (length === 1 ? 0 : i / (length - 1)));
}
