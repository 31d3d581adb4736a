import { FormatError } from "../errors.js";
import type { ByteSource } from "./byte-source.js";
import { isMat5 } from "./mat5.js";
import { isNetcdf3 } from "./netcdf3.js";
import { isLegacyTorch, isTorch } from "./torch.js";
import { isZip, openZip } from "./zip.js";

/** A kind of file that is not read here: what it is, and how its arrays get into one that is. */
interface ForeignKind {
  readonly name: string;
  readonly advice: string;
  /** Whether files of arrays of this kind are read, by a reader of this folder. */
  readonly hasReader?: boolean;
  /** Whether files of this kind are read as documents, such as partitions, though not as arrays. */
  readonly isDocument?: boolean;
  /** Whether a file begins like this; `start` has up to 512 bytes. */
  matches(start: Uint8Array): boolean;
}

const HDF5_SIGNATURE = [0x89, 0x48, 0x44, 0x46, 0x0d, 0x0a, 0x1a, 0x0a];
/** Bytes that are looked at. */
const START = 512;
const TO_NPZ = "as arrays with numpy.savez";
const FROM_ZARR =
  "load it with xarray.open_zarr and save it with to_netcdf, or save its arrays with numpy.savez";

const PYTORCH = {
  name: "a PyTorch file",
  advice: `load it with torch.load and save its tensors ${TO_NPZ}`,
  hasReader: true,
};

/** Files that people have at hand where arrays are asked for. */
const FOREIGN: readonly ForeignKind[] = [
  {
    name: "a MATLAB file of version 5 to 7.2",
    advice:
      "save it again with save(..., '-v7.3'), which is HDF5, or load it with scipy.io.loadmat and use numpy.savez",
    hasReader: true,
    matches: isMat5,
  },
  { ...PYTORCH, matches: isLegacyTorch },
  {
    name: "a netCDF-3 file",
    advice: "turn it into netCDF-4, which is HDF5, with nccopy -k nc4",
    hasReader: true,
    matches: isNetcdf3,
  },
  {
    name: "a MATLAB file of version 4",
    advice: "save it again with save(..., '-v7'), or load it with scipy.io.loadmat and use numpy.savez",
    matches: isMat4,
  },
  {
    name: "a safetensors file",
    advice: `load it with safetensors.numpy.load_file and save it ${TO_NPZ}`,
    matches: isSafetensors,
  },
  {
    name: "a gzip archive",
    advice: "unpack it first with gunzip",
    matches: (start) => beginsWith(start, [0x1f, 0x8b]),
  },
  {
    name: "a bzip2 archive",
    advice: "unpack it first with bunzip2",
    matches: (start) => /^BZh[1-9]$/.test(textOf(start, 0, 4)),
  },
  {
    name: "an xz archive",
    advice: "unpack it first with unxz",
    matches: (start) => beginsWith(start, [0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00]),
  },
  {
    name: "a Zstandard archive",
    advice: "unpack it first with unzstd",
    matches: (start) => beginsWith(start, [0x28, 0xb5, 0x2f, 0xfd]),
  },
  {
    name: "a 7z archive",
    advice: "unpack it first",
    matches: (start) => beginsWith(start, [0x37, 0x7a, 0xbc, 0xaf, 0x27, 0x1c]),
  },
  {
    name: "a tar archive",
    advice: "unpack it first with tar -x",
    matches: (start) => textOf(start, 257, 5) === "ustar",
  },
  {
    name: "an HDF4 file",
    advice: "turn it into HDF5 with h4toh5",
    matches: (start) => beginsWith(start, [0x0e, 0x03, 0x13, 0x01]),
  },
  {
    name: "a Parquet file",
    advice: `load it with pandas.read_parquet and save it ${TO_NPZ}`,
    matches: (start) => beginsWithText(start, "PAR1"),
  },
  {
    name: "an Arrow file",
    advice: `load it with pyarrow and save it ${TO_NPZ}`,
    matches: (start) => beginsWithText(start, "ARROW1") || beginsWithText(start, "FEA1"),
  },
  {
    name: "a GRIB file",
    advice: "load it with xarray (engine cfgrib) and save it with to_netcdf",
    matches: (start) => beginsWithText(start, "GRIB"),
  },
  {
    name: "a VTK file",
    advice: `load it with meshio or pyvista and save its fields ${TO_NPZ}`,
    matches: (start) => /^# vtk DataFile|^(<\?xml[^>]*>\s*)?<VTKFile/.test(textOf(start, 0, 200)),
  },
  {
    name: "a pickle file",
    advice: "load it with pickle.load if you trust it, and save its arrays with numpy.savez",
    isDocument: true,
    matches: isPickle,
  },
  {
    name: "a text file of numbers, such as CSV",
    advice: `load it with numpy.loadtxt (delimiter=",") or pandas.read_csv and save it ${TO_NPZ}`,
    isDocument: true,
    matches: isTable,
  },
];

/**
 * Whether a file is HDF5. A user block may lie before its signature, as in MATLAB's files of version 7.3: the
 * signature is at byte 0, 512, 1024, 2048, ... (HDF5 File Format Specification, "Format Signature and Superblock").
 */
