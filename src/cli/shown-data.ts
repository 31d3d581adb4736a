import { type ArrayAxes, orderWithSamplesFirst, permuted } from "../datasets/array-axes.js";
import { type ArrayFile, type NamedArray, openArrayFile } from "../datasets/array-file.js";
import { isSameName, testName } from "../datasets/array-names.js";
import { arrayInWords } from "../datasets/data-in-words.js";
import type { ArrayDescription, Axis, Split } from "../datasets/dataset.js";
import type { Fields } from "../datasets/fields.js";
import { coordinateArrays, describeAxes, storedAxisNames } from "../datasets/file-coordinates.js";
import { type OpenData, openData } from "../datasets/open.js";
import { type ChannelAxis, type ChannelPlace, channelAxes } from "../datasets/sample-axes.js";
import { type DataSource, type SourceGeometry, usualParameters } from "../datasets/source.js";
import { isSource, sourceOf } from "../datasets/sources.js";
import { FormatError, OptionError } from "../errors.js";
import type { SampleFields } from "../figures/samples/sample-panel.js";
import type { SampledAxis, SampledField } from "../figures/samples/sampled-field.js";
import { toFloats } from "../files/ndarray.js";

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
  readonly data: OpenData;
  /** What the file calls its inputs. */
  readonly inputName?: string;
  sample(index: number): Promise<SampleFields>;
  close(): Promise<void>;
}

export interface ShownLabel {
  readonly label?: string;
  readonly unit?: string;
}

export interface ShownDataOptions extends Pick<ArrayAxes, "sampleAxis"> {
  readonly channels?: ChannelPlace;
  readonly split: Split;
  readonly responses?: string;
  readonly inputs?: string;
  readonly title?: string;
  readonly inputLabel?: string;
  readonly responseLabel?: string;
  readonly inputUnit?: string;
  readonly responseUnit?: string;
  readonly axes?: readonly string[];
  readonly inputAxes?: readonly string[];
}

/** Opens data with what they say of themselves: title, origin, labels, units, axes. Files that are not ours say less. */
export async function openShownData(path: string, options: ShownDataOptions): Promise<ShownData> {
  const data = await openSplit(path, options);
  const files: ArrayFile[] = [];
  try {
    const file = await openArrayFile(path);
    files.push(file);
    const { attributes } = file;
    const source = textOf(attributes.task) ?? textOf(attributes.name);
    const known = source !== undefined && isSource(source) ? sourceOf(source) : undefined;
    const geometry = known?.geometry(usualParameters(known));
    const arrays = await openStored(path, file, data, options, files);
    const partial = String(attributes.coordinate_units ?? "").startsWith("parts of the domain");
    const axes = await axesOf(file, data, arrays, options, geometry);
    const coordinates = await coordinatesOf(file, axes);
    return {
      ...(known && {
        source: { name: source!, style: known.picture, color: known.color },
        sourceGeometry: geometry,
      }),
      title: options.title ?? textOf(attributes.title) ?? (known ? undefined : textOf(attributes.name)),
      input: labelOf(arrays.inputs, options.inputLabel, options.inputUnit),
      response: labelOf(arrays.responses, options.responseLabel, options.responseUnit),
      origin: textOf(attributes.origin) ?? `from ${data.name}`,
      samples: data.responses.samples,
      data: { ...data, reading: readingOf(data, axes) },
      inputName: data.inputsName,
      sample: async (index) => {
        const extents = partial ? await extentsOf(file, options.split, index) : {};
        const placed = (shown: ShownAxes) =>
          shown.axes.map((axis) => sampledAxis(axis, coordinates, extents, partial));
        return {
          input:
            data.inputs && axes.inputs && (await read(data.inputs, index, axes.inputs, placed(axes.inputs))),
          response: await read(data.responses, index, axes.responses, placed(axes.responses)),
        };
      },
      close: async () => void (await Promise.all([data.close(), ...files.map((one) => one.close())])),
    };
  } catch (error) {
    await Promise.all([data.close(), ...files.map((one) => one.close())]);
    throw error;
  }
}

