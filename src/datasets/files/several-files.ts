import { DataError } from "../../errors.js";
import type { NamedShape } from "../../files/name-list.js";
import { type AxisRange, toFloats, type Values } from "../../files/ndarray.js";
import type { FileStore } from "../../files/store/file-store.js";
import { elements } from "../../numerics/shape.js";
import type { AxisEnd } from "./array-axes.js";
import { type ArrayFile, type NamedArray, type OpenOptions, openArrayFile } from "./array-file.js";
import { plainName } from "./array-names.js";
import { make, place, readBox, wholeAxis } from "./arrays/box.js";
import { axisOf, viewOf } from "./arrays/view.js";
import { coordinateArrays } from "./coordinate-arrays.js";
import { dataPaths } from "./data-paths.js";

/** The column that says which file a sample is from, counted from 0. */
export const FILE_COLUMN = "file";

export interface SeveralOptions extends OpenOptions {
  /** Along which axis samples of different files are joined. */
  readonly sampleAxis?: AxisEnd;
}

/** Opens a file, or several as one: see `dataPaths`. */
export async function openArrayFiles(
  store: FileStore,
  text: string,
  options: SeveralOptions = {},
): Promise<ArrayFile> {
  const paths = dataPaths(store, text);
  const files: ArrayFile[] = [];
  try {
    for (const path of paths) files.push(await openArrayFile(store, path, options));
    return files.length === 1 ? files[0] : await joinedFiles(text, files, options.sampleAxis);
  } catch (error) {
    await Promise.all(files.map((file) => file.close()));
    throw error;
  }
}

/**
 * Several files as one. Arrays with the same name are joined along their samples; coordinates must be the same in all. The
 * number of the file is a column, and so is every attribute with a number that differs between files.
 */
async function joinedFiles(
  text: string,
  files: readonly ArrayFile[],
  sampleAxis?: AxisEnd,
): Promise<ArrayFile> {
  const lists = await Promise.all(files.map((file) => file.list()));
  const [first] = lists;
  const { lines, lists: points } = coordinateArrays(first, []);
  const shared = new Set([...lines, ...points].map(({ array }) => array));
  const along = ({ shape }: NamedShape) => (sampleAxis === "last" ? shape!.length - 1 : 0);
  const same = (name: string) =>
    lists.map((list) => list.find((one) => plainName(one.name) === plainName(name)));
  const joined: NamedShape[] = [];
  let counts: readonly number[] = files.map(() => 0);
  let largest = 0;
  for (const one of first) {
    const found = same(one.name);
    const shapes = found.map((other) => other?.shape);
    if (shapes.some((shape) => shape === undefined || shape.length === 0)) continue;
    if (shared.has(one.name)) {
      joined.push(one);
      continue;
    }
    const axis = along(one);
    const rest = (shape: readonly number[]) => shape.filter((_, i) => i !== axis).join(" x ");
    const odd = shapes.findIndex((shape) => rest(shape!) !== rest(one.shape!));
    if (odd > 0) {
      joined.push({ ...one, problem: differing(one, shapes[odd]!, [files[0].path, files[odd].path]) });
      continue;
    }
    const own = shapes.map((shape) => shape![axis]);
    const shape = one.shape!.map((length, i) => (i === axis ? own.reduce((a, b) => a + b, 0) : length));
    joined.push({ ...one, shape });
    if (elements(shape) > largest) [counts, largest] = [own, elements(shape)];
  }
  const { attributes, columns } = attributesOf(files);
  const taken = new Set(joined.map(({ name }) => plainName(name)));
  const added = new Map<string, readonly number[]>(
    [[FILE_COLUMN, files.map((_, i) => i)] as const, ...Object.entries(columns)].filter(
      ([name]) => !taken.has(name),
    ),
  );
  const samples = counts.reduce((a, b) => a + b, 0);
  return {
    ...files[0],
    path: text,
    strings: undefined, // lists of strings are not joined
    attributes,
    list: async () => [
      ...joined,
      ...[...added.keys()].map((name) => ({ name, shape: [samples], dtype: "float64" as const })),
    ],
    array: async (name) => {
      const { problem } = joined.find((one) => one.name === name) ?? {};
      if (problem !== undefined) throw new DataError(`${name || "the array"} ${problem}`);
      const column = added.get(plainName(name));
      if (column) return columnArray(column, counts);
      const arrays = await Promise.all(files.map((file, i) => file.array(same(name)[i]?.name ?? name)));
      return shared.has(name) ? sharedArray(arrays, name, files) : joinedArray(arrays, sampleAxis);
    },
    close: async () => void (await Promise.all(files.map((file) => file.close()))),
  };
}

