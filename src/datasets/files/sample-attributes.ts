import type { NamedShape } from "../../files/name-list.js";
import { toFloats } from "../../files/ndarray.js";
import type { FileStore } from "../../files/store/file-store.js";
import { plainName } from "./array-names.js";
import { openArray } from "./arrays/chosen.js";
import type { DataArrays } from "./data-arrays.js";
import { fileName } from "./data-in-words.js";
import { dataPaths } from "./data-paths.js";
import type { OpenedData } from "./opened-data.js";
import { TRAJECTORY } from "./sample-groups.js";
import { FILE_COLUMN } from "./several-files.js";

/**
 * Values that every sample of opened arrays has: arrays with one number for each, lists of as many strings, the trajectory
 * of a window, the file.
 */
export function sampleAttributes(
  store: FileStore,
  path: string,
  { file, responses, windows }: Pick<DataArrays, "file" | "responses" | "windows">,
  columns: Readonly<Record<string, string>>,
  present: readonly NamedShape[],
): OpenedData["attributes"] {
  const paths = dataPaths(store, path);
  const samples = responses.shape[0];
  const each = windows?.each ?? 1;
  const hasTrajectories = windows !== undefined && columns[TRAJECTORY] === undefined;
  const named = present.map((one) => ({ ...one, last: plainName(one.name).split("/").at(-1)! }));
  const texts = named.filter(({ last, strings }) => strings === samples / each && !(last in columns));
  return {
    names: [
      ...Object.keys(columns),
      ...texts.map(({ last }) => last),
      ...(hasTrajectories ? [TRAJECTORY] : []),
    ],
    problem: (name) =>
      name === FILE_COLUMN && paths.length === 1
        ? "is which of several files a sample is from, and there is one file"
        : named.find(({ last }) => last === name)?.problem,
    async read(name) {
      if (hasTrajectories && name === TRAJECTORY)
        return Float64Array.from({ length: samples }, (_, i) => Math.floor(i / each));
      const text = texts.find(({ last }) => last === name);
      if (text) {
        const strings = await file.strings!(text.name);
        return Array.from({ length: samples }, (_, i) => strings[Math.floor(i / each)]);
      }
      const column = await openArray(file, columns[name]);
      const values = toFloats(await column.read(0, column.rows));
      return namedFiles(
        name,
        Float64Array.from({ length: samples }, (_, i) => values[Math.floor(i / each)]),
        paths,
      );
    },
  };
}

/** The numbers of several files as their names; other values as they are. */
export function namedFiles(
  name: string,
  values: Float64Array,
  paths: readonly string[],
): Float64Array | readonly string[] {
  const files = paths.map(fileName);
  const areNames = name === FILE_COLUMN && files.length > 1 && new Set(files).size === files.length;
  return areNames ? Array.from(values, (number) => files[number]) : values;
}
