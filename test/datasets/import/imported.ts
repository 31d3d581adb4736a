import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";
import { type ImportOptions, importToFile } from "../../../src/datasets/import/imported-file.js";
import { type Attributes, openHdf5 } from "../../../src/files/hdf5.js";
import { toNumbers } from "../../../src/files/ndarray.js";

/** A file in the layout of a download: scripts/golden/import.py. */
export const golden = (name: string): string =>
  new URL(`../../golden/import/${name}`, import.meta.url).pathname;

export interface Imported {
  readonly attributes: Attributes;
  readonly shapes: Readonly<Record<string, readonly number[]>>;
  readonly types: Readonly<Record<string, string | undefined>>;
  /** Every dataset, as rows of numbers. */
  readonly rows: Readonly<Record<string, readonly (readonly number[])[]>>;
  readonly attributesOf: Readonly<Record<string, Attributes>>;
}

/** A folder of its own for a test file, and the import into it, read back. */
export function importFolder(): {
  path: (name: string) => string;
  imported: (options: Omit<ImportOptions, "seed"> & { seed?: number }, name?: string) => Promise<Imported>;
} {
  const folder = mkdtempSync(join(tmpdir(), "import-"));
  afterAll(() => rmSync(folder, { recursive: true }));
  const path = (name: string) => join(folder, name);
  return {
    path,
    imported: async (options, name = "imported.h5") => {
      await importToFile({ seed: 1, ...options }, path(name), { force: true });
      return readBack(path(name));
    },
  };
}

async function readBack(path: string): Promise<Imported> {
  const file = await openHdf5(path);
  try {
    const list = file.list();
    const rows: Record<string, number[][]> = {};
    for (const { path: at, shape } of list) {
      const values = [...toNumbers(await file.dataset(at).read(0, shape[0]))];
      const width = values.length / shape[0];
      rows[at] = Array.from({ length: shape[0] }, (_, i) => values.slice(i * width, (i + 1) * width));
    }
    return {
      attributes: file.attributes(),
      shapes: Object.fromEntries(list.map(({ path: at, shape }) => [at, shape])),
      types: Object.fromEntries(list.map(({ path: at, dtype }) => [at, dtype])),
      rows,
      attributesOf: Object.fromEntries(list.map(({ path: at }) => [at, file.attributes(at)])),
    };
  } finally {
    file.close();
  }
}

/** Whole numbers from `start` on. */
export function counting(start: number, length: number): number[] {
  return Array.from({ length }, (_, i) => start + i);
}
