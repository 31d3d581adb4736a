import { DataError } from "../../errors.js";
import { writeOutputs } from "../../files/disk.js";
import { type Hdf5Contents, type Hdf5NewDataset, writeHdf5 } from "../../files/hdf5-writer.js";
import { elements } from "../../numerics/shape.js";
import { VERSION } from "../../version.js";
import type { Progress } from "../generate.js";
import { type Choice, chooseSamples } from "./choose-samples.js";
import { IMPORTERS, type ImporterOptions, type ImportFormat, openPublicData } from "./importers.js";
import type { PublicData, PublicFields } from "./public-data.js";

export interface ImportOptions extends ImporterOptions {
  readonly format: ImportFormat;
  readonly paths: readonly string[];
  /** Seed of the random selection of samples: a whole number from 0. */
  readonly seed: number;
  /** Number of training and of test samples; the paper's by default. */
  readonly train?: number;
  readonly test?: number;
}

export interface ImportedFile {
  readonly file: string;
  readonly task: string;
  readonly origin: string;
  readonly seed: number;
  readonly train: number;
  readonly test: number;
  /** Number of samples in the source. */
  readonly available: number;
  readonly inputShape: readonly number[];
  readonly responseShape: readonly number[];
}

/** Sample names that fit into an attribute, which HDF5 limits to 64 KiB; a name takes 16 bytes there. */
const MOST_NAMES = 4000;

/** Imports a random selection of samples into an HDF5 file in the layout of generated data. */
export async function importToFile(
  options: ImportOptions,
  file: string,
  { force, onProgress }: { readonly force?: boolean; readonly onProgress?: Progress } = {},
): Promise<ImportedFile> {
  const { format, paths, seed, ...rest } = options;
  const { train = IMPORTERS[format].train, test = IMPORTERS[format].test, ...importerOptions } = rest;
  const data = await openPublicData(format, paths, importerOptions);
  try {
    const choice = chooseSamples(data.samples, { train, test, seed });
    const contents = hdf5Contents(data, choice, seed, onProgress);
    const write = (path: string) => writeHdf5(path, contents);
    await writeOutputs([{ path: file, write }], { force, inputs: data.files });
    return {
      file,
      task: data.task,
      origin: data.origin,
      seed,
      train,
      test,
      available: data.samples,
      inputShape: data.inputs.shape,
      responseShape: data.responses.shape,
    };
  } finally {
    await data.close();
  }
}

function hdf5Contents(data: PublicData, choice: Choice, seed: number, onProgress?: Progress): Hdf5Contents {
  const total = 2 * (choice.train.length + choice.test.length);
  let done = 0;
  const onRead = () => onProgress?.(++done, total);
  const checked = { inputs: notAllEqual(data.inputs, total / 2), responses: data.responses };
  const split = (name: "train" | "test"): Record<string, Hdf5NewDataset> => {
    const samples = choice[name];
    const conditions = (data.conditions ?? []).map((condition) => [
      `/${name}/conditions/${condition.name}`,
      { shape: [samples.length], values: Float64Array.from(samples, condition.of), axes: ["sample"] },
    ]);
    const named = samples.length > 0 && samples.length <= MOST_NAMES;
    const names = named && data.nameOf && { names: Array.from(samples, data.nameOf) };
    return {
      [`/${name}/inputs`]: stack(data, checked.inputs, "input", samples, onRead),
      [`/${name}/responses`]: stack(data, checked.responses, "response", samples, onRead),
      [`/${name}/source`]: {
        shape: [samples.length],
        values: samples,
        axes: ["sample"],
        attributes: { ...names },
      },
      ...Object.fromEntries(conditions),
    };
  };
  const coordinates = Object.entries(data.coordinates).map(([name, values]) => [
    `/coordinates/${name}`,
    { shape: [values.length], values },
  ]);
  return {
    attributes: {
      format: "pde-dirichlet/dataset/1",
      task: data.task,
      equation: data.equation,
      origin: data.origin,
      imported_by: `pde-dirichlet ${VERSION}`,
      source_files: data.sources,
      source_samples: data.samples,
      seed,
      ...data.attributes,
    },
    datasets: { ...Object.fromEntries(coordinates), ...split("train"), ...split("test") },
  };
}

/** The chosen samples, read as they are written; every number must be finite. */
function stack(
  data: PublicData,
  fields: PublicFields,
  what: "input" | "response",
  samples: Int32Array,
  onRead: () => void,
): Hdf5NewDataset {
  const size = elements(fields.shape);
  const rows = async (start: number, end: number): Promise<Float32Array> => {
    const values = new Float32Array((end - start) * size);
    for (let row = start; row < end; row++) {
      const field = await fields.read(samples[row]);
      const bad = field.findIndex((value) => !Number.isFinite(value));
      if (bad >= 0) {
        const name = data.nameOf?.(samples[row]) ?? `${samples[row]} of ${data.sources.join(", ")}`;
        throw new DataError(
          `the ${what} of sample ${name} holds ${field[bad]} at [${position(bad, fields.shape)}]: ` +
            "expected finite numbers",
        );
      }
      values.set(field, (row - start) * size);
      onRead();
    }
    return values;
  };
  return {
    shape: [samples.length, ...fields.shape],
    values: samples.length === 0 ? new Float32Array(0) : { dtype: "float32", rows },
    axes: [
      "sample",
      ...fields.axes.map((axis) => (axis in data.coordinates ? `/coordinates/${axis}` : axis)),
    ],
  };
}

/** Refuses inputs that are all the same, as a frame before anything moves may be: nothing can be learnt from them. */
function notAllEqual(fields: PublicFields, samples: number): PublicFields {
  let first: Float32Array | undefined;
  let different = samples < 2;
  let seen = 0;
  return {
    ...fields,
    read: async (sample) => {
      const field = await fields.read(sample);
      first ??= field;
      different ||= field.some((value, i) => value !== first![i]);
      if (++seen === samples && !different)
        throw new DataError(`all ${samples} inputs are equal: choose another frame as input`);
      return field;
    },
  };
}

function position(index: number, shape: readonly number[]): string {
  const places: number[] = [];
  for (let axis = shape.length - 1, rest = index; axis >= 0; axis--) {
    places.unshift(rest % shape[axis]);
    rest = Math.floor(rest / shape[axis]);
  }
  return places.join(", ");
}
