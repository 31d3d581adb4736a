import { existsSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { Dataset, ExternalLink, File, Group, ready } from "h5wasm/node";
import { FormatError } from "../errors.js";
import { type Hdf5Library, libraryError, takesFromOther } from "./hdf5/hdf5-library.js";

/** Set to 1, it lets HDF5 files take data from other files: by external links, external storage, virtual datasets. */
export const EXTERNAL_FILES = "PDE_DIRICHLET_EXTERNAL_FILES";

/** How a file that takes data from others is used nevertheless. */
const ALLOW_EXTERNAL = `copy the data into the file, or set ${EXTERNAL_FILES}=1 if you trust it`;

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
function allowsExternalFiles(): boolean {
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
    if (refused !== undefined)
      throw new FormatError(`${name} ${takesFromOther(refused, { allowExternal: ALLOW_EXTERNAL })}`);
    throw libraryError(name, error);
  }
}

/** The library for Node, which opens files by their paths. */
export const NODE_LIBRARY: Hdf5Library = {
  ...{ Dataset, Group, ExternalLink, explained, allowsExternalFiles },
  allowExternal: ALLOW_EXTERNAL,
  isMissing: (path, file) => !existsSync(resolve(dirname(file), path)) && !existsSync(path),
};

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
