import type { Fields } from "../datasets/fields.js";
import type { NpzEntries } from "../files/npz.js";
import type { Assignment } from "../partition/assignment.js";

/** One file of an export. `bytes` builds the content on demand, so only one file is in memory at a time. */
export interface ExportedFile {
  /** Path relative to the output folder. It has no meaning if the export is a single file. */
  readonly path: string;
  bytes(): Promise<Uint8Array>;
}

/** Arrays of every sample by name (`input`, `response`). */
export type Columns = Readonly<Record<string, Fields>>;

/** Optional data for an export, besides the assignment. */
export interface ExportContext {
  /** One-line description of the partition, if the format has a field for it. */
  readonly description?: string;
  /** Known facts about the partition: K, alpha, seed, D_sol. */
  readonly facts?: Readonly<Record<string, number | string>>;
  /** Arrays to store with each sample's client and bin, if the format supports columns. */
  readonly columns?: Columns;
  /** The same arrays for the test samples, which no client holds. */
  readonly test?: Columns;
  /** Coordinate axes of the arrays, by name. */
  readonly coordinates?: NpzEntries;
  /** Element type of the exported columns. Default: the type in the data. */
  readonly dtype?: Fields["dtype"];
}

/** A file layout that another tool can load. */
export interface ExportFormat {
  /** One line for `--help`. */
  readonly describe: string;
  /** Whether `--out` names one file or a folder. */
  readonly output: "file" | "folder";
  /** Whether the format can store the columns of a context. If not, do not pass columns. Default false. */
  readonly takesColumns?: boolean;
  /** Whether an entry of an existing output folder belongs to this format. If it does, `--force` may replace it. */
  readonly mine?: (entry: string) => boolean;
  files(assignment: Assignment, context?: ExportContext): readonly ExportedFile[];
  /** Python code that loads the export from `path`. */
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
