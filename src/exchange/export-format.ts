import type { Fields } from "../datasets/fields.js";
import type { NpzEntries } from "../files/npz.js";
import type { Assignment } from "../partition/record.js";

/** A file of an export. Its bytes are made when they are written, so that only one file is in memory at a time. */
export interface ExportedFile {
  /** Below the output folder; of no meaning where the export is one file. */
  readonly path: string;
  bytes(): Promise<Uint8Array>;
}

/** Arrays of every sample by name (`input`, `response`). */
export type Columns = Readonly<Record<string, Fields>>;

/** What an export may draw on besides the assignment itself. */
export interface ExportContext {
  /** One line on what the partition is, where the format has a place for it. */
  readonly description?: string;
  /** Numbers that belong beside the data: K, alpha, seed, D_sol, where they are known. */
  readonly facts?: Readonly<Record<string, number | string>>;
  /** Arrays to put beside every sample's client and bin, where the format takes them. */
  readonly columns?: Columns;
  /** The same of the samples that no client holds, for tests. */
  readonly test?: Columns;
  /** Axes of the arrays, by name. */
  readonly coordinates?: NpzEntries;
  /** Of the columns in the export; as in the data unless told otherwise. */
  readonly dtype?: Fields["dtype"];
}

/** A layout that another tool loads. */
export interface ExportFormat {
  /** One line for `--help`. */
  readonly describe: string;
  /** Whether `--out` names one file or a folder. */
  readonly output: "file" | "folder";
  /** Whether it has a place for the columns of a context; without one they are not to be given. */
  readonly takesColumns?: boolean;
  /** Whether an entry of an existing output folder is such an export's, so that `--force` may replace it. */
  readonly mine?: (entry: string) => boolean;
  files(assignment: Assignment, context?: ExportContext): readonly ExportedFile[];
  /** The lines of Python that load it from `path`. */
  python(path: string): string;
}

/** A file whose content is text. */
export function textFile(path: string, text: () => string): ExportedFile {
  return { path, bytes: async () => new TextEncoder().encode(text()) };
}

/** A Python string literal. JSON's escapes are Python's, too. */
export function quoted(path: string): string {
  return JSON.stringify(path);
}
