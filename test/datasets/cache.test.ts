import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { cachedTask, DATASET_CACHE } from "../../src/datasets/dataset-cache.js";
import { generatedDataset, generateToFile } from "../../src/datasets/generated-file.js";
import { KERNEL_CACHE } from "../../src/engine/cuda/device/cubin-cache.js";
import { cachedFiles, clearCache } from "../../src/files/cached-files.js";

const root = mkdtempSync(join(tmpdir(), "pde-dirichlet-cache-"));
const folder = join(root, "cache");
const before = process.env.PDE_DIRICHLET_CACHE;
process.env.PDE_DIRICHLET_CACHE = folder;
afterAll(() => {
  if (before === undefined) delete process.env.PDE_DIRICHLET_CACHE;
  else process.env.PDE_DIRICHLET_CACHE = before;
  rmSync(root, { recursive: true, force: true });
});

const GONE = 2 ** 22 + 1; // beyond what Linux numbers processes with
const KERNEL = `${"0a".repeat(16)}.cubin`;
const FOREIGN = ["notes.txt", "burgers.h5", "heat-0123456789abcdef.h5", "kernels/mine.cubin"];
const DATASET = { task: "antiderivative", seed: 1, train: 4, test: 2 } as const;

beforeEach(async () => {
  rmSync(folder, { recursive: true, force: true });
  await generatedDataset(DATASET);
  mkdirSync(join(folder, "kernels"));
  for (const name of [`kernels/${KERNEL}`, `kernels/${KERNEL}.${GONE}.tmp`, ...FOREIGN])
    writeFileSync(join(folder, name), "12345");
});

const PLACES = [DATASET_CACHE, KERNEL_CACHE];
const places = (...kinds: string[]) => PLACES.filter(({ kind }) => kinds.includes(kind));
const names = async (...kinds: string[]) =>
  (await cachedFiles(places(...kinds))).map(({ path }) => path.slice(folder.length + 1));

describe("the cache", () => {
  it("lists datasets and kernels that this program put there, and nothing else", async () => {
    expect(await names("data")).toEqual([
      expect.stringMatching(/^antiderivative-[0-9a-f]{16}\.h5$/),
      expect.stringMatching(/^antiderivative-[0-9a-f]{16}\.h5\.sha256$/),
    ]);
    expect(await names("kernels")).toEqual([`kernels/${KERNEL}`, `kernels/${KERNEL}.${GONE}.tmp`]);
    const [data, , kernel] = await cachedFiles<string>(PLACES);
    expect(cachedTask(data)).toBe("antiderivative");
    expect(kernel).toMatchObject({ kind: "kernels", bytes: 5 });
  });

  it("is empty where there is no folder", async () => {
    rmSync(folder, { recursive: true });
    expect(await cachedFiles<string>(PLACES)).toEqual([]);
    expect(await clearCache<string>(PLACES)).toEqual([]);
  });

  it("is cleared by kind, and leaves files of others", async () => {
    expect(await clearCache(places("kernels"))).toHaveLength(2);
    expect(await names("kernels")).toEqual([]);
    expect(await names("data")).toHaveLength(2);
    expect(await clearCache<string>(PLACES)).toHaveLength(2);
    for (const name of FOREIGN) expect(existsSync(join(folder, name)), name).toBe(true);
  });

  it("keeps what a running process is writing, and removes what a killed one left", async () => {
    const [dataset] = await names("data");
    const written = [`.${dataset}.${process.pid}.tmp`, `kernels/${KERNEL}.${process.pid}.tmp`];
    for (const name of [...written, `.${dataset}.${GONE}.tmp`]) writeFileSync(join(folder, name), "half");
    await clearCache<string>(PLACES);
    expect((await cachedFiles<string>(PLACES)).map(({ writer }) => writer)).toEqual([
      process.pid,
      process.pid,
    ]);
    expect((await names("data", "kernels")).sort()).toEqual(written.sort());
  });

  it("follows no links", async () => {
    const precious = join(root, "precious.h5");
    writeFileSync(precious, "precious");
    symlinkSync(precious, join(folder, "burgers-0123456789abcdef.h5"));
    await clearCache<string>(PLACES);
    expect(existsSync(precious)).toBe(true);
    expect(readdirSync(folder)).toContain("burgers-0123456789abcdef.h5");
  });

  it("may be cleared while somebody is about to read: the data are made again", async () => {
    const numbers = await (await generatedDataset(DATASET)).test.responses.read(0, 2);
    for (let delay = 0; delay < 12; delay++) {
      await generatedDataset(DATASET); // puts it there
      const again = generatedDataset(DATASET);
      const file = generateToFile(DATASET, join(root, "a.h5"), { force: true });
      await pause(delay / 2);
      await clearCache<string>(PLACES);
      expect(await (await again).test.responses.read(0, 2)).toEqual(numbers);
      expect(await file).toMatchObject({ train: 4, test: 2 });
    }
  });
});
