import { CLIENTS_WORDS } from "./views/clients/words.js";
import { DATA_WORDS } from "./views/data/words.js";
import { SOLUTIONS_WORDS } from "./views/solutions/words.js";
import { STUDIES_WORDS } from "./views/studies/words.js";
import { TRAINING_WORDS } from "./views/training/words.js";

/** A symbol or word of the page: how it is written, what it means in one sentence, and its formula where it has one. */
export interface Entry {
  readonly label: string;
  readonly meaning: string;
  readonly formula?: string;
}

export type Words = Readonly<Record<string, Entry>>;

/** Everything that the page explains on hover or focus. Each view has a file of its own words. */
export const GLOSSARY = {
  ...DATA_WORDS,
  ...SOLUTIONS_WORDS,
  ...CLIENTS_WORDS,
  ...TRAINING_WORDS,
  ...STUDIES_WORDS,
} as const satisfies Words;

export type TermName = keyof typeof GLOSSARY;
