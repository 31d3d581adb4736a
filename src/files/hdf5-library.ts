import { statSync } from "node:fs";
import { File, ready } from "h5wasm/node";
import { FormatError } from "../errors.js";

/** Set to 1, it lets HDF5 files take data from other files: by external links, external storage, virtual datasets. */
export const EXTERNAL_FILES = "PDE_DIRICHLET_EXTERNAL_FILES";

/** How a file that takes data from others is used nevertheless. */
export const ALLOW_EXTERNAL = `copy the data into the file, or set ${EXTERNAL_FILES}=1 if you trust it`;

/** Of the flags of open(2): the file may be created. The library does so for its own temporary files. */
const CREATE = 0o100;

let loaded: Promise<void> | undefined;
/** True while a file that the user named is opened. */
let opening = false;
/** The other file that the library tried to open last, and was refused. */
let refused: string | undefined;

/**
 * The HDF5 library, compiled to WebAssembly, with errors as exceptions. As it comes, a failed read only prints a
 * message and returns whatever the memory held.
 */
export function loadLibrary(): Promise<void> {
  loaded ??= ready.then((library) => {
    library.activate_throwing_error_handler();
    keepToNamedFiles(library.FS as unknown as FileSystem);
  });
  return loaded;
}

/** Whether HDF5 files may take data from other files. */
export function allowsExternalFiles(): boolean {
  return process.env[EXTERNAL_FILES] === "1";
}

/** Opens a file that the user named. */
export function openLibraryFile(path: string, mode: "r" | "w"): File {
  opening = true;
  try {
    return explained(path, () => new File(path, mode));
  } finally {
    opening = false;
  }
}

/** Runs a call of the library and turns its stack of messages into one line. */
export function explained<T>(name: string, call: () => T): T {
  refused = undefined;
  try {
    return call();
  } catch (error) {
    const text = String((error as Error)?.message ?? error);
    if (refused !== undefined)
      throw new FormatError(`${name} takes its data from another file, ${refused}: ${ALLOW_EXTERNAL}`);
    if (error instanceof WebAssembly.RuntimeError || error instanceof RangeError)
      throw new FormatError(`${name} is damaged: the HDF5 library failed (${text})`);
    if (!text.includes("HDF5-DIAG")) throw error;
    if (text.includes("file signature not found")) throw new FormatError(`${name} is not an HDF5 file`);
    const truncated = /truncated file: eof = (\d+),.*stored_eof = (\d+)/.exec(text);
    if (truncated) {
      throw new FormatError(`${name} is truncated: it has ${truncated[1]} of ${truncated[2]} bytes`);
    }
    const filter = /required filter '([^']+)' is not registered/.exec(text);
    if (filter) {
      throw new FormatError(`${name} ${compressedBy(filter[1])}`);
    }
    if (text.includes("No space left on device")) throw Object.assign(new Error(text), { code: "ENOSPC" });
    const last = [...text.matchAll(/\(\): (.*)/g)].pop()?.[1] ?? "unknown error";
    throw new FormatError(`${name}: HDF5 says "${last.trim()}"`);
  }
}

/** What to do about a dataset that a filter compresses which the library does not have. */
export function compressedBy(filter: string): string {
  const short = filter.split(";")[0];
  const way =
    short === "lzf"
      ? `write it again with h5py, which has lzf: new.create_dataset(name, data=old[name][...], compression="gzip")`
      : "repack it with gzip where that filter is installed (h5repack -f GZIP=4, or h5py after import hdf5plugin)";
  return `is compressed by ${short}, which cannot be read here: ${way}`;
}

/** What is used of the library's view of the disk. */
interface FileSystem {
  open(path: string, flags: number, mode?: number): unknown;
  readonly ErrnoError: new (code: number) => Error;
}

/** "No permission", as the library numbers it. */
const EACCES = 2;

/** Refuses to open files that only the data name: a downloaded dataset must not read `/etc/passwd` or the like. */
function keepToNamedFiles(disk: FileSystem): void {
  const { open } = disk;
  disk.open = (path, flags, mode) => {
    const isOther = !opening && (Number(flags) & CREATE) === 0 && !isMissingOrFolder(path);
    if (isOther && !allowsExternalFiles()) {
      refused = path;
      throw new disk.ErrnoError(EACCES);
    }
    return open(path, flags, mode);
  };
}

/** Folders are where the library looks for plug-ins; what is missing cannot be opened anyway. */
function isMissingOrFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return true;
  }
}
