import { link, lstat, open, readFile, rm, writeFile } from "node:fs/promises";
import { FileError } from "../../errors.js";
import { beyondStale } from "../stale-handles.js";

/** What a lock asks of a file system; tests give it one with the faults of a network. */
export interface LockFileSystem {
  link(file: string, name: string): Promise<void>;
  read(path: string): Promise<string>;
  /** Creates or replaces a file, on the disk when it returns. */
  write(path: string, text: string): Promise<void>;
  /** Writes over the beginning of a file that exists. */
  overwrite(path: string, text: string): Promise<void>;
  stat(
    path: string,
  ): Promise<{ isFile(): boolean; isDirectory(): boolean; mtimeMs: number; ctimeMs: number }>;
  remove(path: string): Promise<void>;
}

export const NODE_FILES: LockFileSystem = {
  link,
  read: (path) => readFile(path, "utf8"),
  write: (path, text) => writeFile(path, text, { flush: true }),
  async overwrite(path, text) {
    const handle = await open(path, "r+");
    try {
      await handle.write(text, 0);
      await handle.sync();
    } finally {
      await handle.close();
    }
  },
  stat: lstat,
  remove: (path) => rm(path, { force: true }),
};

/** The text of a lock and when it was written last; undefined if there is none. Anything but a file is a `FileError`. */
export async function readLock(
  files: LockFileSystem,
  path: string,
): Promise<{ readonly text: string; readonly written: number } | undefined> {
  try {
    return await beyondStale(async () => {
      const status = await files.stat(path);
      if (!status.isFile()) throw new FileError(`${path} is not a file`);
      return { text: await files.read(path), written: status.mtimeMs };
    });
  } catch (error) {
    if (codeOf(error) === "ENOENT" || codeOf(error) === "ESTALE") return undefined;
    throw error;
  }
}

/** What file systems say that know no hard links, such as exFAT and some that live in user space. */
const NO_LINKS = ["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK"];

/**
 * Gives a file a second name, which appears at once and with its contents; false if the name is taken. Where the reply of a
 * network file system is lost, the request is repeated and then finds the name that it made itself: a name that
 * holds this very `text`, which no other has, is ours.
 */
export async function linked(
  files: LockFileSystem,
  file: string,
  name: string,
  text: string,
): Promise<boolean> {
  try {
    await beyondStale(() => files.link(file, name));
    return true;
  } catch (error) {
    const code = codeOf(error) ?? "";
    if (NO_LINKS.includes(code))
      throw new FileError(
        `${name} needs a file system with hard links, and this one has none: choose another --out`,
      );
    if (code !== "EEXIST") throw error;
    return (await readLock(files, name).catch(() => undefined))?.text === text;
  }
}

function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException).code;
}
