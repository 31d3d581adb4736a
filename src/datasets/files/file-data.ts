import { FormatError, OptionError } from "../../errors.js";
import type { FileStore } from "../../files/store/file-store.js";
import { type ArrayDescription, type AxisKind, type FileArray, type FileData, gridAxes } from "../dataset.js";
import type { ArrayFile, NamedArray } from "./array-file.js";
import { type ArrayChoice, type DataArrays, openDataArrays } from "./data-arrays.js";
import { type CompleteFileData, SINGLE } from "./data-in-words.js";
import { dataPaths, fileNames } from "./data-paths.js";
import { columnsOf } from "./file-columns.js";
import {
  type CoordinateArrays,
  coordinateArrays,
  describeAxes,
  storedAxisNames,
} from "./file-coordinates.js";
import { type Pair, testSamplesOf } from "./file-halves.js";
import { CHANNEL_PLACES, type ChannelAxis, type ChannelPlace, channelAxes } from "./sample-axes.js";
import { groupName, sampleGroups } from "./sample-groups.js";

/** What a user says of a file of data, where the file does not or should be overruled. */
export interface FileChoice extends ArrayChoice {
  /** Names of the data in records, and in figures and tables. */
  readonly name?: string;
  readonly title?: string;
  readonly inputLabel?: string;
  readonly responseLabel?: string;
  readonly inputUnit?: string;
  readonly responseUnit?: string;
  /** Which axis of a sample holds channels; `none` for fields without. */
  readonly channels?: ChannelPlace;
  /** Names of the axes of a response and of an input in their stored order, without that of samples: `x`, `y`, `t`, `channel`. */
  readonly axes?: readonly string[];
  readonly inputAxes?: readonly string[];
  /** Test samples: a number (`200`, the last ones), a fraction (`0.2`), a range (`800:1000`), or a second file. */
  readonly test?: string;
  /** Samples that stay together: those with the same value of an attribute. Default: windows of one trajectory; `none`. */
  readonly group?: string;
}

/** What the source of data says of them, for files that say less. */
export interface UsualData {
  readonly title: string;
  readonly parameters: readonly string[];
  readonly inputs: ArrayDescription;
  readonly responses: ArrayDescription;
}

/** Hashes of files by their paths, and of several files from the hash of each. */
export interface Hashing {
  file(path: string): Promise<string>;
  joined(hashes: readonly string[]): string;
}

/** For descriptions that nobody keeps. */
export const NO_HASHES: Hashing = { file: async () => "", joined: () => "" };

export interface DescribeContext {
  /** Finds the source of data by name; undefined for data of the user's own. */
  readonly known: (name: string) => UsualData | undefined;
  /** Conventions by which a record of these data was read. */
  readonly layouts?: readonly string[];
  /** Where a record of these data has the channels, if the record leaves out the axes. */
  readonly recorded?: ChannelPlace;
  /** Leaves all samples in one half, which is called that of training. */
  readonly isWhole?: boolean;
  readonly hashing: Hashing;
}

/**
 * Describes the data of a file without reading its samples. Refuses what can be read in two ways, with the option that
 * decides.
 */