/** Why the arrays of two files cannot be joined; samples may lie along the last axis. */
function differing({ shape }: NamedShape, other: readonly number[], paths: readonly string[]): string {
  const isLast = shape!.slice(0, -1).join() === other.slice(0, -1).join();
  return (
    `is ${shape!.join(" x ")} in ${paths[0]} but ${other.join(" x ")} in ${paths[1]}: ` +
    (isLast
      ? "add --sample-axis last if samples lie along the last axis"
      : "files of one dataset have samples of one shape")
  );
}

/** Attributes that all files have alike, and numbers that differ. */
function attributesOf(files: readonly ArrayFile[]) {
  const attributes: Record<string, ArrayFile["attributes"][string]> = {};
  const columns: Record<string, readonly number[]> = {};
  for (const [name, value] of Object.entries(files[0].attributes)) {
    const all = files.map((file) => file.attributes[name]);
    if (all.every((other) => JSON.stringify(other) === JSON.stringify(value))) attributes[name] = value;
    else if (all.every((other): other is number => typeof other === "number")) columns[name] = all;
  }
  return { attributes, columns };
}

/** A number a file, repeated for its samples. */
function columnArray(values: readonly number[], counts: readonly number[]): NamedArray {
  const all = Float64Array.from(counts.flatMap((count, i) => new Array<number>(count).fill(values[i])));
  return {
    shape: [all.length],
    rows: all.length,
    dtype: "float64",
    attributes: {},
    scales: [],
    read: async (start, end) => all.subarray(start, end),
  };
}

function joinedArray(arrays: readonly NamedArray[], sampleAxis?: AxisEnd): NamedArray {
  if (sampleAxis === "last") {
    const turned = (array: NamedArray, order: readonly number[]) =>
      viewOf(
        array,
        order.map((axis) => axisOf(array, axis)),
      );
    const axes = arrays[0].shape.map((_, axis) => axis);
    const [last, rest] = [axes.length - 1, axes.slice(0, -1)];
    const joined = joinedArray(arrays.map((array) => turned(array, [last, ...rest])));
    return turned(joined, [...axes.slice(1), 0]);
  }
  const [first] = arrays;
  const isOneType = arrays.every(({ dtype }) => dtype === first.dtype);
  const starts: number[] = [];
  let rows = 0;
  for (const array of arrays) {
    starts.push(rows);
    rows += array.shape[0];
  }
  const readPart = async ([{ start, length, step }, ...within]: readonly AxisRange[]) => {
    const size = elements(within.map((range) => range.length));
    let result: Values | undefined;
    for (const [i, array] of arrays.entries()) {
      const from = Math.max(0, Math.ceil((starts[i] - start) / step));
      const to = Math.min(length, Math.ceil((starts[i] + array.shape[0] - start) / step));
      if (from >= to) continue;
      const own = { start: start + from * step - starts[i], length: to - from, step };
      const values = await readBox(array, [own, ...within]);
      const part = isOneType ? values : Float64Array.from(toFloats(values));
      if (from === 0 && to === length) return part;
      result ??= make(part, length * size);
      place(result, part, from * size);
    }
    return result ?? (await first.read(0, 0));
  };
  return {
    ...first,
    shape: [rows, ...first.shape.slice(1)],
    rows,
    dtype: isOneType ? first.dtype : "float64",
    read: (start, end) =>
      readPart([{ start, length: end - start, step: 1 }, ...first.shape.slice(1).map(wholeAxis)]),
    readBox: readPart,
  };
}

/** Coordinates of all files; refused where they differ. */
function sharedArray(arrays: readonly NamedArray[], name: string, files: readonly ArrayFile[]): NamedArray {
  const [first] = arrays;
  return {
    ...first,
    readBox: undefined,
    read: async (start, end) => {
      const values = await first.read(start, end);
      for (const [i, array] of arrays.entries()) {
        const own = array.rows === first.rows ? await array.read(start, end) : undefined;
        if (own === undefined || own.some((value, j) => value !== values[j]))
          throw new DataError(
            `${name} differs between ${files[0].path} and ${files[i].path}: samples on different grids cannot be compared point by point`,
          );
      }
      return values;
    },
  };
}
