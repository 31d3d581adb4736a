import type { OpenData } from "../datasets/open.js";
import { oneLine } from "./one-line.js";

/** Says which arrays of a file were taken where there was a choice that nobody made. */
export function tellTakenArrays(
  { name, responsesName, inputsName, passedOver }: OpenData,
  { quiet }: { readonly quiet?: boolean },
): void {
  if (quiet || !passedOver) return;
  const inputs = inputsName === undefined ? "no inputs" : `inputs ${inputsName}`;
  const line =
    `${name}: responses ${responsesName}, ${inputs}; not read: ${passedOver.join(", ")} ` +
    "(--responses and --inputs name others)";
  process.stderr.write(`${oneLine(line)}\n`);
}
