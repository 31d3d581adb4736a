import { basename, extname } from "node:path";
import { DataError, FormatError, OptionError } from "../errors.js";
import { elements } from "../numerics/shape.js";
import type { AxisEnd } from "./array-axes.js";
import { orderWithSamplesFirst } from "./array-axes.js";
import { type ArrayFile, type NamedArray, openArrayFile } from "./array-file.js";
import { type ArrayNames, chooseArrays, plainName } from "./array-names.js";
import { type CompleteFileData, SINGLE } from "./data-in-words.js";
import { type ArrayDescription, type FileArray, type FileData, gridAxes } from "./dataset.js";
import {
  type CoordinateArrays,
  coordinateArrays,
  describeAxes,
  storedAxisNames,
} from "./file-coordinates.js";
import { type Pair, testSamplesOf } from "./file-halves.js";
import { fileSha256 } from "./file-hash.js";
import { CHANNEL_PLACES, type ChannelAxis, type ChannelPlace, channelAxes } from "./sample-axes.js";

/** What a user says of a file of data, where the file does not or should be overruled. */
export interface FileChoice {
  /** Names of arrays; for a NPY file of responses, `inputs` is another NPY file. */
  readonly inputs?: string;
  readonly responses?: string;
  /** Names of the data in records, and in figures and tables. */
  readonly name?: string;
  readonly title?: string;
  readonly inputLabel?: string;
  readonly responseLabel?: string;
  readonly inputUnit?: string;
  readonly responseUnit?: string;
  /** Which axis of a sample holds channels; `none` for fields without. */
  readonly channels?: ChannelPlace;
  /** Which stored axis counts samples. */
  readonly sampleAxis?: AxisEnd;
  /** Names of the axes of a response and of an input in their stored order, without that of samples: `x`, `y`, `t`, `channel`. */
  readonly axes?: readonly string[];
  readonly inputAxes?: readonly string[];
  /** Test samples: a number (`200`, the last ones), a fraction (`0.2`), a range (`800:1000`), or a second file. */
  readonly test?: string;
}

/** What the source of data says of them, for files that say less. */
export interface UsualData {
  readonly title: string;
  readonly parameters: readonly string[];
  readonly inputs: ArrayDescription;
  readonly responses: ArrayDescription;
}

export interface DescribeContext {
  /** Finds the source of data by name; undefined for data of the user's own. */
  readonly known: (name: string) => UsualData | undefined;
  /** Where a record of these data has the channels, if the record leaves out the axes. */
  readonly recorded?: ChannelPlace;
  /** SHA-256 of a file. */
  readonly hash?: (path: string) => Promise<string>;
}

/**
 * Describes the data of a file without reading its samples. Refuses what can be read in two ways, with the option that
 * decides.
 */
export async function describeWholeFile(
  path: string,
  choice: FileChoice,
  { known, recorded, hash = fileSha256 }: DescribeContext,
): Promise<CompleteFileData> {
  const file = await openArrayFile(path);
  const others: ArrayFile[] = [];
  try {
    const { attributes } = file;
    const named = choice.name ?? textOf(attributes.name) ?? textOf(attributes.task);
    const name = named === undefined ? slugOf(basename(path, extname(path))) : checkedName(named, path);
    const usual = known(name);
    const { names, arrays, inputsFile } = await openPair(file, choice, others);
    const orders = {
      inputs: orderWithSamplesFirst(arrays.inputs, `the inputs of ${path}`, choice.sampleAxis),
      responses: orderWithSamplesFirst(arrays.responses, `the responses of ${path}`, choice.sampleAxis),
    };
    const present = await file.list();
    const coordinates = coordinateArrays(present, [names.inputs, names.responses]);
    const described = await describePair({ file, choice, usual, arrays, orders, coordinates, recorded });
    const samples = samplesOf(path, arrays, orders, choice.sampleAxis);
    const split = await testSamplesOf(file, { choice, names, arrays, orders, samples, present });
    const columns = columnsOf(present, arrays.responses.shape[orders.responses[0]], names, coordinates);
    const isLast = Object.values(described.channels).some((axis) => axis !== undefined && axis > 0);
    return {
      file: path,
      sha256: await hash(path),
      task: name,
      title:
        choice.title ?? textOf(attributes.title) ?? usual?.title ?? named ?? basename(path, extname(path)),
      origin: textOf(attributes.origin) ?? (usual ? "unknown" : `from ${basename(path)}`),
      seed: typeof attributes.seed === "number" ? attributes.seed : 0,
      parameters: parametersOf(attributes, usual),
      train: split.train,
      test: split.test,
      ...(choice.sampleAxis && { sampleAxis: choice.sampleAxis }),
      ...(isLast && { channels: "last" as const }), // channels first is the layout of the models
      inputs: {
        ...(names.inputs !== "" && { array: names.inputs }),
        ...(inputsFile !== undefined && { file: inputsFile, sha256: await hash(inputsFile) }),
        ...described.inputs,
      },
      responses: { ...(names.responses !== "" && { array: names.responses }), ...described.responses },
      ...(split.testing && { testing: split.testing }),
      ...(Object.keys(described.coordinates).length > 0 && { coordinates: described.coordinates }),
      ...(Object.keys(columns).length > 0 && { attributes: columns }),
    };
  } finally {
    await Promise.all([file, ...others].map((one) => one.close()));
  }
}

