import type { OpenData } from "../datasets/open.js";

/** Says which arrays of a file were taken where there was a choice that nobody made. */
export function tellTakenArrays(
  { name, responsesName, inputsName, passedOver }: OpenData,
  { quiet }: { readonly quiet?: boolean },
): void {
  if (quiet || !passedOver) return;
  const inputs = inputsName === undefined ? "no inputs" : `inputs ${inputsName}`;
  process.stderr.write(
    `${name}: responses ${responsesName}, ${inputs}; not read: ${passedOver.join(", ")} ` +
      "(--responses and --inputs name others)\n",
  );
}
