import type { InspectedArray } from "../../../../datasets/files/inspection.js";
import { presentOf } from "../../loadable.js";
import { change, settings } from "../../state.js";
import { inspected } from "./state.js";

/** The arrays of the file, with shape and type, to be chosen as inputs or responses. */
export function FileArrays({ isOpen = false }: { readonly isOpen?: boolean }) {
  const found = presentOf(inspected.value);
  if (!found || found.arrays.length === 0) return null;
  const { format, files, bytes, arrays } = found;
  const count = arrays.length === 1 ? "1 array" : `${arrays.length} arrays`;
  return (
    <details class="file-arrays" open={isOpen}>
      <summary>
        {format}
        {files > 1 && `, ${files} files`}, {sizeInWords(bytes)}: {count}
      </summary>
      <div class="table-place">
        <table>
          <thead>
            <tr>
              <th scope="col">Array</th>
              <th scope="col">Shape</th>
              <th scope="col">Type</th>
              <th scope="col">Taken for</th>
              <th scope="col">
                <span class="visually-hidden">Choose</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {arrays.slice(0, MOST).map((array) => (
              <ArrayRow key={array.name} array={array} />
            ))}
          </tbody>
        </table>
        {arrays.length > MOST && <p class="faint">and {arrays.length - MOST} more</p>}
      </div>
    </details>
  );
}

/** Arrays that a table shows at most. */
const MOST = 60;

function ArrayRow({ array: { name, shape, dtype, role, problem } }: { readonly array: InspectedArray }) {
  const isNamed = !name.startsWith("(");
  const choose = (which: "inputs" | "responses") =>
    change({ reading: { ...settings.value.reading, [which]: name }, sample: 0 });
  return (
    <tr>
      <th scope="row">{name}</th>
      <td>{shape === undefined ? "" : shape.join(" × ") || "one number"}</td>
      <td>{dtype}</td>
      <td class={problem === undefined ? "" : "faint"}>
        {role ?? (problem === undefined ? "" : `not read: ${problem}`)}
      </td>
      <td class="choose">
        {isNamed && shape !== undefined && shape.length > 0 && (
          <>
            <button type="button" class="plain" onClick={() => choose("inputs")}>
              Input<span class="visually-hidden"> {name}</span>
            </button>
            <button type="button" class="plain" onClick={() => choose("responses")}>
              Response<span class="visually-hidden"> {name}</span>
            </button>
          </>
        )}
      </td>
    </tr>
  );
}

/** A size in the largest unit that leaves a whole number or more. */
export function sizeInWords(bytes: number): string {
  const units = ["bytes", "kB", "MB", "GB", "TB"];
  const power = Math.min(units.length - 1, Math.max(0, Math.floor(Math.log10(Math.max(1, bytes)) / 3)));
  const number = bytes / 1000 ** power;
  return `${power === 0 ? number : Number(number.toPrecision(3))} ${units[power]}`;
}
