import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { type ByteSource, bytesInMemory } from "../../src/files/byte-source.js";
import type { NamedArrays } from "../../src/files/name-list.js";

/** Files of other programs, each beside a JSON file of what its own library reads: scripts/golden/foreign_arrays.py. */
export const GOLDEN = join(import.meta.dirname, "../golden/arrays");

type Expected = Readonly<
  Record<
    string,
    { shape?: number[]; dtype?: string; values?: (number | string | boolean)[]; problem?: string }
  >
>;

/** Names of the files of a folder that end so. */
export function filesOf(folder: string, ending: RegExp): string[] {
  return readdirSync(folder).filter(
    (name) => ending.test(name) && readdirSync(folder).includes(`${name}.json`),
  );
}

export function fileIn(folder: string, name: string): ByteSource {
  return bytesInMemory(readFileSync(join(folder, name)), name);
}

/** Compares all that a file holds with what its own library read: names, shapes, types and every value. */
export async function expectAsRead(
  folder: string,
  name: string,
  open: (source: ByteSource) => Promise<NamedArrays>,
): Promise<void> {
  const expected = JSON.parse(readFileSync(join(folder, `${name}.json`), "utf8")) as Expected;
  const arrays = await open(fileIn(folder, name));
  const listed = new Map(arrays.list().map((one) => [one.name, one]));
  expect([...listed.keys()].sort()).toEqual(Object.keys(expected).sort());
  for (const [key, { shape, dtype, values, problem }] of Object.entries(expected)) {
    const where = `${name}:${key}`;
    if (problem !== undefined) {
      expect(listed.get(key), where).toEqual({ name: key, problem: expect.stringContaining(problem) });
      await expect(arrays.array(key), where).rejects.toThrow(`${name}:${key}`);
      continue;
    }
    expect(listed.get(key), where).toEqual({ name: key, shape, dtype });
    const array = await arrays.array(key);
    expect({ shape: array.shape, dtype: array.dtype }, where).toEqual({ shape, dtype });
    const found = Array.from((await array.read(0, array.rows)) as Float64Array, Number);
    expect(found, where).toEqual(values!.map(Number));
    if (array.rows > 1) {
      const width = found.length / array.rows;
      const rest = Array.from((await array.read(1, array.rows)) as Float64Array, Number);
      expect(rest, where).toEqual(found.slice(width));
    }
  }
}
