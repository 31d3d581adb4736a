import { OptionError } from "../errors.js";

/**
 * A stack of sampled fields, read by rows: the responses or the inputs of a dataset, wherever they lie (memory,
 * HDF5, NPY, NPZ). Values come as float32 where the source holds float32, else as float64.
 */
export interface Fields {
  /** Number of samples, the length of the first axis. */
  readonly samples: number;
  /** Shape of one sample; `[]` for scalars. */
  readonly shape: readonly number[];
  readonly dtype: "float32" | "float64";
  /** What messages call them: `the inputs a of ns.npz`. */
  readonly name?: string;
  /** Whether all numbers are 0 or 1, as the file says. */
  readonly areFlags?: boolean;
  /** Samples `start` to `end - 1`, flattened in C order, one after another. */
  read(start: number, end: number): Promise<Float32Array | Float64Array>;
}

/** The largest number of float32, in which distances are computed and models trained. */
export const FLOAT32_MAX = (2 - 2 ** -23) * 2 ** 127;

/** Number of values in one sample. */
export function fieldSize(fields: Pick<Fields, "shape">): number {
  return fields.shape.reduce((product, length) => product * length, 1);
}

/** The position of a number within its sample, along every axis, of its index in C order. */
export function positionOf({ shape }: Pick<Fields, "shape">, index: number): number[] {
  let rest = index;
  return shape
    .map((_, axis) => shape[shape.length - 1 - axis])
    .map((length) => {
      const along = rest % length;
      rest = Math.floor(rest / length);
      return along;
    })
    .reverse();
}

/** Fields from an array in memory, flattened in C order. An array that is not of floats is copied into one. */
export function fieldsInMemory(
  given: Float32Array | Float64Array | ArrayLike<number>,
  samples: number,
  shape: readonly number[],
): Fields {
  if (!isFlat(given))
    throw new OptionError("fields in memory are one flat array of numbers, sample after sample");
  const values =
    given instanceof Float32Array || given instanceof Float64Array ? given : Float64Array.from(given);
  const size = fieldSize({ shape });
  if (values.length !== samples * size) {
    throw new RangeError(
      `${samples} samples of ${shape.join("x")} are ${samples * size} numbers, not ${values.length}`,
    );
  }
  return {
    samples,
    shape,
    dtype: values instanceof Float32Array ? "float32" : "float64",
    read: async (start, end) => values.subarray(start * size, end * size),
  };
}

/** Whether it is an array, plain or typed, of nothing but numbers; of a long one the first tells. */
function isFlat(values: ArrayLike<unknown>): boolean {
  const isArray = Array.isArray(values) || (ArrayBuffer.isView(values) && "length" in values);
  return isArray && (values.length === 0 || typeof values[0] === "number");
}

/** Inputs and responses of one half of a dataset. */
export interface LabelledFields {
  readonly inputs: Fields;
  readonly responses: Fields;
}

/** A file of labelled samples with a training and a test half, as `generate` and `import` write them. */
export interface LabelledFile {
  readonly file: string;
  /** Of the file's bytes. */
  readonly sha256: string;
  readonly task: string;
  /** `simulated by ...` or `imported from ...`. */
  readonly origin: string;
  /** Seed of the data, and those parameters of the task that the file states. */
  readonly seed: number;
  readonly parameters: Readonly<Record<string, number | string>>;
  readonly train: number;
  readonly test: number;
  /** Where samples and channels are, if not along the first axis of an array and of a sample. */
  readonly sampleAxis?: "first" | "last";
  readonly channels?: "last";
}
