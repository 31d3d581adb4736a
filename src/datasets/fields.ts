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
  /** Samples `start` to `end - 1`, flattened in C order, one after another. */
  read(start: number, end: number): Promise<Float32Array | Float64Array>;
}

/** Numbers in one sample. */
export function fieldSize(fields: Pick<Fields, "shape">): number {
  return fields.shape.reduce((product, length) => product * length, 1);
}

/** Fields that are in memory already. */
export function fieldsInMemory(
  values: Float32Array | Float64Array,
  samples: number,
  shape: readonly number[],
): Fields {
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
}
