import { basename } from "node:path";
import type { ArrayDescription, Axis, Split } from "../../datasets/dataset.js";
import type { ArrayFile, NamedArray } from "../../datasets/files/array-file.js";
import { isSameName, testName } from "../../datasets/files/array-names.js";
import { openArray } from "../../datasets/files/arrays/chosen.js";
import { parseSelections } from "../../datasets/files/arrays/expression.js";
import { axisOf, viewOf } from "../../datasets/files/arrays/view.js";
import { type DataArrays, openDataArrays } from "../../datasets/files/data-arrays.js";
import { arrayInWords } from "../../datasets/files/data-in-words.js";
import { coordinateArrays, describeAxes, storedAxisNames } from "../../datasets/files/file-coordinates.js";
import type { FileChoice } from "../../datasets/files/file-data.js";
import {
  type DataNames,
  groupsInWords,
  type NotedNames,
  type OpenedData,
  openNotedArrays,
} from "../../datasets/files/opened-data.js";
import { type ChannelAxis, type ChannelPlace, channelAxes } from "../../datasets/files/sample-axes.js";
import { type DataSource, type SourceGeometry, usualParameters } from "../../datasets/source.js";
import { isSource, sourceOf } from "../../datasets/sources.js";
import { FormatError, OptionError } from "../../errors.js";
import type { SampleFields } from "../../figures/samples/sample-panel.js";
import type { SampledAxis, SampledField } from "../../figures/samples/sampled-field.js";
import { toFloats } from "../../files/ndarray.js";
import { DISK } from "../../files/store/disk.js";

/** Data whose samples are looked at. */
export interface ShownData {
  /** Their source, if they are of one that is known here. */
  readonly source?: { readonly name: string; readonly style: DataSource["picture"]; readonly color?: string };
  readonly sourceGeometry?: SourceGeometry;
  /** What the user or the file calls the data; undefined if neither does. */
  readonly title?: string;
  /** What the user or the file calls the arrays. */
  readonly input: ShownLabel;
  readonly response: ShownLabel;
  /** Where the data come from: "simulated by pde-dirichlet 0.1.0", or the file's name where it does not say. */
  readonly origin: string;
  readonly samples: number;
  /** How the arrays were read. */
  readonly data: Pick<OpenedData, "reading" | "passedOver" | "advice">;
  /** What the file calls its inputs. */
  readonly inputName?: string;
  sample(index: number): Promise<SampleFields>;
  /** Numbers in the order of a response, such as a mean of several, as a response. */
  field(values: Float64Array): SampledField;
  close(): Promise<void>;
}

export interface ShownLabel {
  readonly label?: string;
  readonly unit?: string;
}

export interface ShownDataOptions extends Omit<FileChoice, "name" | "test" | "group"> {
  readonly split: Split;
}

/**
 * Opens data with what they say of themselves: title, origin, labels, units, axes. Files that are not ours say less. What a
 * partition has `noted` of the data, which are then those of training, is repeated.
 */