export async function describeWholeFile(
  store: FileStore,
  path: string,
  choice: FileChoice,
  { known, recorded, layouts, isWhole, hashing }: DescribeContext,
): Promise<CompleteFileData> {
  const opened = await openDataArrays(store, path, choice, { needsInputs: true, layouts });
  try {
    const { file, names, windows, inputsFile } = opened;
    const arrays = { inputs: opened.inputs!, responses: opened.responses };
    const { attributes } = file;
    const named = choice.name ?? textOf(attributes.name) ?? textOf(attributes.task);
    const stem = stemOf(store, path);
    const name = named === undefined ? slugOf(stem) : checkedName(named, path);
    const usual = known(name);
    const present = await file.list();
    const chosen = { inputs: names.inputs!, responses: names.responses };
    const coordinates = coordinateArrays(present, [chosen.inputs, chosen.responses]);
    const described = await describePair({ file, choice, usual, arrays, coordinates, recorded });
    const samples = arrays.responses.shape[0];
    const columns = columnsOf(present, samples / (windows?.each ?? 1), chosen);
    const group = groupName(file, choice.group, windows !== undefined, columns);
    const groups = group === undefined ? undefined : await sampleGroups(opened, columns, group);
    const question = { choice, names: chosen, arrays, samples, present, groups, isWhole, hash: hashing.file };
    const split = await testSamplesOf(store, file, question);
    const isLast = Object.values(described.channels).some((axis) => axis !== undefined && axis > 0);
    const hashes = [];
    for (const one of dataPaths(store, path)) hashes.push({ file: one, sha256: await hashing.file(one) });
    return {
      file: path,
      sha256: hashing.joined(hashes.map(({ sha256 }) => sha256)),
      task: name,
      title: choice.title ?? textOf(attributes.title) ?? usual?.title ?? named ?? stem,
      origin: textOf(attributes.origin) ?? (usual ? "unknown" : `from ${fileNames(store, path)}`),
      seed: typeof attributes.seed === "number" ? attributes.seed : 0,
      parameters: parametersOf(attributes, usual),
      train: split.train,
      test: split.test,
      ...(choice.sampleAxis && { sampleAxis: choice.sampleAxis }),
      ...(isLast && { channels: "last" as const }), // channels first is the layout of the models
      ...(hashes.length > 1 && { files: hashes }),
      ...(layoutsOf(file, split) && { layouts: layoutsOf(file, split) }),
      inputs: {
        ...(chosen.inputs !== "" && { array: chosen.inputs }),
        ...(inputsFile !== undefined && {
          file: inputsFile,
          sha256: hashing.joined(await Promise.all(dataPaths(store, inputsFile).map(hashing.file))),
        }),
        ...described.inputs,
      },
      responses: { ...(chosen.responses !== "" && { array: chosen.responses }), ...described.responses },
      ...(split.testing && { testing: split.testing }),
      ...(Object.keys(described.coordinates).length > 0 && { coordinates: described.coordinates }),
      ...(Object.keys(columns).length > 0 && { attributes: columns }),
      ...(windows && { windows: windows.each, windowStep: windows.step }),
      ...(group !== undefined && { group }),
      ...(opened.advice !== undefined && { advice: opened.advice }),
    };
  } finally {
    await opened.close();
  }
}

/**
 * Kinds of the axes of a response in their stored order, by the same rules as for training; undefined for single numbers.
 * Without inputs, the responses alone must tell.
 */
export async function responseAxisKinds(
  { file, names, inputs, responses }: DataArrays,
  choice: Pick<FileChoice, "channels" | "axes">,
): Promise<readonly AxisKind[] | undefined> {
  if (responses.shape.length < 2) return undefined;
  const { responses: described } = await describePair({
    file,
    choice,
    arrays: { inputs: inputs ?? responses, responses },
    coordinates: coordinateArrays(await file.list(), [names.inputs, names.responses]),
  });
  const { axes, order } = described;
  return axes.map((_, stored) => axes[order ? order.indexOf(stored) : stored].kind);
}

/** Conventions of the file and of that with the test samples. */
function layoutsOf(...files: readonly Pick<FileData, "layouts">[]): readonly string[] | undefined {
  const found = new Set(files.flatMap(({ layouts = [] }) => layouts));
  return found.size > 0 ? [...found] : undefined;
}

/** The name of a file without its ending; of several, what their names have in common. */
function stemOf(store: FileStore, path: string): string {
  const { basename, extname } = store.paths;
  const stems = dataPaths(store, path).map((one) => basename(one, extname(one)));
  let common = stems[0];
  while (!stems.every((stem) => stem.startsWith(common))) common = common.slice(0, -1);
  const whole = stems.length === 1 ? common : common.replace(/[-_.\d]+$/, "");
  return whole || "data";
}

interface Opened {
  readonly file: ArrayFile;
  readonly choice: FileChoice;
  readonly usual?: UsualData;
  readonly arrays: Pair<NamedArray>;
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
  coordinates,
  recorded,
}: Opened): Promise<DescribedPair> {
  const { path, attributes } = file;
  const samples = (which: keyof Pair<unknown>) => {
    const array = arrays[which];
    const shape = array.shape.slice(1);
    const asked = which === "inputs" ? choice.inputAxes : choice.axes;
    if (asked && asked.length !== shape.length)
      throw new OptionError(
        `the ${which} of ${path} have ${shape.length} axes beside that of samples (${shape.join(" x ")}), ` +
          `not ${asked.length}: ${asked.join(", ")}`,
      );
    return { shape, names: asked ?? storedAxisNames(array).slice(1) };
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
      storedAxes: order.map((i) => i + 1),
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
