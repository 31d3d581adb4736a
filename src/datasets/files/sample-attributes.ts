import { basename } from "node:path";
import { toFloats } from "../../files/ndarray.js";
import { openArray } from "./arrays/chosen.js";
import type { DataArrays } from "./data-arrays.js";
import { dataPaths } from "./data-paths.js";
import type { OpenData } from "./open.js";
import { TRAJECTORY } from "./sample-groups.js";
import { FILE_COLUMN } from "./several-files.js";

/** Values that every sample of opened arrays has: arrays with one number for each, the trajectory of a window, the file. */
export function sampleAttributes(
  path: string,
  { file, responses, windows }: Pick<DataArrays, "file" | "responses" | "windows">,
  columns: Readonly<Record<string, string>>,
): OpenData["attributes"] {
  const samples = responses.shape[0];
  const each = windows?.each ?? 1;
  const hasTrajectories = windows !== undefined && columns[TRAJECTORY] === undefined;
  return {
    names: [...Object.keys(columns), ...(hasTrajectories ? [TRAJECTORY] : [])],
    async read(name) {
      if (hasTrajectories && name === TRAJECTORY)
        return Float64Array.from({ length: samples }, (_, i) => Math.floor(i / each));
      const column = await openArray(file, columns[name]);
      const values = toFloats(await column.read(0, column.rows));
      return namedFiles(
        name,
        Float64Array.from({ length: samples }, (_, i) => values[Math.floor(i / each)]),
        path,
      );
    },
  };
}

/** The numbers of several files as their names; other values as they are. */
export function namedFiles(
  name: string,
  values: Float64Array,
  path: string,
): Float64Array | readonly string[] {
  const files = dataPaths(path).map((one) => basename(one));
  const areNames = name === FILE_COLUMN && files.length > 1 && new Set(files).size === files.length;
  return areNames ? Array.from(values, (number) => files[number]) : values;
}
