import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { basename } from "node:path";
import { DataError, OptionError } from "../errors.js";
import { type CostChoice, GROUND_COST_NAMES, isCostName } from "../partition/ground-costs.js";
import { withFile } from "./own-partition.js";
import { readCost } from "./statistics.js";

/** Endings of files that may hold a matrix. */
const MATRIX_FILE = /\.(csv|tsv|txt|npy|npz|json|pkl|pickle)(:.+)?$/i;

/** A ground metric by its name, or the matrix of a file: `cost.csv`, `costs.npz`, `costs.npz:h2`. */
export async function readCostChoice(text: string): Promise<CostChoice> {
  if (isCostName(text)) return text;
  const { path, key } = costFile(text);
  if (!MATRIX_FILE.test(text) && !existsSync(path))
    throw new OptionError(
      `cost is ${GROUND_COST_NAMES.join(", ")} or a file with a matrix (.csv, .npy, .npz), not "${text}"`,
    );
  const rows = await withFile(path, (file) => readCost(file, { key })).catch((error) => {
    if (!(error instanceof DataError && key === undefined && /\.npz$/i.test(path))) throw error;
    throw new DataError(`${error.message}; of several arrays, name one as ${text}:<array>`);
  });
  return { name: basename(text), rows };
}

/** The files that a choice reads. */
export const costFiles = (text: string | undefined): readonly string[] =>
  text === undefined || isCostName(text) ? [] : [costFile(text).path];

/** What a matrix is, whatever its file is called; undefined for a ground metric by name. */
export function costSha256(choice: CostChoice): string | undefined {
  if (typeof choice === "string") return undefined;
  return createHash("sha256").update(JSON.stringify(choice.rows)).digest("hex").slice(0, 16);
}

/** The file of a matrix, and which of its arrays. */
function costFile(text: string): { readonly path: string; readonly key?: string } {
  const [, archive, key] = /^(.*\.npz):([^/\\]+)$/i.exec(text) ?? [];
  return archive === undefined ? { path: text } : { path: archive, key };
}
