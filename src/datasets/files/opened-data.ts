import type { RowArray } from "../../files/ndarray.js";
import type { FileStore } from "../../files/store/file-store.js";
import type { AxisKind } from "../dataset.js";
import type { Fields } from "../fields.js";
import type { SampleArrays } from "../sample-arrays.js";
import {
  type ArrayAxes,
  type AxisEnd,
  type ChannelPlace,
  labelledChannels,
  sampleInWords,
} from "./array-axes.js";
import { isSameName } from "./array-names.js";
import { type ArrayChoice, type DataArrays, openDataArrays } from "./data-arrays.js";
import { togetherInWords } from "./data-in-words.js";
import { dataPaths, fileNames } from "./data-paths.js";
import { arraysOfSamples, fieldsOf } from "./described-samples.js";
import { columnsOf } from "./file-columns.js";
import { responseAxisKinds } from "./file-data.js";
import { sampleAttributes } from "./sample-attributes.js";
import { groupName, sampleGroups } from "./sample-groups.js";

/** A dataset in a file, opened for reading by rows. */
export interface OpenedData {
  /** Name of the file, without its folder. */
  readonly name: string;
  readonly responses: Fields;
  readonly inputs?: Fields;
  /** What the two are called in the file; inputs in a file of their own, by its path from the data's folder. */
  readonly responsesName?: string;
  readonly inputsName?: string;
  /** Other arrays of the file, if the names were guessed: the user should be told. */
  readonly passedOver?: readonly string[];
  /** Inputs that the partition names, in a file that is missing. */
  readonly missingInputs?: string;
  /** The axes that were given, here or in the partition; empty if the file leaves no choice. */
  readonly axes: ArrayAxes;
  /** What else was chosen, for whoever reads the same data later. */
  readonly choice: NotedChoice;
  /** The group of each sample, where samples of a group stay together. */
  readonly groups?: Int32Array;
  /** Names of the values that every sample has, such as a parameter or its source file, and the values of one. */
  readonly attributes: {
    readonly names: readonly string[];
    /** Why an array of this name gives no values, if there is one. */
    problem(name: string): string | undefined;
    read(name: string): Promise<ArrayLike<number> | readonly string[]>;
  };
  /** Arrays with a row for each sample, which may stand for the responses where bins are fitted. */
  readonly descriptors: SampleArrays;
  /** Kinds of the axes of a response, by the rules for training; refuses what can be read in two ways. */
  responseAxes(): Promise<readonly AxisKind[] | undefined>;
  /** How the arrays were read, in one line. */
  readonly reading: string;
  /** What should be known of the file before its numbers are believed. */
  readonly advice?: string;
  close(): Promise<void>;
}

export interface DataNames extends ArrayAxes, ArrayChoice {
  /** Samples that stay together: those with the same value of an attribute; by default windows of one trajectory. */
  readonly group?: string;
  /** Names of the axes of a response as they are stored: `x`, `y`, `t`, `channel`. */
  readonly axes?: readonly string[];
}

/** What a partition notes of the reading of its data, beside names and axes. */
export interface NotedChoice {
  readonly layouts?: readonly string[];
  readonly window_step?: number;
  readonly group?: string;
}

/** Names and axes as a partition's file has them. */
export interface NotedNames extends NotedChoice {
  readonly responses?: string | null;
  readonly inputs?: string | null;
  readonly sample_axis?: AxisEnd;
  readonly channels?: ChannelPlace;
}

/**
 * Opens labelled data of a file of any kind, or of several. What a partition of such data has `noted` is repeated, unless
 * other arrays are asked for.
 */
