import { createHash } from "node:crypto";
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { cacheFolder } from "../../../files/cache-folder.js";
import type { CachePlace } from "../../../files/cached-files.js";
import { COMPILE_OPTIONS, type Nvrtc } from "./nvrtc.js";

const HASH_BYTES = 32;

/** Where compiled kernels are kept. */
const kernelFolder = (): string => join(cacheFolder(), "kernels");

/** Compiled kernels in the cache. */
export const KERNEL_CACHE: CachePlace<"kernels"> = {
  kind: "kernels",
  folder: kernelFolder,
  isOurs: (name) => /^[0-9a-f]{32}\.cubin$/.test(name),
};

/**
 * Compiles kernels, or takes them from the disk where the same text was compiled before by the same compiler for the
 * same target. A cache that cannot be written to costs time, nothing else.
 */
export function compileCached(
  nvrtc: Pick<Nvrtc, "version" | "compile">,
  source: string,
  target: string,
  folder = kernelFolder(),
): Uint8Array {
  const file = join(folder, `${cubinKey(nvrtc, source, target)}.cubin`);
  const known = read(file);
  if (known) return known;
  const binary = nvrtc.compile(source, target);
  keep(folder, file, binary);
  return binary;
}

/** What is compiled now, by its file. */
const underWay = new Map<string, Promise<void>>();

/** Compiles those of the texts that are not on the disk yet, at the same time, and none twice. */
export async function prepareCached(
  nvrtc: Pick<Nvrtc, "version" | "compileLater">,
  sources: readonly string[],
  target: string,
  folder = kernelFolder(),
): Promise<void> {
  await Promise.all(
    sources.map(async (source) => {
      const file = join(folder, `${cubinKey(nvrtc, source, target)}.cubin`);
      if (read(file)) return;
      const compiling =
        underWay.get(file) ??
        nvrtc
          .compileLater(source, target)
          .then((binary) => keep(folder, file, binary))
          .finally(() => underWay.delete(file));
      underWay.set(file, compiling);
      await compiling;
    }),
  );
}

/** Names a binary by everything that determines it. */
export function cubinKey({ version }: Pick<Nvrtc, "version">, source: string, target: string): string {
  const text = JSON.stringify([version, target, COMPILE_OPTIONS, source]);
  return createHash("sha256").update(text).digest("hex").slice(0, 32);
}

/** A file is the SHA-256 of the binary and the binary: a damaged one is made again. */
function read(file: string): Uint8Array | undefined {
  try {
    const bytes = readFileSync(file);
    const binary = bytes.subarray(HASH_BYTES);
    if (sha256(binary).equals(bytes.subarray(0, HASH_BYTES))) return binary;
  } catch {
    // not there yet
  }
  return undefined;
}

/** Written under another name and renamed, so that processes side by side never read half a file. */
function keep(folder: string, file: string, binary: Uint8Array): void {
  const temporary = `${file}.${process.pid}.tmp`;
  try {
    makeFolder(folder);
    const handle = openSync(temporary, "w");
    try {
      const bytes = Buffer.concat([sha256(binary), binary]);
      for (let done = 0; done < bytes.length; ) done += writeSync(handle, bytes, done);
      fsyncSync(handle);
    } finally {
      closeSync(handle);
    }
    renameSync(temporary, file);
  } catch {
    if (existsSync(temporary)) rmSync(temporary);
  }
}

/** One by one, for `mkdir -p` of Node 20 never returns on /proc. */
function makeFolder(folder: string): void {
  if (existsSync(folder)) return;
  makeFolder(dirname(folder));
  mkdirSync(folder);
}

function sha256(bytes: Uint8Array): Buffer {
  return createHash("sha256").update(bytes).digest();
}
