import * as h5wasm from "h5wasm";
import { FormatError } from "../../../errors.js";
import type { ByteSource } from "../../../files/byte-source.js";
import { type Hdf5File, hdf5File } from "../../../files/hdf5/hdf5-file.js";
import { type Hdf5Library, libraryError, takesFromOther } from "../../../files/hdf5/hdf5-library.js";
import { FILE_MODE, type LibraryDisk, mountSource } from "./mounted-source.js";

/** How a file that takes data from others is used nevertheless: a page has no other files. */
const ALLOW_EXTERNAL = "copy the data into the file";

/** The other file that the library tried to open last, and was refused. */
let refused: string | undefined;
let loaded: Promise<LibraryDisk> | undefined;
let mounted = 0;

/** The library for a page. It sees the files that were mounted, and no others. */
const PAGE_LIBRARY: Hdf5Library = {
  Dataset: h5wasm.Dataset,
  Group: h5wasm.Group,
  ExternalLink: h5wasm.ExternalLink,
  allowsExternalFiles: () => false,
  allowExternal: ALLOW_EXTERNAL,
  isMissing: () => true,
  explained(name, call) {
    refused = undefined;
    try {
      return call();
    } catch (error) {
      if (refused !== undefined)
        throw new FormatError(`${name} ${takesFromOther(refused, { allowExternal: ALLOW_EXTERNAL })}`);
      throw named(name, libraryError(name, error));
    }
  },
};

/** The path by which the library knows a file means nothing to anybody else. */
function named(name: string, error: unknown): unknown {
  if (!(error instanceof FormatError)) return error;
  return new FormatError(error.message.replace(/\/given\/\d+\/data/g, name));
}

/** Opens an HDF5 file by its bytes, which are read as they are needed: a file of any size takes little memory. */
export async function openHdf5In(source: Required<ByteSource>): Promise<Hdf5File> {
  const disk = await loadLibrary();
  const folder = `/given/${mounted++}`;
  const { path, unmount } = mountSource(disk, folder, source);
  try {
    const file = PAGE_LIBRARY.explained(source.name, () => new h5wasm.File(path, "r"));
    return hdf5File(
      { name: source.name, size: source.size, file, fill: source.fill, close: unmount },
      PAGE_LIBRARY,
    );
  } catch (error) {
    unmount();
    throw error;
  }
}

/** The library with errors as exceptions, as on the command line. */
function loadLibrary(): Promise<LibraryDisk> {
  loaded ??= h5wasm.ready.then((library) => {
    library.activate_throwing_error_handler();
    const disk = library.FS as unknown as LibraryDisk;
    noteMissing(disk);
    return disk;
  });
  return loaded;
}

/** Where the library looks for filters that it lacks. */
const PLUGINS = /\/plugin(\/|$)/;

/** Remembers which other file the library looks for on behalf of one that is open. */
function noteMissing(disk: LibraryDisk): void {
  const { open } = disk;
  disk.open = (path, flags, mode) => {
    const isRead = (Number(flags) & FILE_MODE.create) === 0;
    if (isRead && !PLUGINS.test(path) && !disk.analyzePath(path).exists)
      refused = path.replace(/^(\/given\/\d+\/|\/\/)/, ""); // as the file names it
    return open(path, flags, mode);
  };
}
