import type { NamedShape } from "../../files/name-list.js";
import { isSameName, plainName } from "./array-names.js";
import { selectionsIn } from "./arrays/chosen.js";
import { coordinateArrays } from "./coordinate-arrays.js";

/** Where The Well has the parameters of trajectories; other arrays lie beside the data that they belong to. */
const SCALARS = /^scalars\//;

/** Arrays with one number for each sample (of windows: for each trajectory), by name. */
export function columnsOf(
  present: readonly NamedShape[],
  samples: number,
  names: { readonly inputs?: string; readonly responses: string },
): Readonly<Record<string, string>> {
  const used = [names.inputs, names.responses].flatMap((text) =>
    text === undefined || text === "" ? [] : selectionsIn(present, text).map(({ name }) => name),
  );
  const { lines } = coordinateArrays(present, used);
  const folder = plainName(used.at(-1) ?? "")
    .split("/")
    .slice(0, -1)
    .join("/");
  const columns = present.filter(
    ({ name, shape }) =>
      shape?.length === 1 &&
      shape[0] === samples &&
      (plainName(name).startsWith(folder) || SCALARS.test(plainName(name))) &&
      !used.some((one) => isSameName(one, name)) &&
      !lines.some((line) => line.array === name),
  );
  return Object.fromEntries(columns.map(({ name }) => [plainName(name).split("/").at(-1)!, name]));
}