export async function openShownData(
  path: string,
  options: ShownDataOptions,
  noted?: NotedNames,
): Promise<ShownData> {
  const arrays = noted
    ? (await openNotedArrays(DISK, path, noteless(options), noted)).opened
    : await openSplit(path, options);
  const { file, names, inputsFile } = arrays;
  try {
    const { attributes } = file;
    const source = textOf(attributes.task) ?? textOf(attributes.name);
    const known = source !== undefined && isSource(source) ? sourceOf(source) : undefined;
    const geometry = known?.geometry(usualParameters(known));
    const partial = String(attributes.coordinate_units ?? "").startsWith("parts of the domain");
    const axes = await axesOf(
      arrays,
      { ...options, channels: options.channels ?? noted?.channels },
      geometry,
    );
    const coordinates = await coordinatesOf(file, axes);
    return {
      ...(known && {
        source: { name: source!, style: known.picture, color: known.color },
        sourceGeometry: geometry,
      }),
      title: options.title ?? textOf(attributes.title) ?? (known ? undefined : textOf(attributes.name)),
      input: labelOf(arrays.inputs, options.inputLabel, options.inputUnit),
      response: labelOf(arrays.responses, options.responseLabel, options.responseUnit),
      origin: textOf(attributes.origin) ?? `from ${basename(path)}`,
      samples: arrays.responses.rows,
      data: {
        reading: readingOf(path, arrays, axes, options),
        passedOver: othersThan(names.passedOver, axes),
        advice: arrays.advice,
      },
      inputName: inputsFile ?? names.inputs,
      sample: async (index) => {
        const extents = partial ? await extentsOf(file, options.split, index) : {};
        const placed = (shown: ShownAxes) =>
          shown.axes.map((axis) => sampledAxis(axis, coordinates, extents, partial));
        return {
          input:
            arrays.inputs &&
            axes.inputs &&
            (await read(arrays.inputs, index, axes.inputs, placed(axes.inputs))),
          response: await read(arrays.responses, index, axes.responses, placed(axes.responses)),
        };
      },
      field: (values) => {
        const { order, axes: shown } = axes.responses;
        return {
          values: reordered(values, arrays.responses.shape.slice(1), order),
          shape: order.map((axis) => arrays.responses.shape[axis + 1]),
          axes: shown.map((axis) => sampledAxis(axis, coordinates, {}, partial)),
        };
      },
      close: arrays.close,
    };
  } catch (error) {
    await arrays.close();
    throw error;
  }
}

/** The choice of arrays without what is said of their axes, which `openNotedArrays` has no use for. */
function noteless({ channels: _, axes: __, ...rest }: ShownDataOptions): DataNames {
  return rest;
}

/** How the arrays are read: `u.npz: inputs a: 2 channels on 64 x 64; responses u: 1 channel on 64 x 64 (400 samples)`. */
function readingOf(
  path: string,
  arrays: DataArrays,
  { inputs, responses }: { readonly inputs?: ShownAxes; readonly responses: ShownAxes },
  { sampleAxis }: ShownDataOptions,
): string {
  const { names, inputsFile } = arrays;
  const words = (what: string, name: string | undefined, axes: ShownAxes) =>
    `${what}${name ? ` ${name}` : ""}: ${arrayInWords(axes)}`;
  const beside = inputsFile === undefined ? "" : basename(inputsFile);
  const read = [
    inputs ? words("inputs", `${beside}${names.inputs}`, inputs) : "no inputs",
    words("responses", names.responses, responses),
  ];
  const along = sampleAxis === "last" ? ", along the last axis" : "";
  return `${basename(path)}: ${read.join("; ")} (${arrays.responses.rows} samples${along}${groupsInWords(arrays)})`;
}

