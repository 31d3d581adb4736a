import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { FileError } from "../../errors.js";
import { writeFolder } from "../../files/disk.js";
import { PAGE_FOLDER } from "./page-files.js";
import { POLICY } from "./send.js";

export interface ExportedPage {
  /** Files that were written, counted from the folder. */
  readonly files: readonly string[];
  readonly bytes: number;
}

/** Tells GitHub Pages to serve all files as they are. */
const NO_JEKYLL = ".nojekyll";

/**
 * Writes the page with all that it needs, for any web server. It has built-in tasks and the visitor's own files.
 * `force` replaces an earlier export.
 */
export async function exportPage(
  folder: string,
  { force }: { readonly force?: boolean } = {},
): Promise<ExportedPage> {
  const entries = await readdir(PAGE_FOLDER, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(PAGE_FOLDER.length + 1))
    .sort();
  const files = await Promise.all(
    paths.map(async (path) => {
      const bytes = await readFile(join(PAGE_FOLDER, path));
      return { path, bytes: path === "index.html" ? withPolicy(bytes) : bytes };
    }),
  );
  const tops = new Set([NO_JEKYLL, ...paths.map((path) => path.split(/[\\/]/)[0])]);
  await writeFolder(folder, [...files, { path: NO_JEKYLL, bytes: new Uint8Array() }], {
    force,
    mine: (entry) => tops.has(entry),
  }).catch((error) => {
    throw error instanceof FileError ? new FileError(error.message.replace("--out", "--export")) : error;
  });
  return {
    files: [...paths, NO_JEKYLL],
    bytes: files.reduce((sum, { bytes }) => sum + bytes.length, 0),
  };
}

/** The page with the policy that our server sends as a header: other servers send none. */
function withPolicy(html: Buffer): Buffer {
  // A policy in a page cannot say who may frame it.
  const policy = POLICY.replace(/; frame-ancestors [^;]*/, "");
  const meta = `<meta http-equiv="Content-Security-Policy" content="${policy}">`;
  return Buffer.from(html.toString().replace('<meta charset="utf-8" />', `$&\n    ${meta}`));
}
