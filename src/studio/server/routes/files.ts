import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { FileError } from "../../../errors.js";
import { inside } from "../inside.js";
import type { Route } from "../route.js";

/** A file on the server, by its path below the folder that is open. */
export interface ServerFile {
  readonly path: string;
  readonly size: number;
  /** When it was written last, in milliseconds since 1970. */
  readonly modified: number;
}

/** Endings of files of data. Others are listed where they were opened or asked for. */
const DATA = /\.(h5|hdf5|he5|nc4?|cdf|mat|npy|npz|pt|pth)$/i;
/** How deep the folder is looked through, in how many folders, and how many files are listed: a list to choose from. */
const [DEEPEST, MOST_FOLDERS, MOST] = [3, 1000, 500];

/** Files of data below the folder that is open, and the one with the `path` that is asked for, whatever its ending. */
export const filesRoute: Route = {
  method: "GET",
  path: "files",
  answer: async ({ query }, { folder, opened }) => {
    const asked = query.get("path") ?? undefined;
    if (folder === undefined) return { json: { files: [] } };
    const wanted = [asked, opened?.kind === "file" ? opened.path : undefined].filter(
      (one) => one !== undefined,
    );
    const found = new Map<string, ServerFile>();
    for (const path of wanted) found.set(path, await fileAt(folder, path));
    for (const path of await dataBelow(folder))
      if (!found.has(path))
        await fileAt(folder, path).then(
          (file) => found.set(path, file),
          () => {}, // a link that leads outside, or a file that has gone
        );
    return { json: { files: [...found.values()].sort(byPath) } };
  },
};

async function fileAt(folder: string, path: string): Promise<ServerFile> {
  const status = await stat(await inside(folder, path));
  if (!status.isFile()) throw new FileError(`${JSON.stringify(path)} is not a file`);
  return { path, size: status.size, modified: status.mtimeMs };
}

/** Paths of files of data below a folder, without hidden folders. */
async function dataBelow(root: string): Promise<string[]> {
  const found: string[] = [];
  let looked = 0;
  const look = async (folder: string, depth: number): Promise<void> => {
    if (++looked > MOST_FOLDERS) return;
    const entries = await readdir(join(root, folder), { withFileTypes: true }).catch(() => []);
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      if (found.length >= MOST) return;
      const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
      if (entry.name.startsWith(".")) continue;
      if (entry.isDirectory() && depth < DEEPEST && entry.name !== "node_modules")
        await look(path, depth + 1);
      else if (!entry.isDirectory() && DATA.test(entry.name)) found.push(path);
    }
  };
  await look("", 0);
  return found;
}

const inOrder = new Intl.Collator("en", { numeric: true });
const byPath = (a: ServerFile, b: ServerFile): number => inOrder.compare(a.path, b.path);