/** Arrays of a file that are not read, without the coordinates that are. */
function othersThan(
  names: readonly string[] | undefined,
  { inputs, responses }: { readonly inputs?: ShownAxes; readonly responses: ShownAxes },
): readonly string[] | undefined {
  const read = [inputs, responses].flatMap((one) => Object.values(one?.coordinates ?? {}));
  const others = names?.filter((name) => !read.some((text) => isSameName(text.replace(/\[.*$/, ""), name)));
  return others?.length === 0 ? undefined : others;
}

const textOf = (value: unknown): string | undefined =>
  typeof value === "string" && value.trim() !== "" ? value : undefined;

function labelOf(array: NamedArray | undefined, label?: string, unit?: string): ShownLabel {
  const { label: said, long_name, units, unit: other } = array?.attributes ?? {};
  return {
    label: label ?? textOf(said) ?? textOf(long_name),
    unit: unit ?? textOf(units) ?? textOf(other),
  };
}

/** Opens the half that is asked for: test arrays are named as those of training, with "test" in place of "train". */
async function openSplit(path: string, options: ShownDataOptions): Promise<DataArrays> {
  const { split, responses, inputs, window, ...rest } = options;
  const train = await openDataArrays(DISK, path, options, { needsInputs: false });
  if (split === "train" || responses !== undefined) return train;
  await train.close();
  const { names } = train;
  if (names.responses === "")
    throw new OptionError(`${path} is a single array without a test split: leave out --split`);
  const name = testName(names.responses);
  if (name === undefined)
    throw new OptionError(`${path} has no test samples beside ${names.responses}: leave out --split`);
  const tested = names.inputs && (testName(names.inputs) ?? names.inputs);
  const chosen = { ...rest, responses: name, inputs: window === undefined ? (inputs ?? tested) : tested };
  return openDataArrays(DISK, path, chosen, { needsInputs: false });
}

/** Axes of an array with its channels first, and the stored axes of a sample in that order. */
interface ShownAxes {
  readonly axes: readonly Axis[];
  readonly order: readonly number[];
  readonly coordinates: Readonly<Record<string, string>>;
}

/** More channels than this are rather an axis of a grid. */
const FEW_CHANNELS = 6;

async function axesOf(
  { file, names: chosen, ...arrays }: DataArrays,
  options: ShownDataOptions,
  geometry?: SourceGeometry,
): Promise<{ readonly inputs?: ShownAxes; readonly responses: ShownAxes }> {
  const taken = [chosen.inputs, chosen.responses].flatMap((text) =>
    text ? parseSelections(text).map(({ name }) => name) : [],
  );
  const present = (await file.list()).filter(({ name }) => !taken.some((one) => isSameName(one, name)));
  const lines = coordinateArrays(present, []);
  const unread = (array: NamedArray, asked: readonly string[] | undefined, usual?: ArrayDescription) => {
    const shape = array.shape.slice(1);
    if (asked && asked.length !== shape.length)
      throw new OptionError(
        `a sample has ${shape.length} axes, ${shape.join(" x ")}, not ${asked.join(", ")}`,
      );
    const names = asked ?? storedAxisNames(array).slice(1);
    const gridRank = usual?.axes.filter(({ kind }) => kind !== "channel").length;
    const points = lines.lists.find((list) => shape.includes(list.points))?.points;
    return { shape, names, gridRank, points };
  };
  const responses = unread(arrays.responses, options.axes, geometry?.responses);
  const inputs = arrays.inputs && unread(arrays.inputs, options.inputAxes, geometry?.inputs);
  const channels = likelyChannels(
    file,
    { inputs: inputs ?? responses, responses },
    options,
    lines.lines.map(({ length }) => length),
  );
  const describe = async (
    which: "inputs" | "responses",
    { shape, names }: ReturnType<typeof unread>,
  ): Promise<ShownAxes> => {
    const axis = channels[which];
    const order = [
      ...(axis === undefined ? [] : [axis]),
      ...shape.map((_, i) => i).filter((i) => i !== axis),
    ];
    const array = {
      which,
      stored: arrays[which]!,
      storedAxes: order.map((i) => i + 1),
      shape: order.map((i) => shape[i]),
      hasChannels: axis !== undefined,
      names: order.map((i) => names[i]),
      usual: geometry?.[which].axes,
    };
    return { ...(await describeAxes(file, array, lines)), order };
  };
  const described = {
    inputs: inputs && (await describe("inputs", inputs)),
    responses: await describe("responses", responses),
  };
  return {
    inputs: described.inputs && withNamesOf(described.inputs, inputs!.names, described.responses),
    responses: described.inputs
      ? withNamesOf(described.responses, responses.names, described.inputs)
      : described.responses,
  };
}

const gridOf = ({ axes }: ShownAxes): readonly Axis[] => axes.filter(({ kind }) => kind !== "channel");

/**
 * An array without names of its axes beside one on the same grid that has some: both are drawn alike. So is an initial value
 * beside its trajectory, which has time as well.
 */
function withNamesOf(own: ShownAxes, stored: readonly string[], other: ShownAxes): ShownAxes {
  const [grid, others] = [gridOf(own), gridOf(other)];
  const named = grid.length < others.length ? others.filter(({ kind }) => kind !== "time") : others;
  const places = own.order.slice(own.order.length - grid.length);
  const isNameless =
    places.every((place) => stored[place] === "") && grid.every((axis) => axis.coordinates === undefined);
  const isSame = grid.length === named.length && grid.every(({ length }, i) => length === named[i].length);
  if (!isNameless || !isSame) return own;
  const channels = own.axes.filter(({ kind }) => kind === "channel");
  return {
    ...own,
    axes: [...channels, ...named],
    coordinates: { ...own.coordinates, ...other.coordinates },
  };
}

/** The axes of channels; where the file leaves two readings, a few channels come first and many are an axis of the grid. */
function likelyChannels(
  file: ArrayFile,
  pair: Parameters<typeof channelAxes>[0],
  { channels }: ShownDataOptions,
  coordinates: readonly number[],
): Readonly<Record<"inputs" | "responses", ChannelAxis>> {
  const stated = textOf(file.attributes.channels) as ChannelPlace | undefined;
  try {
    return channelAxes(pair, {
      path: file.path,
      asked: channels,
      stated,
      coordinates: coordinates.length > 0 ? coordinates : undefined,
    });
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
    const first = ({ shape }: { readonly shape: readonly number[] }) =>
      shape.length === 3 && shape[0] <= FEW_CHANNELS ? 0 : undefined;
    return { inputs: first(pair.inputs), responses: first(pair.responses) };
  }
}

/** Coordinates of axes by their key; lists of points are left out, since a sample on them is drawn by its numbers. */
async function coordinatesOf(
  file: ArrayFile,
  { inputs, responses }: { readonly inputs?: ShownAxes; readonly responses: ShownAxes },
): Promise<ReadonlyMap<Axis, Float64Array>> {
  const found = new Map<Axis, Float64Array>();
  for (const { axes, coordinates } of [inputs, responses].filter((one) => one !== undefined)) {
    for (const axis of axes) {
      const name = axis.coordinates === undefined ? undefined : coordinates[axis.coordinates];
      if (name === undefined || axis.kind === "point") continue;
      const array = await openArray(file, name);
      found.set(axis, Float64Array.from(toFloats(await array.read(0, array.rows))));
    }
  }
  return found;
}

type Extents = Readonly<Record<string, number>>;

/** Bounds of the domain of a sample where each has its own, as flows past bodies of several sizes do. */
async function extentsOf(file: ArrayFile, split: Split, index: number): Promise<Extents> {
  const present = new Set((await file.list()).map(({ name }) => name));
  const found: Record<string, number> = {};
  for (const bound of ["x_min", "x_max", "y_min", "y_max"]) {
    const path = `/${split}/conditions/${bound}`;
    if (present.has(path)) found[bound] = toFloats(await (await file.array(path)).read(index, index + 1))[0];
  }
  return found;
}

/** An axis of a picture. Coordinates that are parts of the domain have no unit until the sample's domain is known. */
function sampledAxis(
  axis: Axis,
  coordinates: ReadonlyMap<Axis, Float64Array>,
  extents: Extents,
  partial: boolean,
): SampledAxis {
  const { name, kind, unit, labels } = axis;
  const values = coordinates.get(axis);
  const [low, high] = [extents[`${name}_min`], extents[`${name}_max`]];
  const isPlaced = low !== undefined && high !== undefined;
  return {
    name,
    kind,
    ...(labels && { labels }),
    ...(values && { values: isPlaced ? values.map((part) => low + part * (high - low)) : values }),
    ...(unit !== undefined && !(partial && !isPlaced) && { unit }),
  };
}

/** A sample with its channels, if it has any, before its grid. */
async function read(
  array: NamedArray,
  index: number,
  { order }: ShownAxes,
  axes: readonly SampledAxis[],
): Promise<SampledField> {
  const moved = viewOf(
    array,
    [0, ...order.map((axis) => axis + 1)].map((axis) => axisOf(array, axis)),
  );
  return { values: toFloats(await moved.read(index, index + 1)), shape: moved.shape.slice(1), axes };
}

/** Numbers in C order with their axes in another order. */
function reordered(values: Float64Array, shape: readonly number[], order: readonly number[]): Float64Array {
  const strides = shape.map((_, axis) =>
    shape.slice(axis + 1).reduce((product, length) => product * length, 1),
  );
  const moved = new Float64Array(values.length);
  const at = order.map(() => 0);
  for (let i = 0; i < values.length; i++) {
    moved[i] = values[order.reduce((sum, axis, k) => sum + at[k] * strides[axis], 0)];
    for (let k = order.length - 1; k >= 0 && ++at[k] === shape[order[k]]; k--) at[k] = 0;
  }
  return moved;
}
