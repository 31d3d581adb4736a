import { closeSync, constants, existsSync, openSync, readSync, rmdirSync, rmSync, statSync } from "node:fs";
import { access, type FileHandle, mkdir, open, readdir, rename, rm, rmdir, stat } from "node:fs/promises";
import { basename, dirname, join, resolve, sep } from "node:path";
import { FileError } from "../errors.js";
import { type ByteSource, checkRange } from "./byte-source.js";
import { refusedFolder } from "./file-kinds.js";

/** A file on disk; close it when done. */
export interface DiskFile extends ByteSource {
  fill(into: Uint8Array, offset: number): void;
  close(): Promise<void>;
}

/** One file to write: its bytes, a function that makes them, or one that writes to the path it is given. */
export type Output = { readonly path: string } & (
  | { readonly bytes: Uint8Array | (() => Uint8Array | Promise<Uint8Array>) }
  | { readonly write: (temporary: string) => void | Promise<void> }
);

export interface OutputOptions {
  /** Replace what is there. Default: refuse. */
  readonly force?: boolean;
  /** Files that are read, which no output may replace, `force` or not. */
  readonly inputs?: readonly string[];
}

/** Opens a file for reading by range. */
export async function openFile(path: string): Promise<DiskFile> {
  let handle: FileHandle | undefined;
  try {
    handle = await open(path, "r");
    const status = await handle.stat();
    if (status.isDirectory()) throw new FileError(refusedFolder(path, await readdir(path)));
    if (!status.isFile()) throw new FileError(`${path} is not a file`);
    return diskFile(path, status.size, handle);
  } catch (error) {
    await handle?.close();
    throw fileError(error, path, "read");
  }
}

function diskFile(name: string, size: number, handle: FileHandle): DiskFile {
  return {
    name,
    size,
    close: () => handle.close(),
    fill: (into, offset) => fillFrom(handle.fd, { name, size }, into, offset),
    read: async (offset, length) => {
      checkRange({ name, size }, offset, length);
      const bytes = new Uint8Array(length);
      for (let filled = 0; filled < length; ) {
        const step = Math.min(length - filled, LONGEST_READ);
        const { bytesRead } = await handle.read(bytes, filled, step, offset + filled).catch((error) => {
          throw fileError(error, name, "read");
        });
        if (bytesRead === 0) throw becameShorter(name);
        filled += bytesRead;
      }
      return bytes;
    },
  };
}

/** The bytes of a file of known size, read in the calling thread; it is opened when they are first asked for. */
export function fileBytes(
  name: string,
  size: number,
): Pick<DiskFile, "fill"> & {
  close(): void;
} {
  let descriptor: number | undefined;
  return {
    fill: (into, offset) => {
      try {
        descriptor ??= openSync(name, "r");
      } catch (error) {
        throw fileError(error, name, "read");
      }
      fillFrom(descriptor, { name, size }, into, offset);
    },
    close: () => {
      if (descriptor !== undefined) closeSync(descriptor);
      descriptor = undefined;
    },
  };
}

function fillFrom(
  descriptor: number,
  { name, size }: Pick<ByteSource, "name" | "size">,
  into: Uint8Array,
  offset: number,
): void {
  checkRange({ name, size }, offset, into.length);
  for (let filled = 0; filled < into.length; ) {
    const step = Math.min(into.length - filled, LONGEST_READ);
    let bytesRead: number;
    try {
      bytesRead = readSync(descriptor, into, filled, step, offset + filled);
    } catch (error) {
      throw fileError(error, name, "read");
    }
    if (bytesRead === 0) throw becameShorter(name);
    filled += bytesRead;
  }
}

/** Bytes of the longest read: one takes less than 2 GiB. */
const LONGEST_READ = 1 << 30;

const becameShorter = (name: string) => new FileError(`${name} became shorter while it was read`);

/**
 * Refuses early, before long work, outputs that exist (without `force`), that are an input, a folder or a device, or
 * whose folder cannot be written to.
 */
