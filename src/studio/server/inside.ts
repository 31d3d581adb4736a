import { realpath } from "node:fs/promises";
import { isAbsolute, join, sep, win32 } from "node:path";
import { FileError } from "../../errors.js";

/** A path that leads nowhere: what it names may still come, or come back. */
export class NothingThere extends FileError {}

/**
 * The real path of something below a folder. A path that would leave the folder is refused, also one that leaves it
 * through a symbolic link: the page may ask for any path, and it may ask on behalf of somebody else.
 */
export async function inside(folder: string, path: string): Promise<string> {
  const shown = JSON.stringify(path);
  if (path.includes("\0")) throw new FileError(`${shown} is no path: it has a NUL byte`);
  if (isAbsolute(path) || win32.isAbsolute(path) || /^[a-z]:/i.test(path))
    throw new FileError(`${shown} is absolute: give a path below the folder that is open`);
  if (path.split(/[\\/]/).includes(".."))
    throw new FileError(`${shown} leads outside the folder that is open: leave out ".."`);
  const root = await realpath(folder);
  let found: string;
  try {
    found = await realpath(join(root, path));
  } catch {
    throw new NothingThere(`there is no ${shown} in the folder that is open`);
  }
  // The root of a disk ends with a separator already.
  if (found !== root && !found.startsWith(root.endsWith(sep) ? root : root + sep))
    throw new FileError(`${shown} leads outside the folder that is open, through a link`);
  return found;
}
