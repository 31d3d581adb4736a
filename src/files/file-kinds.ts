import { FormatError } from "../errors.js";
import type { ByteSource } from "./byte-source.js";
import { isZip, openZip } from "./zip.js";

/** A kind of file that is not read here: what it is, and how its arrays get into one that is. */
interface ForeignKind {
  readonly name: string;
  readonly advice: string;
  /** Whether a file begins like this; `start` has up to 512 bytes. */
  matches(start: Uint8Array): boolean;
}

const HDF5_SIGNATURE = [0x89, 0x48, 0x44, 0x46, 0x0d, 0x0a, 0x1a, 0x0a];
/** Bytes that are looked at. */
const START = 512;
const TO_NPZ = "as arrays with numpy.savez";

/** PyTorch's magic number 0x1950a86a20f9469cfc6c as a pickle: how `torch.save` began before version 1.6. */
const OLD_PYTORCH = [0x80, 0x02, 0x8a, 0x0a, 0x6c, 0xfc, 0x9c, 0x46, 0xf9, 0x20, 0x6a, 0xa8, 0x50, 0x19];
const PYTORCH = { name: "a PyTorch file", advice: `load it with torch.load and save its tensors ${TO_NPZ}` };

/** Files that people have at hand where arrays are asked for. */
const FOREIGN: readonly ForeignKind[] = [
  {
    name: "a MATLAB file of version 5 to 7.2",
    advice:
      "save it again with save(..., '-v7.3'), which is HDF5, or load it with scipy.io.loadmat and use numpy.savez",
    matches: (start) => beginsWithText(start, "MATLAB 5.0 MAT-file"),
  },
  { ...PYTORCH, matches: (start) => beginsWith(start, OLD_PYTORCH) },
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
    name: "a netCDF-3 file",
    advice: "turn it into netCDF-4, which is HDF5, with nccopy -k nc4",
    matches: (start) => beginsWithText(start, "CDF") && [1, 2, 5].includes(start[3]),
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
    matches: (start) => beginsWithText(start, "ARROW1"),
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

/** Refuses a file of a well-known kind that is not read here, by its first bytes, and says how to convert it. */
export async function refuseForeign(source: ByteSource): Promise<void> {
  const start = await source.read(0, Math.min(START, source.size));
  const kind = FOREIGN.find(({ matches }) => matches(start)) ?? (await pytorchArchive(source, start));
  if (kind && !(await isHdf5(source)))
    throw new FormatError(`${source.name} is ${kind.name}, which is not read here: ${kind.advice}`);
}

/** `torch.save` writes a zip archive with a pickle called `data.pkl` in it. */
async function pytorchArchive(
  source: ByteSource,
  start: Uint8Array,
): Promise<Pick<ForeignKind, "name" | "advice"> | undefined> {
  if (!isZip(start)) return undefined;
  const members = await openZip(source).catch(() => undefined); // a damaged one is told by who reads it
  return members && [...members.keys()].some((name) => /(^|\/)data\.pkl$/.test(name)) ? PYTORCH : undefined;
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
