import type { UsualData } from "./files/file-data.js";
import { usualParameters } from "./source.js";
import { isSource, sourceOf } from "./sources.js";

/** What the source of this name says of its data; undefined for names of the user's own. */
export function usualData(name: string): UsualData | undefined {
  if (!isSource(name)) return undefined;
  const source = sourceOf(name);
  const { inputs, responses } = source.geometry(usualParameters(source));
  return { title: source.title, parameters: Object.keys(source.parameters), inputs, responses };
}
