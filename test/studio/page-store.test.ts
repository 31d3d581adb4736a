import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, posix } from "node:path";
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { openArrayFile } from "../../src/datasets/files/array-file.js";
import { inspection } from "../../src/datasets/files/inspection.js";
import { UserError } from "../../src/errors.js";
import { writeHdf5 } from "../../src/files/hdf5-writer.js";
import { toNumbers } from "../../src/files/ndarray.js";
import { DISK } from "../../src/files/store/disk.js";
import type { FileStore } from "../../src/files/store/file-store.js";
import { inBlocks } from "../../src/studio/lab/files/byte-blocks.js";
import { fileData } from "../../src/studio/lab/files/file-data.js";
import { NAMES, type PageStore, pageStore } from "../../src/studio/lab/files/page-store.js";

const GOLDEN = join(import.meta.dirname, "../golden");
const FILES = ["arrays", "files", "foreign", "layouts"].flatMap((folder) =>
  readdirSync(join(GOLDEN, folder))
    .filter((name) => /\.(h5|hdf5|nc|mat|npz|npy|pt)$/.test(name))
    .map((name) => `${folder}/${name}`),
);

/** A store with a file that is read in blocks, as a page reads it. */
function storeWith(path: string): PageStore {
  const bytes = new Uint8Array(readFileSync(path));
  const readNow = (offset: number, length: number) => bytes.slice(offset, offset + length);
  return pageStore([
    inBlocks({ name: path, size: bytes.length, read: async (...part) => readNow(...part), readNow }),
  ]);
}

/** A result, or the line that refuses it. */
async function told(work: () => Promise<unknown>): Promise<unknown> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return { refused: error.message };
  }
}

/** As a page says it, which has no files beside those that it was given. */
const inPage = (found: unknown): unknown =>
  JSON.parse(
    JSON.stringify(found)
      .replaceAll(", or set PDE_DIRICHLET_EXTERNAL_FILES=1 if you trust it", "")
      .replaceAll(`another file, ${process.cwd()}/`, "another file, "),
    (_, value) => value ?? "not a number",
  );

/** Every number of every array that can be read. */
async function numbersOf(store: FileStore, path: string): Promise<unknown> {
  const file = await openArrayFile(store, path, { layouts: [] });
  try {
    const found: Record<string, unknown> = { attributes: file.attributes };
    for (const { name, problem } of await file.list())
      found[name] =
        problem ??
        (await told(async () => {
          const array = await file.array(name);
          return [...toNumbers(await array.read(0, array.rows))];
        }));
    return found;
  } finally {
    await file.close();
  }
}

const work = mkdtempSync(join(tmpdir(), "pde-dirichlet-page-store-"));
afterAll(() => rmSync(work, { recursive: true, force: true }));

async function expectSame(path: string): Promise<void> {
  const store = storeWith(path);
  for (const ask of [inspection, numbersOf]) {
    const expected = inPage(await told(() => ask(DISK, path)));
    expect(inPage(await told(() => ask(store, path)))).toEqual(expected);
  }
}

describe("a file in a page", () => {
  it.each(FILES)("is read as on the command line: %s", (name) => expectSame(join(GOLDEN, name)));

  it.each([
    "files/fields.h5",
    "arrays/v5-plain.mat",
    "arrays/v73.mat",
    "arrays/tensors.pt",
    "files/deflated.npz",
  ])("is refused as on the command line where it is cut off: %s", async (name) => {
    const bytes = readFileSync(join(GOLDEN, name));
    for (const share of [0.1, 0.5, 0.9]) {
      const path = join(work, `${share}-${posix.basename(name)}`);
      writeFileSync(path, bytes.subarray(0, Math.floor(share * bytes.length)));
      await expectSame(path);
    }
  });

  it.each(["png", "txt", "h5", "npz"])(
    "is refused as on the command line where it is something else: .%s",
    async (ending) => {
      const path = join(work, `other.${ending}`);
      writeFileSync(
        path,
        ending === "png" ? "\x89PNG\r\n\x1a\n..." : "Dear reader, these are words.\n".repeat(9),
      );
      await expectSame(path);
    },
  );

  it("is not read whole: a sample takes its own bytes and those of headers", async () => {
    const path = join(work, "large.h5");
    const shape = [200, 64, 64];
    const values = Float32Array.from({ length: 200 * 64 * 64 }, (_, i) => i);
    await writeHdf5(path, {
      datasets: { inputs: { shape: [200, 1], values: values.slice(0, 200) }, responses: { shape, values } },
    });
    const bytes = new Uint8Array(readFileSync(path));
    let taken = 0;
    const readNow = (offset: number, length: number) => {
      taken += length;
      return bytes.slice(offset, offset + length);
    };
    const source = {
      name: "large.h5",
      size: bytes.length,
      read: async (...part: [number, number]) => readNow(...part),
      readNow,
    };
    const store = pageStore([inBlocks(source)]);
    const data = await fileData(store, "large.h5", {});
    const [first] = await data.train.responses.read(123, 124);
    expect(first).toBe(123 * 64 * 64);
    expect(taken).toBeLessThan(bytes.length / 4);
    await data.close!();
    await store.close();
  });

  it("is opened once, and closed with the store", async () => {
    const store = storeWith(join(GOLDEN, "files/fields.h5"));
    const opened = await Promise.all([1, 2].map(() => openArrayFile(store, join(GOLDEN, "files/fields.h5"))));
    expect(await opened[0].list()).toBe(await opened[1].list());
    await opened[0].close();
    expect((await opened[1].array("u")).shape.length).toBeGreaterThan(0);
    await store.close();
    await expect(openArrayFile(store, "nothing")).rejects.toThrow("is not among the files");
  });

  it("is asked for together with others whose names it has", async () => {
    const store = pageStore([]);
    await expect(store.open("X.npy")).rejects.toThrow("X.npy is not among the files that are open");
  });
});

describe("names of files in a page", () => {
  const part = fc.stringMatching(/^[a-z.*-]{1,6}$/).filter((text) => !/^\.+$/.test(text));
  const path = fc.array(part, { minLength: 1, maxLength: 4 }).map((parts) => parts.join("/"));

  it("are taken apart as paths are", () => {
    fc.assert(
      fc.property(path, path, (one, other) => {
        for (const take of ["basename", "dirname", "extname"] as const)
          expect(NAMES[take](one), take).toBe(posix[take](one));
        const ending = posix.extname(one);
        expect(NAMES.basename(one, ending)).toBe(posix.basename(one, ending));
        expect(NAMES.relative(NAMES.dirname(one), other)).toBe(posix.relative(posix.dirname(one), other));
        expect(NAMES.join(NAMES.dirname(one), NAMES.basename(one))).toBe(one);
      }),
    );
  });
});