export async function checkOutputs(
  paths: readonly string[],
  { force = false, inputs = [] }: OutputOptions = {},
): Promise<void> {
  const read = await Promise.all(inputs.map((input) => stat(input).catch(() => undefined)));
  const seen = new Set<string>();
  for (const path of paths) {
    if (seen.has(resolve(path))) throw new FileError(`${path} is named twice as an output`);
    seen.add(resolve(path));
    const status = await stat(path).catch(() => undefined);
    if (status?.isDirectory()) throw new FileError(`${path} is a folder: choose another --out`);
    if (status && !status.isFile()) throw new FileError(`${path} is not a file: choose another --out`);
    if (status && read.some((input) => input?.ino === status.ino && input.dev === status.dev))
      throw new FileError(`${path} is also read: choose another --out`);
    if (status && !force) throw new FileError(`${path} exists: choose another --out or add --force`);
    const folder = await nearestFolder(dirname(resolve(path)));
    await access(folder, constants.W_OK | constants.X_OK).catch((error) => {
      throw fileError(error, path, "write");
    });
  }
}

/**
 * Writes all files or none. Each is written under a temporary name in the folder of its target and synced; when all are
 * complete, they are renamed. After a failure, Ctrl-C or a closed terminal, it removes the temporary files and folders.
 */
export async function writeOutputs(outputs: readonly Output[], options: OutputOptions = {}): Promise<void> {
  await checkOutputs(
    outputs.map(({ path }) => path),
    options,
  );
  const litter: string[] = [];
  const stopWatching = onInterrupt(() => remove(litter));
  try {
    const pairs: { temporary: string; path: string; fresh: boolean }[] = [];
    for (const output of outputs) {
      const folder = dirname(resolve(output.path));
      const temporary = join(folder, `.${basename(output.path)}.${process.pid}.tmp`);
      try {
        await makeFolder(folder, litter);
        await removeLeftovers(folder, basename(output.path));
        litter.push(temporary);
        await writeOne(output, temporary);
      } catch (error) {
        throw fileError(error, output.path, "write");
      }
      const fresh = !(await stat(output.path).catch(() => undefined));
      pairs.push({ temporary, path: output.path, fresh });
    }
    for (const { temporary, path, fresh } of pairs) {
      await rename(temporary, path).catch((error) => {
        throw fileError(error, path, "write");
      });
      if (fresh) litter.push(resolve(path));
    }
    litter.length = 0;
  } finally {
    stopWatching();
    remove(litter);
  }
}

/**
 * Writes a whole folder, all or nothing. `force` replaces an existing folder, but only if `mine` recognises all of its
 * entries as an earlier output of the same kind.
 */
export async function writeFolder(
  folder: string,
  files: readonly Output[],
  { force = false, mine = () => false }: OutputOptions & { mine?: (entry: string) => boolean } = {},
): Promise<void> {
  const target = resolve(folder);
  await checkFolder(folder, { force, mine });
  const temporary = join(dirname(target), `.${basename(target)}.${process.pid}.tmp`);
  const old = `${temporary}.old`;
  const removeTemporary = () => {
    if (existsSync(temporary)) rmSync(temporary, { recursive: true, force: true });
  };
  const stopWatching = onInterrupt(removeTemporary);
  try {
    await removeLeftovers(await nearestFolder(dirname(target)), basename(target));
    await writeOutputs(files.map((file) => ({ ...file, path: join(temporary, file.path) })));
    const status = await stat(target).catch(() => undefined);
    if (status) await rename(target, old);
    await rename(temporary, target).catch(async (error) => {
      if (status) await rename(old, target);
      throw error;
    });
    await rm(old, { recursive: true, force: true });
  } catch (error) {
    if (error instanceof FileError) throw new FileError(error.message.replaceAll(temporary, folder));
    throw fileError(error, folder, "write");
  } finally {
    stopWatching();
    removeTemporary();
  }
}

/** Refuses early a folder that `writeFolder` would refuse. */
export async function checkFolder(
  folder: string,
  { force = false, mine = () => false }: OutputOptions & { mine?: (entry: string) => boolean } = {},
): Promise<void> {
  const status = await stat(folder).catch(() => undefined);
  if (status && !status.isDirectory()) throw new FileError(`${folder} is a file: choose another --out`);
  if (status) {
    const entries = await readdir(folder);
    const foreign = entries.find((entry) => !mine(entry));
    if (entries.length > 0 && !force) {
      throw new FileError(`${folder} exists: choose another --out or add --force`);
    }
    if (foreign !== undefined) {
      throw new FileError(
        `${folder} holds ${foreign}, which is not part of this output: choose another --out`,
      );
    }
  }
  await access(await nearestFolder(dirname(resolve(folder))), constants.W_OK | constants.X_OK).catch(
    (error) => {
      throw fileError(error, folder, "write");
    },
  );
}