/** Opens the arrays; the inputs of a NPY file lie in another one. */
async function openPair(
  file: ArrayFile,
  choice: FileChoice,
  others: ArrayFile[],
): Promise<{ names: ArrayNames; arrays: Pair<NamedArray>; inputsFile?: string }> {
  if (file.format !== "npy") {
    const names = await chooseArrays(file, choice);
    const arrays = { inputs: await file.array(names.inputs), responses: await file.array(names.responses) };
    return { names, arrays };
  }
  if (choice.responses !== undefined)
    throw new FormatError(`${file.path} is a single array without a name: leave out --responses`);
  if (choice.inputs === undefined)
    throw new FormatError(
      `${file.path} is a single array of responses: name the NPY file of inputs with --inputs`,
    );
  const other = await openArrayFile(choice.inputs);
  others.push(other);
  if (other.format !== "npy")
    throw new FormatError(`${choice.inputs} is no NPY file: the inputs of a NPY file are one too`);
  const arrays = { inputs: await other.array(""), responses: await file.array("") };
  return { names: { inputs: "", responses: "" }, arrays, inputsFile: choice.inputs };
}

interface Opened {
  readonly file: ArrayFile;
  readonly choice: FileChoice;
  readonly usual?: UsualData;
  readonly arrays: Pair<NamedArray>;
  /** Stored axes of each array, samples first. */
  readonly orders: Pair<readonly number[]>;
  readonly coordinates: CoordinateArrays;
  readonly recorded?: ChannelPlace;
}

type DescribedPair = Pair<Omit<FileArray, "array" | "file" | "sha256">> & {
  readonly channels: Pair<ChannelAxis>;
  readonly coordinates: Readonly<Record<string, string>>;
};

async function describePair({
  file,
  choice,
  usual,
  arrays,
  orders,
  coordinates,
  recorded,
}: Opened): Promise<DescribedPair> {
  const { path, attributes } = file;
  const samples = (which: keyof Pair<unknown>) => {
    const [array, order] = [arrays[which], orders[which]];
    if (elements(array.shape) === 0)
      throw new DataError(`the ${which} of ${path} are empty: their shape is ${array.shape.join(" x ")}`);
    if (array.shape.length === 0)
      throw new DataError(`the ${which} of ${path} are a single number: they need an axis of samples`);
    const stored = storedAxisNames(array);
    const shape = order.slice(1).map((axis) => array.shape[axis]);
    const asked = which === "inputs" ? choice.inputAxes : choice.axes;
    if (asked && asked.length !== shape.length)
      throw new OptionError(
        `the ${which} of ${path} have ${shape.length} axes beside that of samples (${shape.join(" x ")}), ` +
          `not ${asked.length}: ${asked.join(", ")}`,
      );
    return { shape, names: asked ?? order.slice(1).map((axis) => stored[axis]) };
  };
  const unread = { inputs: samples("inputs"), responses: samples("responses") };
  const points = (which: keyof Pair<unknown>) =>
    coordinates.lists.find((list) => unread[which].shape.includes(list.points))?.points;
  const rank = (which: keyof Pair<unknown>) => (usual ? gridAxes(usual[which]).length : undefined);
  const stated = attributes.channels;
  if (stated !== undefined && !CHANNEL_PLACES.includes(stated as ChannelPlace))
    throw new FormatError(
      `${path}: its attribute "channels" is ${JSON.stringify(stated)}, not first, last or none`,
    );
  const channels = channelAxes(
    {
      inputs: { ...unread.inputs, gridRank: rank("inputs"), points: points("inputs") },
      responses: { ...unread.responses, gridRank: rank("responses"), points: points("responses") },
    },
    {
      path,
      asked: choice.channels,
      stated: recorded ?? (stated as ChannelPlace | undefined),
      coordinates: coordinates.lines.length > 0 ? coordinates.lines.map(({ length }) => length) : undefined,
    },
  );
  const keys: Record<string, string> = {};
  const describe = async (which: keyof Pair<unknown>) => {
    const { shape, names } = unread[which];
    const axis = channels[which];
    const inOrder = shape.map((_, i) => i);
    const order = axis === undefined ? inOrder : [axis, ...inOrder.filter((i) => i !== axis)];
    const array = {
      which,
      stored: arrays[which],
      storedAxes: order.map((i) => orders[which][i + 1]),
      shape: order.map((i) => shape[i]),
      hasChannels: axis !== undefined,
      names: order.map((i) => names[i]),
      usual: usual?.[which].axes,
    };
    const found = await describeAxes(file, array, coordinates);
    const renamed = new Map(
      Object.entries(found.coordinates).map(([key, name]) => {
        const own = keys[key] === undefined || keys[key] === name ? key : `${which}/${key}`;
        keys[own] = name;
        return [key, own];
      }),
    );
    const axes = found.axes.map((one) =>
      one.coordinates === undefined ? one : { ...one, coordinates: renamed.get(one.coordinates) },
    );
    return {
      ...labelOf(which, arrays[which], choice, usual),
      axes: axes.length === 0 ? [SINGLE] : axes,
      ...(order.some((stored, i) => stored !== i) && { order }),
    };
  };
  const inputs = await describe("inputs");
  const responses = await describe("responses");
  return { inputs, responses, channels, coordinates: keys };
}

