import { OptionError } from "../errors.js";
import { expectedWords, takes } from "../options/option.js";
import type { Representation } from "./representation.js";
import { descriptor } from "./representations/descriptor.js";
import { field } from "./representations/field.js";
import { gradient } from "./representations/gradient.js";
import { pca } from "./representations/pca.js";
import { spectrum } from "./representations/spectrum.js";

/** All representations by name. A user who names no entry names arrays: those are for the entry that reads arrays. */
export const REPRESENTATIONS = {
  field,
  gradient,
  spectrum,
  pca,
  descriptor,
} as const satisfies Readonly<Record<string, Representation>>;

/** Name of an entry. */
export type RepresentationName = keyof typeof REPRESENTATIONS;

/** The responses themselves. Records of their bins do not name it. */
export const DEFAULT_REPRESENTATION = "field" satisfies RepresentationName;

/** A representation as a user writes it, understood. */
export interface ChosenRepresentation {
  readonly text: string;
  readonly entry: Representation;
  readonly parameter?: number;
}

/** How the names are written: `field, gradient, spectrum, pca:20`. */
export const REPRESENTATION_FORMS: readonly string[] = Object.entries<Representation>(
  REPRESENTATIONS,
).flatMap(([name, { parameter, readsArrays }]) =>
  readsArrays ? [] : [parameter ? `${name}:${parameter.default ?? parameter.from}` : name],
);

/** Reads `pca:20`, `spectrum`, or names of arrays. */
export function chosenRepresentation(given: string): ChosenRepresentation {
  const text = given.trim();
  const [, word, number] = /^([a-z][\w-]*)(?::(.*))?$/i.exec(text) ?? [];
  const entry = (REPRESENTATIONS as Readonly<Record<string, Representation>>)[word ?? ""];
  const isEntry = word !== undefined && Object.hasOwn(REPRESENTATIONS, word) && !entry.readsArrays;
  if (!isEntry) return { text, entry: arraysEntry() };
  const { parameter } = entry;
  if (!parameter) {
    if (number === undefined) return { text, entry };
    throw new OptionError(`the representation ${word} takes no number: write ${word}, not ${text}`);
  }
  const value = number === undefined ? parameter.default : Number(number);
  if (value === undefined || number?.trim() === "" || !takes(parameter, value))
    throw new OptionError(
      `the representation ${word} takes ${expectedWords(parameter)} behind a colon, such as ${word}:${parameter.default ?? parameter.from}, not ${text}`,
    );
  return { text: `${word}:${value}`, entry, parameter: value };
}

const arraysEntry = (): Representation =>
  Object.values<Representation>(REPRESENTATIONS).find(({ readsArrays }) => readsArrays)!;

/** The representation as records name it: `pca:20` of `pca`; undefined for the responses themselves. */
export function recordedRepresentation(text: string | undefined): string | undefined {
  const named = text === undefined ? DEFAULT_REPRESENTATION : chosenRepresentation(text).text;
  return named === DEFAULT_REPRESENTATION ? undefined : named;
}
