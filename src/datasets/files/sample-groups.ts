import { OptionError } from "../../errors.js";
import { toFloats } from "../../files/ndarray.js";
import type { ArrayFile } from "./array-file.js";
import { openArray } from "./arrays/chosen.js";
import type { DataArrays } from "./data-arrays.js";

/** The group of windows that come from one trajectory. */
export const TRAJECTORY = "trajectory";
const NONE = "none";

/**
 * By what samples stay together: what is asked for, else windows by their trajectory, else the array that the file's
 * attribute "group" names, as a converted file does; undefined for nothing.
 */
export function groupName(
  { path, attributes }: Pick<ArrayFile, "path" | "attributes">,
  asked: string | undefined,
  hasWindows: boolean,
  columns: Readonly<Record<string, string>>,
): string | undefined {
  if (asked === NONE) return undefined;
  if (asked === undefined) {
    if (hasWindows) return TRAJECTORY;
    const stated = attributes.group; // any file may have such an attribute: it counts where it names an array
    return typeof stated === "string" && columns[stated] !== undefined ? stated : undefined;
  }
  if ((asked === TRAJECTORY && hasWindows) || columns[asked] !== undefined) return asked;
  const known = [...(hasWindows ? [TRAJECTORY] : []), ...Object.keys(columns)];
  throw new OptionError(
    `--group ${asked}: ${path} has ${known.length === 0 ? "no array with one number for each sample" : `only ${known.join(", ")}`}`,
  );
}

/** Which group each sample of opened arrays belongs to, counted from 0 in the order of their first samples. */
export async function sampleGroups(
  { file, responses, windows }: Pick<DataArrays, "file" | "responses" | "windows">,
  columns: Readonly<Record<string, string>>,
  group: string,
): Promise<Int32Array> {
  const samples = responses.shape[0];
  const each = windows?.each ?? 1;
  if (group === TRAJECTORY && columns[group] === undefined)
    return Int32Array.from({ length: samples }, (_, i) => Math.floor(i / each));
  const column = await openArray(file, columns[group]);
  const values = toFloats(await column.read(0, column.rows));
  return numbered(Float64Array.from({ length: samples }, (_, i) => values[Math.floor(i / each)]));
}

/** Equal values as numbers from 0 on. */
export function numbered(values: ArrayLike<number>): Int32Array {
  const found = new Map<number, number>();
  return Int32Array.from(values, (value) => {
    if (!found.has(value)) found.set(value, found.size);
    return found.get(value)!;
  });
}

/**
 * Test samples that cut no group in two. The last ones give way to the nearest earlier place between two groups; a range
 * that was asked for is refused if it cuts one.
 */
export function rangeOfGroups(
  range: readonly [number, number],
  groups: Int32Array,
  isExact: boolean,
): readonly [number, number] {
  let [start, end] = range;
  if (!isExact) while (start > 0 && groups[start - 1] === groups[start]) start--;
  const inside = new Set(groups.subarray(start, end));
  const cut = [...groups.subarray(0, start), ...groups.subarray(end)].find((group) => inside.has(group));
  if (cut !== undefined)
    throw new OptionError(
      `test samples ${start} to ${end - 1} cut group ${cut}, which has training samples too: choose another range, put the ` +
        "test samples into a second file, or allow it with --group none",
    );
  if (start === 0 && end === groups.length)
    throw new OptionError(
      `the test samples would take all ${new Set(groups).size} groups: none is left for training (--group none splits groups)`,
    );
  return [start, end];
}
