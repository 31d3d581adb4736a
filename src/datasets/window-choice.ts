import { OptionError } from "../errors.js";
import type { ArrayFile } from "./array-file.js";
import { openArray } from "./arrays/chosen.js";
import { parseSelections } from "./arrays/expression.js";
import { isTime } from "./coordinate-arrays.js";
import { storedAxisNames } from "./file-coordinates.js";

/** Frames of a window as a user writes them: `4:1` for four in and one out. */
export function parseWindow(text: string): { readonly given: number; readonly wanted: number } {
  const found = /^(\d+):(\d+)$/.exec(text.trim());
  const [given, wanted] = [Number(found?.[1]), Number(found?.[2])];
  if (!(given >= 1 && wanted >= 1))
    throw new OptionError(`--window "${text}" is no window: write frames in : frames out, such as 4:1`);
  return { given, wanted };
}

/** Inputs and responses of windows as expressions: `u[:, t:t+4]` and `u[:, t+4]`. */
export async function windowExpressions(
  file: ArrayFile,
  { inputs, responses }: { readonly inputs?: string; readonly responses: string },
  window: string,
): Promise<{ readonly inputs: string; readonly responses: string }> {
  const { given, wanted } = parseWindow(window);
  const cut = async (text: string, from: number, count: number) => {
    const parts = [];
    for (const { name, parts: slice } of parseSelections(text)) {
      if (slice) throw new OptionError(`"${text}" has a slice: leave out --window, or the slice`);
      const axis = await timeAxis(file, name);
      const frames = count === 1 ? frame(from) : `${frame(from)}:${frame(from + count)}`;
      parts.push(`${name}[${":, ".repeat(axis)}${frames}]`);
    }
    return parts.join(", ");
  };
  return { inputs: await cut(inputs ?? responses, 0, given), responses: await cut(responses, given, wanted) };
}

const frame = (offset: number): string => (offset === 0 ? "t" : `t+${offset}`);

/** The axis of time: the one with that name, else the one after the samples. */
async function timeAxis(file: ArrayFile, name: string): Promise<number> {
  const array = await openArray(file, name);
  if (array.shape.length < 2)
    throw new OptionError(
      `${name} of ${file.path} has no axis of time: its shape is ${array.shape.join(" x ")}`,
    );
  const named = storedAxisNames(array).findIndex(isTime);
  return named > 0 ? named : 1;
}
