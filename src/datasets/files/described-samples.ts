import { DataError, OptionError } from "../../errors.js";
import { nameList } from "../../files/name-list.js";
import { type RowArray, toFloats } from "../../files/ndarray.js";
import type { Fields } from "../fields.js";
import type { SampleArrays } from "../sample-arrays.js";
import type { AxisEnd } from "./array-axes.js";
import type { ArrayFile, NamedArray } from "./array-file.js";
import { isSameName, plainName } from "./array-names.js";
import { openChosen, selectionsIn } from "./arrays/chosen.js";
import { hasFrames } from "./arrays/expression.js";
import { repeatedForWindows, type Windows } from "./arrays/windows.js";

/** The arrays of a file that have a row for each sample of its responses; of windows, for each trajectory. */
export async function arraysOfSamples(
  file: ArrayFile,
  {
    responses,
    samples,
    windows,
    sampleAxis,
    fields = fieldsOf,
  }: {
    /** What the responses are called, possibly with a slice. */
    readonly responses: string;
    readonly samples: number;
    readonly windows?: Pick<Windows, "each">;
    readonly sampleAxis?: AxisEnd;
    /** The wanted samples of an array. */
    readonly fields?: (array: RowArray) => Fields;
  },
): Promise<SampleArrays> {
  const present = await file.list();
  const rows = samples / (windows?.each ?? 1);
  const used = responses === "" ? [] : selectionsIn(present, responses).map(({ name }) => name);
  const names = present.flatMap(({ name, shape }) => {
    const length = sampleAxis === "last" ? shape?.at(-1) : shape?.[0];
    return name !== "" && length === rows && !used.some((one) => isSameName(one, name)) ? [name] : [];
  });
  const folder = plainName(used[0] ?? "")
    .split("/")
    .slice(0, -1)
    .join("/");
  /** The stored name of an array, which may leave out the folder of the responses. */
  const stored = (name: string) =>
    present.find((one) => isSameName(one.name, name)) ??
    present.find((one) => isSameName(one.name, `${folder}/${name}`));
  return {
    names: names.map(plainName),
    async open(text) {
      const selections = selectionsIn(present, text);
      const unknown = selections.find(({ name }) => stored(name) === undefined);
      if (unknown)
        throw new OptionError(
          `${file.path} has no array "${unknown.name}": with a row for each sample there ${names.length === 0 ? "is none" : `are ${nameList(names.map(plainName))}`}`,
        );
      if (hasFrames(selections))
        throw new OptionError(`"${text}": arrays that describe samples have no running frame t`);
      const found = [];
      for (const { name, text: written } of selections) {
        const whole = stored(name)!.name + written.slice(name.length);
        const opening = openChosen({ responses: { file, text: whole } }, { sampleAxis });
        const { responses: array } = await opening.catch((error) => {
          if (!(error instanceof DataError)) throw error;
          throw new DataError(error.message.replace("the responses of", `the values of ${written} of`));
        });
        found.push({ name: written, fields: fields(inWindows(array, windows)) });
      }
      return found;
    },
  };
}

const inWindows = (array: NamedArray, windows: Pick<Windows, "each"> | undefined): NamedArray =>
  windows ? repeatedForWindows(array, windows) : array;

/** All rows of an array as fields. */
export function fieldsOf(array: RowArray): Fields {
  return {
    samples: array.shape[0],
    shape: array.shape.slice(1),
    dtype: array.dtype === "float32" || array.dtype === "float16" ? "float32" : "float64",
    read: async (start, end) => toFloats(await array.read(start, end)),
  };
}
