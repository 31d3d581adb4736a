import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import type { Hashing } from "./file-data.js";

/** SHA-256 of a file's bytes. */
export async function fileSha256(path: string): Promise<string> {
  const hash = createHash("sha256");
  for await (const chunk of createReadStream(path, { highWaterMark: 1 << 20 })) hash.update(chunk);
  return hash.digest("hex");
}

/** SHA-256 of several files from those of each; of one file its own. */
export function joinedSha256(hashes: readonly string[]): string {
  return hashes.length === 1 ? hashes[0] : createHash("sha256").update(hashes.join("\n")).digest("hex");
}

/** SHA-256 of files, for descriptions that are kept. */
export const SHA256: Hashing = { file: fileSha256, joined: joinedSha256 };
