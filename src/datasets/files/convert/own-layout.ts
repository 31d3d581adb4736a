import { DataError } from "../../../errors.js";
import type { Attributes } from "../../../files/hdf5.js";
import type { Hdf5Contents, Hdf5NewDataset } from "../../../files/hdf5-writer.js";
import { elements } from "../../../numerics/shape.js";
import type { ArrayDescription, Axis, Dataset, Split } from "../../dataset.js";
import { type Fields, positionOf } from "../../fields.js";
import { CHANNEL_NAMES } from "../array-axes.js";
import { isPointList } from "../coordinate-arrays.js";
import { SINGLE } from "../data-in-words.js";

type Which = "inputs" | "responses";

/** What a file in our own layout holds. */
export interface OwnLayout {
  readonly dataset: Dataset;
  readonly splits: readonly Split[];
  /** Attributes of the file: name, title, origin, seed, parameters. */
  readonly attributes: Attributes;
  /** The number of each sample's group, where no attribute of the samples has it. */
  readonly groups?: { readonly name: string; readonly of: Readonly<Record<Split, Int32Array>> };
  /** Element type of inputs and responses; as the data have it by default. */
  readonly dtype?: Fields["dtype"];
  /** What the source of the data says of them anyway. */
  readonly usual?: Readonly<Record<Which, ArrayDescription>>;
  /** What messages call the data. */
  readonly source: string;
  /** Called with the number of samples of an array that were read. */
  readonly onRead: (samples: number) => void;
}

/** Labelled data as an HDF5 file in the layout of generated data. Samples are read as they are written. */
export async function ownLayout(layout: OwnLayout): Promise<Hdf5Contents> {
  const { dataset, splits, attributes } = layout;
  const datasets: Record<string, Hdf5NewDataset> = { ...coordinateDatasets(dataset) };
  for (const split of splits) {
    const columns = Object.entries(await dataset.attributes(split));
    const groups = layout.groups && ([[layout.groups.name, layout.groups.of[split]]] as const);
    for (const [name, values] of [...columns, ...(groups ?? [])])
      datasets[`/${split}/${columnName(name)}`] = { shape: [values.length], values, axes: ["sample"] };
    const fields = await dataset.read(split);
    for (const which of ["inputs", "responses"] as const)
      datasets[`/${split}/${which}`] = arrayDataset(which, split, fields[which], layout);
  }
  return { attributes, datasets };
}

/** A column cannot have the name of the arrays. */
const columnName = (name: string): string =>
  name === "inputs" || name === "responses" ? `${name}_column` : name;

/**
 * Element type of an array of the new file: as asked, else as the data have it. Flags among the inputs, such as a permeability
 * of two values, are exact in float32; responses keep their type, by whose bytes partitions know them.
 */
export function writtenType(
  which: Which,
  { dtype, areFlags }: Fields,
  asked: Fields["dtype"] | undefined,
): Fields["dtype"] {
  return asked ?? (areFlags && which === "inputs" ? "float32" : dtype);
}

function arrayDataset(which: Which, split: Split, fields: Fields, layout: OwnLayout): Hdf5NewDataset {
  const { onRead, source } = layout;
  const dtype = writtenType(which, fields, layout.dtype);
  const what = `the ${split === "train" ? "training" : "test"} ${which} of ${source}`;
  const array = layout.dataset.description[which];
  const isNumber =
    array.axes.length === 1 && array.axes[0].name === SINGLE.name && elements(fields.shape) === 1;
  const usual = layout.usual?.[which];
  const isUsual = usual?.label === array.label && usual.unit === array.unit;
  const channels = array.axes.find(({ kind }) => kind === "channel")?.labels;
  return {
    shape: [fields.samples, ...(isNumber ? [] : fields.shape)],
    values: {
      dtype,
      rows: async (start, end) => {
        const values = await fields.read(start, end);
        checkFinite(values, start, fields, what);
        onRead(end - start);
        return dtype === fields.dtype ? values : narrowed(values, which, start, fields);
      },
    },
    attributes: {
      ...(!isUsual && { label: array.label }),
      ...(!isUsual && array.unit !== undefined && { units: array.unit }),
      ...(channels && { channel_labels: channels }),
    },
    axes: ["sample", ...(isNumber ? [] : array.axes.map((axis) => axisEntry(which, axis)))],
  };
}

/** Refuses numbers that no command could use later. */
function checkFinite(values: Float32Array | Float64Array, start: number, fields: Fields, what: string): void {
  let at = 0;
  while (at < values.length && Number.isFinite(values[at])) at++;
  if (at === values.length) return;
  const size = elements(fields.shape);
  throw new DataError(
    `${what} have ${values[at]} in sample ${start + Math.floor(at / size)}, position ` +
      `[${positionOf(fields, at % size).join(", ")}]: values must be finite`,
  );
}

/** Values as float32, or as float64 where float32 was read. */
function narrowed(
  values: Float32Array | Float64Array,
  which: Which,
  start: number,
  { shape }: Fields,
): Float32Array | Float64Array {
  if (values instanceof Float32Array) return Float64Array.from(values);
  const narrow = Float32Array.from(values);
  const lost = narrow.findIndex((value, i) => !Number.isFinite(value) && Number.isFinite(values[i]));
  if (lost >= 0)
    throw new DataError(
      `the ${which} of sample ${start + Math.floor(lost / elements(shape))} hold ${values[lost]}, which float32 cannot hold: leave out --float32`,
    );
  return narrow;
}

/** Label of an axis, with its coordinates where they lie along a line. */
function axisEntry(which: Which, axis: Axis): NonNullable<Hdf5NewDataset["axes"]>[number] {
  const { kind, name } = axis;
  const label = kind === "channel" && !CHANNEL_NAMES.test(name) ? "channel" : name;
  if (axis.coordinates === undefined || kind === "point") return label;
  return { label, scale: coordinatePath(which, axis) };
}

function coordinateDatasets({ description, coordinates }: Dataset): Record<string, Hdf5NewDataset> {
  const found: Record<string, Hdf5NewDataset> = {};
  for (const which of ["inputs", "responses"] as const)
    for (const axis of description[which].axes) {
      if (axis.coordinates === undefined) continue;
      const { values, dimensions } = coordinates[axis.coordinates];
      const isList = axis.kind === "point";
      found[coordinatePath(which, axis)] = {
        shape: isList ? [values.length / dimensions, dimensions] : [values.length],
        values,
        ...(axis.unit !== undefined && { attributes: { units: axis.unit } }),
      };
    }
  return found;
}

/** Where the coordinates of an axis are: `/coordinates/x`, or `/coordinates/responses/x` beside another x of the inputs. */
function coordinatePath(which: Which, { kind, name, coordinates }: Axis): string {
  const folder = coordinates === name ? "/coordinates" : `/coordinates/${which}`;
  const own = name.replaceAll("/", "-");
  return kind === "point" && !isPointList(own) ? `${folder}/${own}/points` : `${folder}/${own}`;
}

/** What a description says of an array, for comparisons. */
export const arrayOf = ({ label, unit, axes }: ArrayDescription): ArrayDescription => ({
  label,
  ...(unit !== undefined && { unit }),
  axes,
});