/** Makes the missing folders one by one, for `mkdir -p` of Node 20 never returns on /proc; notes those it made. */
export async function makeFolder(folder: string, made: string[] = []): Promise<void> {
  const above = await nearestFolder(folder);
  const missing = folder.slice(above.length).split(sep).filter(Boolean);
  for (let depth = 1; depth <= missing.length; depth++) {
    const path = join(above, ...missing.slice(0, depth));
    try {
      await mkdir(path);
      made.push(path);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error; // made by another process just now
    }
  }
}

/** The folder above which those of a path are missing, for `removeEmptyFolders`. */
export const folderAbove = (path: string): Promise<string> => nearestFolder(resolve(path));

/** Removes a folder and those above it while they are empty, up to one that was there before. */
export async function removeEmptyFolders(folder: string, above: string): Promise<void> {
  for (let path = resolve(folder); path.length > above.length; path = dirname(path)) {
    const error = await rmdir(path).catch((reason: NodeJS.ErrnoException) => reason);
    if (error && error.code !== "ENOENT") return;
  }
}

/** Removes temporaries of this target whose process is gone: what a kill or a power cut left behind. */
async function removeLeftovers(folder: string, name: string): Promise<void> {
  for (const entry of await readdir(folder)) {
    const pid = entry.startsWith(`.${name}.`)
      ? Number(/^(\d+)\.tmp(\.old)?$/.exec(entry.slice(name.length + 2))?.[1])
      : NaN;
    if (pid > 0 && !isRunning(pid)) await rm(join(folder, entry), { recursive: true, force: true });
  }
}

/** Whether a process of this machine is there. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM"; // somebody else's, but running
  }
}

async function writeOne(output: Output, temporary: string): Promise<void> {
  if ("write" in output) await output.write(temporary);
  const bytes = "bytes" in output ? output.bytes : undefined;
  const handle = await open(temporary, bytes ? "w" : "r+");
  try {
    if (bytes) await handle.writeFile(typeof bytes === "function" ? await bytes() : bytes);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** The folder itself, or the nearest above it that exists: the one in which the missing ones would be made. */
export async function nearestFolder(folder: string): Promise<string> {
  const status = await stat(folder).catch(() => undefined);
  if (status?.isDirectory()) return folder;
  if (status) throw new FileError(`${folder} is a file, not a folder`);
  return dirname(folder) === folder ? folder : nearestFolder(dirname(folder));
}

/** Removes files and folders that were made, the last first, but no folder in which others have put something. */
function remove(paths: readonly string[]): void {
  for (const path of [...paths].reverse()) {
    try {
      if (statSync(path).isDirectory()) rmdirSync(path);
      else rmSync(path);
    } catch {
      // gone already, never made, or in use by others
    }
  }
}

/** Runs `clean` when the process is told to stop, then stops it. Returns the function that ends the watch. */
function onInterrupt(clean: () => void): () => void {
  const stop = (signal: NodeJS.Signals): void => {
    // Whoever else listens ends the program in good order, and the file is finished before.
    if (process.listeners(signal).some((listener) => !watching.has(listener))) return;
    clean();
    stopWatching();
    process.kill(process.pid, signal);
  };
  const signals: NodeJS.Signals[] = ["SIGINT", "SIGTERM", "SIGHUP"];
  const stopWatching = (): void => {
    watching.delete(stop);
    for (const signal of signals) process.off(signal, stop);
  };
  watching.add(stop);
  for (const signal of signals) process.on(signal, stop);
  return stopWatching;
}

/** Listeners of writes that are under way. */
const watching = new Set<unknown>();

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: "no such file or folder",
  EACCES: "no permission",
  EPERM: "no permission",
  ENOSPC: "the disk is full",
  EDQUOT: "the disk quota is used up",
  EISDIR: "it is a folder",
  ENOTDIR: "a part of the path is not a folder",
  EROFS: "the file system is read-only",
  EMFILE: "too many open files",
  EIO: "the disk reports an error",
  ENAMETOOLONG: "the name is too long",
};

/** What the system said, as one line; errors of other kinds pass unchanged. */
export function fileError(error: unknown, path: string, verb: "read" | "write"): unknown {
  const code = (error as NodeJS.ErrnoException)?.code;
  const reason = code === undefined ? undefined : REASONS[code];
  return reason === undefined ? error : new FileError(`cannot ${verb} ${path}: ${reason}`);
}
