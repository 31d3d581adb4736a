import { type ArrayDescription, type FileArray, type FileData, fieldSizeOf, gridAxes } from "../dataset.js";
import { isOwnLayout } from "./array-names.js";
import type { Windows } from "./arrays/windows.js";
import { TRAJECTORY } from "./sample-groups.js";

/** A file's data with nothing left open. */
export type CompleteFileData = FileData & Required<Pick<FileData, "title" | "inputs" | "responses">>;

/** The axis of samples that are one number each. */
export const SINGLE = { kind: "space", name: "value", length: 1 } as const;

/**
 * How a file is read, in one line: `ns.npz: inputs a: 2 channels on 64 x 64; responses u: 1 channel on 64 x 64 (800
 * training and 200 test samples: the last fifth)`.
 */
export function wholeReading(data: CompleteFileData): string {
  const { inputs, responses, train, test, testing, sampleAxis } = data;
  const isOwn =
    inputs.array && responses.array && isOwnLayout({ inputs: inputs.array, responses: responses.array });
  const named = (array: FileArray) =>
    isOwn ? "" : ` ${array.file ? fileName(array.file) : ""}${withoutSlashes(array.array ?? "")}`.trimEnd();
  const along = sampleAxis === "last" ? ", along the last axis" : "";
  const held =
    testing === undefined
      ? ""
      : "range" in testing
        ? `: ${testing.chosen ?? rangeInWords(testing.range, train + test)}`
        : testing.file
          ? `: those of ${fileName(testing.file)}`
          : "";
  const { windows: each, group } = data;
  const cut = train + (testing && "range" in testing ? test : 0); // others have trajectories of their own
  const groups = togetherInWords(each === undefined ? undefined : { each, trajectories: cut / each }, group);
  const even = gridAxes(responses).filter((axis) => axis.coordinates === undefined && axis.length > 1);
  const spacing =
    even.length === 0
      ? ""
      : `; ${even.length === gridAxes(responses).length ? "grid points" : `points of ${even.map(({ name }) => name).join(", ")}`} evenly from 0 to 1`;
  return (
    `${filesInWords(data.files?.map(({ file }) => file) ?? [data.file])}: inputs${named(inputs)}: ${arrayInWords(inputs)}; ` +
    `responses${named(responses)}: ${arrayInWords(responses)} ` +
    `(${train} training and ${test} test samples${held}${along}${groups})${spacing}`
  );
}

/** Windows and groups in words: `, 15 windows of each of 100 trajectories, kept together`. */
export function togetherInWords(
  windows: Pick<Windows, "each" | "trajectories"> | undefined,
  group: string | undefined,
): string {
  const cut = windows
    ? `, ${windows.each} ${windows.each === 1 ? "window" : "windows"} of each of ${windows.trajectories} trajectories`
    : "";
  if (group === undefined) return cut;
  return windows && group === TRAJECTORY ? `${cut}, kept together` : `${cut}, kept together by ${group}`;
}

function rangeInWords([start, end]: readonly [number, number], samples: number): string {
  return end === samples ? `the last ${end - start}` : `samples ${start} to ${end - 1}`;
}

/** Channels and grid of an array: `2 channels on 64 x 64`, `1 channel on 101 x 50 (x, t)`, `1 channel on 801 points`. */
export function arrayInWords(array: Pick<ArrayDescription, "axes">): string {
  const { channels, grid } = fieldSizeOf(array);
  const axes = gridAxes(array);
  const counted = `${channels} ${channels === 1 ? "channel" : "channels"}`;
  if (axes.length === 0 || (axes.length === 1 && axes[0].name === SINGLE.name && grid[0] === 1))
    return channels === 1 ? "one number" : `${channels} numbers`;
  const names = axes.map(({ name }) => name);
  const arePlain = names.join() === "row,column" || axes.length === 1;
  const sides = axes.length === 1 ? `${grid[0]} points` : grid.join(" x ");
  return `${counted} on ${sides}${arePlain ? "" : ` (${names.join(", ")})`}`;
}

/** Names without the slash that HDF5's begin with. */
export const withoutSlashes = (names: string): string => names.replace(/(^|,\s*)\//g, "$1");

/** Names of files: `a.h5`, `a.h5 and 3 more files`. */
export function filesInWords([first, ...others]: readonly string[]): string {
  const more = others.length === 1 ? "1 more file" : `${others.length} more files`;
  return others.length === 0 ? fileName(first) : `${fileName(first)} and ${more}`;
}

/** The last part of a path. */
export const fileName = (path: string): string => path.split(/[\\/]/).at(-1) ?? path;