/** Label and unit: as asked, as the file says, as the source has them. */
function labelOf(
  which: keyof Pair<unknown>,
  { attributes }: NamedArray,
  choice: FileChoice,
  usual?: UsualData,
): Pick<ArrayDescription, "label" | "unit"> {
  const isInput = which === "inputs";
  const asked = isInput
    ? { label: choice.inputLabel, unit: choice.inputUnit }
    : { label: choice.responseLabel, unit: choice.responseUnit };
  const label = asked.label ?? textOf(attributes.label) ?? textOf(attributes.long_name);
  const unit =
    asked.unit ??
    textOf(attributes.units) ??
    textOf(attributes.unit) ??
    (label === undefined ? usual?.[which].unit : undefined);
  return {
    label: label ?? usual?.[which].label ?? (isInput ? "input" : "response"),
    ...(unit !== undefined && { unit }),
  };
}

/** The number of samples; inputs and responses must agree in it. */
function samplesOf(
  path: string,
  arrays: Pair<NamedArray>,
  orders: Pair<readonly number[]>,
  sampleAxis?: AxisEnd,
): number {
  const [a, u] = [arrays.inputs.shape, arrays.responses.shape];
  const counts = [a[orders.inputs[0]], u[orders.responses[0]]];
  if (counts[0] === counts[1]) return counts[0];
  const other = sampleAxis === "last" ? "first" : "last";
  const ends = other === "last" ? [a.at(-1), u.at(-1)] : [a[0], u[0]];
  const hint =
    ends[0] === ends[1]
      ? `: if samples lie along the ${other} axis (${ends[0]} of each), add --sample-axis ${other}`
      : "";
  throw new DataError(
    `${path} has ${counts[1]} responses but ${counts[0]} inputs, of ${u.join(" x ")} and ${a.join(" x ")} values${hint}`,
  );
}

/** Arrays with one number for each sample, by name. */
function columnsOf(
  present: Awaited<ReturnType<ArrayFile["list"]>>,
  samples: number,
  names: ArrayNames,
  { lines }: CoordinateArrays,
): Readonly<Record<string, string>> {
  const folder = plainName(names.responses).split("/").slice(0, -1).join("/");
  const columns = present.filter(
    ({ name, shape }) =>
      shape?.length === 1 &&
      shape[0] === samples &&
      plainName(name).startsWith(folder) &&
      name !== names.inputs &&
      name !== names.responses &&
      !lines.some((line) => line.array === name),
  );
  return Object.fromEntries(columns.map(({ name }) => [plainName(name).split("/").at(-1)!, name]));
}

/** Numbers among a file's attributes: those of its source, or all of them for data of one's own. */
function parametersOf(attributes: ArrayFile["attributes"], usual?: UsualData): FileData["parameters"] {
  const wanted = usual
    ? usual.parameters
    : Object.keys(attributes).filter((name) => typeof attributes[name] === "number" && name !== "seed");
  return Object.fromEntries(
    wanted.flatMap((name) => {
      const value = attributes[name];
      return typeof value === "number" || typeof value === "string" ? [[name, value]] : [];
    }),
  );
}

const textOf = (value: unknown): string | undefined =>
  typeof value === "string" && value.trim() !== "" ? value : undefined;

/** A file's name as a name of data: `NavierStokes_V1e-5` becomes `navierstokes-v1e-5`. */
function slugOf(stem: string): string {
  return (
    stem
      .toLowerCase()
      .replace(/[^a-z0-9.]+/g, "-")
      .replace(/^[-.]+|[-.]+$/g, "") || "data"
  );
}

/** Names become parts of file names. */
function checkedName(name: string, path: string): string {
  const slug = slugOf(name);
  if (slug === "data" && name !== "data") throw new FormatError(`${path}: "${name}" is no name for data`);
  return slug;
}