export async function isHdf5(source: ByteSource): Promise<boolean> {
  const { length } = HDF5_SIGNATURE;
  if (source.size < length) {
    const rest = await source.read(0, source.size); // a truncated one is still called by its name
    return rest.length >= 4 && beginsWith(rest, HDF5_SIGNATURE.slice(0, rest.length));
  }
  for (let at = 0; at + length <= source.size; at = at === 0 ? 512 : 2 * at)
    if (beginsWith(await source.read(at, length), HDF5_SIGNATURE)) return true;
  return false;
}

export interface ReadHere {
  /** The caller reads files of arrays by all readers of this folder, not HDF5, NPY and NPZ alone. */
  readonly allArrays?: boolean;
}

/** Refuses a file of a well-known kind that is not read here, by its first bytes, and says how to convert it. */
export async function refuseForeign(source: ByteSource, { allArrays = false }: ReadHere = {}): Promise<void> {
  const start = await source.read(0, Math.min(START, source.size));
  const kind = FOREIGN.find(({ matches }) => matches(start)) ?? (await foreignArchive(source, start));
  const isRead = allArrays ? kind?.hasReader : kind?.isDocument;
  if (!kind || isRead || (await isHdf5(source))) return;
  throw new FormatError(`${source.name} is ${kind.name}, which is not read here: ${kind.advice}`);
}

/** Zip archives of another kind than NumPy's: `torch.save` puts a pickle called `data.pkl` in it, Zarr its metadata. */
async function foreignArchive(
  source: ByteSource,
  start: Uint8Array,
): Promise<Omit<ForeignKind, "matches"> | undefined> {
  if (!isZip(start)) return undefined;
  const members = await openZip(source).catch(() => undefined); // a damaged one is told by who reads it
  const names = [...(members?.keys() ?? [])];
  if (isTorch(names)) return PYTORCH;
  if (names.some((name) => ZARR_FILES.includes(name.split("/").at(-1)!)))
    return { name: "a Zarr archive", advice: FROM_ZARR };
  return undefined;
}

/** Files that tell a Zarr folder or archive, of version 2 or 3. */
const ZARR_FILES = [".zgroup", ".zarray", ".zmetadata", "zarr.json"];

/** The error about a folder in place of a file, by the names of what it holds. */
export function refusedFolder(path: string, names: readonly string[]): string {
  if (!names.some((name) => ZARR_FILES.includes(name))) return `${path} is not a file`;
  return `${path} is a Zarr folder, which is not read here: ${FROM_ZARR}`;
}

/**
 * Whether a file begins like MATLAB's version 4, which has no signature: five whole numbers, of which the first has a
 * digit each for the byte order, zero, the type and the kind of matrix, then a name that ends in a zero.
 */
function isMat4(start: Uint8Array): boolean {
  if (start.length < 22) return false;
  const view = new DataView(start.buffer, start.byteOffset, start.byteLength);
  return [true, false].some((littleEndian) => {
    const [code, rows, columns, imaginary, name] = [0, 4, 8, 12, 16].map((at) =>
      view.getInt32(at, littleEndian),
    );
    const [order, zero, type, kind] = [1000, 100, 10, 1].map((unit) => Math.floor(code / unit) % 10);
    const isCode =
      code >= 0 && code < 5000 && order === Number(!littleEndian) && zero === 0 && type <= 5 && kind <= 2;
    const isSize =
      rows >= 0 && columns >= 0 && (imaginary === 0 || imaginary === 1) && name > 1 && name <= 64;
    const text = textOf(start, 20, name);
    return isCode && isSize && /^[a-zA-Z]\w*\0$/.test(text);
  });
}

/** A safetensors file begins with the length of its header, 8 bytes, and the header, JSON. */
function isSafetensors(start: Uint8Array): boolean {
  return start[7] === 0 && start[6] === 0 && /^\{"[^"]*":\{.*"dtype":"/.test(textOf(start, 8, START));
}

/** Whether a file begins like a pickle: of protocol 2 on by its number, of older ones by a dict, a list or a class. */
function isPickle(start: Uint8Array): boolean {
  if (start[0] === 0x80) return start[1] >= 2 && start[1] <= 5 && start.length > 4;
  return /^(\(?[dl]p\d+\n|[}\]]q\0|c[\w.]+\n\w+\n)/.test(textOf(start, 0, 100));
}

/** Whether a file is text whose first or second line, after a heading, has numbers alone. */
function isTable(start: Uint8Array): boolean {
  const text = textOf(start, 0, START);
  if (/[^\t\n\r\x20-\x7e\xa0-\xff]/.test(text)) return false;
  const whole = start.length < START ? text : text.replace(/[^,;\s]*$/, ""); // the last number may be cut
  const lines = whole.split(/\r?\n/);
  const areNumbers = (line: string) => {
    const cells = line
      .trim()
      .replace(/[,;]$/, "")
      .split(/\s*[,;]\s*|\s+/);
    return cells.every((cell) => /^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i.test(cell) || cell === "nan");
  };
  return lines.slice(0, 2).some(areNumbers);
}

function beginsWith(bytes: Uint8Array, signature: readonly number[]): boolean {
  return signature.every((byte, i) => bytes[i] === byte);
}

function beginsWithText(bytes: Uint8Array, text: string): boolean {
  return textOf(bytes, 0, text.length) === text;
}

function textOf(bytes: Uint8Array, at: number, length: number): string {
  return String.fromCharCode(...bytes.subarray(at, at + length));
}
