import { basename, dirname, extname, resolve } from "node:path";
import { FormatError } from "../../errors.js";
import { type ByteSource, readAll } from "../../files/byte-source.js";
import { openFile } from "../../files/disk.js";
import { type NpyArray, openNpy } from "../../files/npy.js";
import { NATIVE_INFLATE } from "../../files/store/disk.js";
import { openZip } from "../../files/zip.js";
import { findFiles } from "./find-files.js";

const PARTS = ["case.json", "u.npy", "v.npy"] as const;
type Part = (typeof PARTS)[number];

/** A file on disk or in an archive. */
interface PartFile {
  readonly name: string;
  readonly size: number;
  /** Uses its content, which is checked where it is compressed. */
  use<T>(work: (content: ByteSource) => Promise<T>): Promise<T>;
  /** Its first bytes, without the rest. */
  start(length: number): Promise<Uint8Array>;
}

/** One flow: `case.json` with its conditions, `u.npy` and `v.npy` with its velocities over time. */
export interface CfdbenchCase {
  /** Its folder and the folder around it: `bc/case0012`. */
  readonly name: string;
  readonly parts: Readonly<Record<Part, PartFile>>;
}

export interface CfdbenchCases {
  /** Files and archives that they come from. */
  readonly files: readonly string[];
  /** In the order of their names. */
  readonly cases: readonly CfdbenchCase[];
  close(): Promise<void>;
}

/** Finds the cases in folders and zip archives, however deep they lie. Archives stay open and are read by range. */
export async function findCases(paths: readonly string[]): Promise<CfdbenchCases> {
  const found = new Map<string, { folder: string; parts: Partial<Record<Part, PartFile>> }>();
  const archives: { close(): Promise<void> }[] = [];
  const close = async () => void (await Promise.all(archives.map((archive) => archive.close())));
  const add = (name: string, folder: string, part: Part, file: PartFile): void => {
    const known = found.get(name) ?? { folder, parts: {} };
    if (known.folder !== folder)
      throw new FormatError(`case ${name} is there twice: in ${known.folder} and in ${folder}`);
    known.parts[part] = file;
    found.set(name, known);
  };
  try {
    const files: string[] = [];
    for (const path of await findFiles(paths)) {
      const part = PARTS.find((name) => name === basename(path));
      if (part) {
        const folder = dirname(resolve(path));
        add(`${basename(dirname(folder))}/${basename(folder)}`, folder, part, await onDisk(path));
        files.push(path);
      } else if (extname(path).toLowerCase() === ".zip") {
        const archive = await openFile(path);
        archives.push(archive);
        await addMembers(archive, add);
        files.push(path);
      }
    }
    const cases = [...found].map(([name, { parts }]) => wholeCase(name, parts));
    if (cases.length === 0)
      throw new FormatError(`${paths.join(", ")}: expected folders with ${PARTS.join(", ")}, found none`);
    return { files, cases: cases.sort((a, b) => (a.name < b.name ? -1 : 1)), close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** The array of a velocity: shape and type alone, from the first bytes. */
export async function velocityHeader(file: PartFile): Promise<Pick<NpyArray, "shape" | "dtype">> {
  const start = await file.start(HEADER);
  const read = async (offset: number, length: number) => start.subarray(offset, offset + length);
  return openNpy({ name: file.name, size: file.size, read });
}

/** Bytes that hold the header of any NPY file of plain numbers: NumPy fills it up to 128. */
const HEADER = 4096;

async function addMembers(
  archive: ByteSource,
  add: (name: string, folder: string, part: Part, file: PartFile) => void,
): Promise<void> {
  for (const [path, member] of await openZip(archive, NATIVE_INFLATE)) {
    const [file, ...above] = path.split("/").reverse();
    const part = PARTS.find((name) => name === file);
    if (!part || path.startsWith("__MACOSX/")) continue;
    const stem = basename(archive.name, extname(archive.name));
    const name = [...above, stem].slice(0, 2).reverse().join("/"); // an archive may be the folder around its cases
    add(name, `${archive.name}:${dirname(path)}`, part, {
      name: `${archive.name}:${path}`,
      size: member.size,
      use: async (work) => work(await member.open()),
      start: member.start,
    });
  }
}

async function onDisk(path: string): Promise<PartFile> {
  const use: PartFile["use"] = async (work) => {
    const file = await openFile(path);
    try {
      return await work(file);
    } finally {
      await file.close();
    }
  };
  const size = await use(async (file) => file.size);
  return { name: path, size, use, start: (length) => use((file) => file.read(0, Math.min(length, size))) };
}

function wholeCase(name: string, parts: Partial<Record<Part, PartFile>>): CfdbenchCase {
  const missing = PARTS.filter((part) => !parts[part]);
  if (missing.length > 0)
    throw new FormatError(`case ${name}: expected ${PARTS.join(", ")}, found no ${missing.join(" and no ")}`);
  return { name, parts: parts as Record<Part, PartFile> };
}

/** The numbers of a `case.json`. */
export async function conditionsOf({ parts }: CfdbenchCase): Promise<Readonly<Record<string, number>>> {
  const file = parts["case.json"];
  const text = new TextDecoder().decode(await file.use(readAll));
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch {
    // told below
  }
  if (typeof content !== "object" || content === null || Array.isArray(content))
    throw new FormatError(
      `${file.name}: expected a JSON object, found ${text.trim().slice(0, 40) || "nothing"}`,
    );
  return Object.fromEntries(Object.entries(content).filter(([, value]) => typeof value === "number"));
}