export async function openedData(
  store: FileStore,
  path: string,
  names: DataNames = {},
  noted: NotedNames = {},
): Promise<OpenedData> {
  const { dirname, relative, sep } = store.paths;
  const { opened, choice, missingInputs } = await openNotedArrays(store, path, names, noted);
  try {
    const axes = { sampleAxis: choice.sampleAxis, channels: names.channels ?? noted.channels };
    const { file, inputsFile } = opened;
    const present = await file.list();
    const columns = columnsOf(present, opened.responses.rows / (opened.windows?.each ?? 1), opened.names);
    const group = groupName(file, names.group ?? noted.group, opened.windows !== undefined, columns);
    const groups = group === undefined ? undefined : await sampleGroups(opened, columns, group);
    const called = (name?: string) => (name === "" ? undefined : name);
    const named = (which: "inputs" | "responses", array: RowArray) => {
      const own = which === "inputs" ? inputsFile : undefined;
      const name = [opened.names[which]?.replace(/^\//, ""), "of", fileNames(store, own ?? path)];
      return { ...fieldsOf(array), name: `the ${which} ${name.filter(Boolean).join(" ")}` };
    };
    const responses = named("responses", opened.responses);
    const data = {
      name: fileNames(store, path),
      responses,
      inputs: opened.inputs && named("inputs", opened.inputs),
      responsesName: called(opened.names.responses),
      inputsName:
        inputsFile === undefined
          ? called(opened.names.inputs)
          : `${relative(dirname(dataPaths(store, path)[0]), inputsFile)
              .split(sep)
              .join("/")}${opened.names.inputs}`,
      passedOver: opened.names.passedOver,
      missingInputs,
      axes,
      choice: {
        ...(file.layouts && { layouts: file.layouts }),
        ...(opened.windows && opened.windows.step !== 1 && { window_step: opened.windows.step }),
        ...((names.group ?? noted.group) !== undefined && { group: names.group ?? noted.group }),
      },
      groups,
      attributes: sampleAttributes(store, path, opened, columns, present),
      descriptors: await arraysOfSamples(file, {
        responses: opened.names.responses,
        samples: opened.responses.rows,
        windows: opened.windows,
        sampleAxis: choice.sampleAxis,
      }),
      responseAxes: () => responseAxisKinds(opened, { channels: axes.channels, axes: names.axes }),
      advice: opened.advice,
      close: opened.close,
    };
    return { ...data, reading: readingOf(data, opened, group) };
  } catch (error) {
    await opened.close();
    throw error;
  }
}

/** Opens the arrays that are asked for, completed by what a partition has noted of the same responses. */
export async function openNotedArrays(
  store: FileStore,
  path: string,
  names: DataNames,
  noted: NotedNames,
): Promise<{ readonly opened: DataArrays; readonly choice: ArrayChoice; readonly missingInputs?: string }> {
  const { choice, layouts, missingInputs } = repeated(store, path, names, noted);
  const notedNames = namesOfOther(names, noted);
  const opened = await openDataArrays(store, path, choice, { needsInputs: false, layouts, notedNames });
  return { opened, choice, missingInputs };
}

/** Names that a partition of a file with names noted, and that nobody asks for here. */
function namesOfOther(names: DataNames, { responses, inputs }: NotedNames): readonly (string | undefined)[] {
  if (!responses || responses.startsWith("[")) return []; // its inputs are a file
  return [responses, inputs ?? undefined].filter((name) => name !== names.responses && name !== names.inputs);
}

/** What is asked for, completed by what a partition notes of the same responses. */
export function repeated(
  store: FileStore,
  path: string,
  { channels: _, group: __, axes: ___, ...asked }: DataNames,
  noted: NotedNames,
): { readonly choice: ArrayChoice; readonly layouts?: readonly string[]; readonly missingInputs?: string } {
  if (noted.responses === undefined) return { choice: asked };
  const text = typeof asked.responses === "object" ? asked.responses.join(", ") : asked.responses;
  const before = noted.responses ?? undefined;
  // The one array of a NPY file has no name: the same responses may have had one elsewhere.
  const isRenamed =
    text === undefined && before !== undefined && !before.startsWith("[") && isNpy(store, path);
  const isSame = text === undefined || (before !== undefined && isSameName(text, before));
  // An axis that was noted is one of the arrays as they were arranged then; older partitions note arrays as stored.
  const layouts = asked.layout === undefined ? (noted.layouts ?? []) : undefined;
  if (isRenamed || !isSame)
    return { choice: { ...asked, sampleAxis: asked.sampleAxis ?? noted.sample_axis }, layouts };
  const isBeside = before === undefined || before.startsWith("["); // inputs of a nameless array are another file
  const inputs = noted.inputs ?? undefined;
  const besidePath =
    inputs !== undefined && isBeside && !inputs.startsWith("[")
      ? store.paths.join(store.paths.dirname(dataPaths(store, path)[0]), inputs)
      : undefined;
  const isMissing =
    besidePath !== undefined && asked.inputs === undefined && !areThere(store, withoutSlice(besidePath));
  return {
    choice: {
      ...asked,
      responses: text ?? before,
      inputs: asked.inputs ?? (isMissing ? undefined : (besidePath ?? inputs)),
      sampleAxis: asked.sampleAxis ?? noted.sample_axis,
      windowStep: asked.windowStep ?? noted.window_step,
    },
    layouts,
    ...(isMissing && { missingInputs: inputs }),
  };
}

/** Whether files exist, one or those of a pattern. */
function areThere(store: FileStore, text: string): boolean {
  try {
    return dataPaths(store, text).every(store.exists);
  } catch {
    return false; // a pattern without a match
  }
}

const isNpy = (store: FileStore, path: string): boolean =>
  dataPaths(store, path).every((one) => /\.npy$/i.test(one));

const withoutSlice = (path: string): string => path.replace(/\[[^\]]*\]$/, "");

/** How arrays were read: `u.npz: inputs a: 2 channels on 64 x 64; responses u: 64 x 64 (400 samples)`. */
function readingOf(data: Omit<OpenedData, "reading">, arrays: DataArrays, group?: string): string {
  const { name, responses, inputs, responsesName, inputsName, axes } = data;
  const words = (what: string, called: string | undefined, fields: Fields, array: RowArray) =>
    `${what}${called === undefined ? "" : ` ${called}`}: ` +
    sampleInWords(
      fields.shape,
      axes.channels ?? (axes.sampleAxis === "last" ? undefined : labelledChannels(array)),
    );
  const read = [
    inputs ? words("inputs", inputsName, inputs, arrays.inputs!) : "no inputs",
    words("responses", responsesName, responses, arrays.responses),
  ];
  const along = axes.sampleAxis === "last" ? ", along the last axis" : "";
  return `${name}: ${read.join("; ")} (${responses.samples} samples${along}${groupsInWords(arrays, group)})`;
}

/** Windows and groups of opened arrays in words. */
export const groupsInWords = ({ windows }: Pick<DataArrays, "windows">, group?: string): string =>
  togetherInWords(windows, group);