/** How the arrays are read: `u.npz: inputs a: 2 channels on 64 x 64; responses u: 1 channel on 64 x 64 (400 samples)`. */
function readingOf(
  data: OpenData,
  { inputs, responses }: { readonly inputs?: ShownAxes; readonly responses: ShownAxes },
): string {
  const words = (what: string, name: string | undefined, axes: ShownAxes) =>
    `${what}${name === undefined ? "" : ` ${name}`}: ${arrayInWords(axes)}`;
  const read = [
    inputs ? words("inputs", data.inputsName, inputs) : "no inputs",
    words("responses", data.responsesName, responses),
  ];
  const along = data.axes.sampleAxis === "last" ? ", along the last axis" : "";
  return `${data.name}: ${read.join("; ")} (${data.responses.samples} samples${along})`;
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
async function openSplit(path: string, options: ShownDataOptions): Promise<OpenData> {
  const { split, responses, inputs, sampleAxis } = options;
  const channels = options.channels === "none" ? undefined : options.channels;
  if (split === "test" && responses === undefined && /\.npy$/i.test(path))
    throw new OptionError(`${path} is a single array without a test split: leave out --split`);
  const train = await openData(path, { responses, inputs, sampleAxis, channels });
  if (split === "train" || responses !== undefined) return train;
  await train.close();
  const tested = (name?: string) => name && (testName(name) ?? name);
  const name = tested(train.responsesName);
  if (name === train.responsesName)
    throw new OptionError(`${path} has no test samples beside ${name}: leave out --split`);
  return openData(path, {
    responses: name,
    inputs: inputs ?? tested(train.inputsName),
    sampleAxis,
    channels,
  });
}

interface StoredArrays {
  readonly inputs?: NamedArray;
  readonly responses: NamedArray;
}

async function openStored(
  path: string,
  file: ArrayFile,
  data: OpenData,
  { inputs }: ShownDataOptions,
  files: ArrayFile[],
): Promise<StoredArrays> {
  const responses = await file.array(data.responsesName ?? "");
  if (data.inputs === undefined) return { responses };
  if (file.format !== "npy") return { inputs: await file.array(data.inputsName!), responses };
  const other = await openArrayFile(inputs ?? path);
  files.push(other);
  return { inputs: await other.array(""), responses };
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
  file: ArrayFile,
  data: OpenData,
  arrays: StoredArrays,
  options: ShownDataOptions,
  geometry?: SourceGeometry,
): Promise<{ readonly inputs?: ShownAxes; readonly responses: ShownAxes }> {
  const present = await file.list();
  const taken = [data.inputsName, data.responsesName];
  const lines = coordinateArrays(
    present.filter(({ name }) => !taken.some((one) => one !== undefined && isSameName(one, name))),
    [],
  );
  const sampleOrder = (array: NamedArray) => orderWithSamplesFirst(array, "the arrays", options.sampleAxis);
  const unread = (array: NamedArray, asked: readonly string[] | undefined, usual?: ArrayDescription) => {
    const order = sampleOrder(array).slice(1);
    const shape = order.map((axis) => array.shape[axis]);
    const stored = storedAxisNames(array);
    if (asked && asked.length !== shape.length)
      throw new OptionError(
        `a sample has ${shape.length} axes, ${shape.join(" x ")}, not ${asked.join(", ")}`,
      );
    const names = asked ?? order.map((axis) => stored[axis]);
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
    const stored = arrays[which]!;
    const first = sampleOrder(stored);
    const array = {
      which,
      stored,
      storedAxes: order.map((i) => first[i + 1]),
      shape: order.map((i) => shape[i]),
      hasChannels: axis !== undefined,
      names: order.map((i) => names[i]),
      usual: geometry?.[which].axes,
    };
    return { ...(await describeAxes(file, array, lines)), order };
  };
  return {
    inputs: inputs && (await describe("inputs", inputs)),
    responses: await describe("responses", responses),
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
      const array = await file.array(name);
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
  fields: Fields,
  index: number,
  { order }: ShownAxes,
  axes: readonly SampledAxis[],
): Promise<SampledField> {
  const values = permuted(await fields.read(index, index + 1), fields.shape, order);
  return { values, shape: order.map((axis) => fields.shape[axis]), axes };
}
