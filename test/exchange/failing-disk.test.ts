import { mkdtempSync, readdirSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { FileError } from "../../src/errors.js";
import { partitionDataFile } from "../../src/exchange/partition-data-file.js";
import { fileError } from "../../src/files/disk.js";
import { writeNpy } from "../../src/files/npy.js";

const [SAMPLES, COLUMNS] = [1200, 16_384]; // more than is kept of 0.25 GB
const wave = Array.from({ length: COLUMNS }, (_, j) => Math.sin(j / 1000));
const data = writeNpy(
  Float32Array.from({ length: SAMPLES * COLUMNS }, (_, i) => ((i >> 14) % 97) * wave[i % COLUMNS]),
  [SAMPLES, 128, 128],
);

describe("a file that fails while it is read", () => {
  let folder: string;
  let path: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "failing-disk-"));
    path = join(folder, "u.npy");
    writeFileSync(path, data);
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const partition = (onStep: (title: string) => void) =>
    partitionDataFile(path, [{ seed: 0, alpha: 1 }], {
      clients: 2,
      memory: 0.25,
      startStep: (title) => {
        onStep(title);
        return { update: () => {}, finish: () => {} };
      },
    });

  it.each(["Reading", "Fitting"])("ends the work with one line, also in the middle (%s)", async (step) => {
    let steps = 0;
    const work = partition((title) => {
      steps += 1;
      if (title.startsWith(step)) truncateSync(path, 1_000_000);
    });
    await expect(work).rejects.toThrow(new FileError(`${path} became shorter while it was read`));
    expect(steps).toBe(step === "Reading" ? 1 : 2);
    expect(readdirSync(folder)).toEqual(["u.npy"]);
  });

  it("is named where the disk reports an error", () => {
    const error = Object.assign(new Error("EIO: i/o error, read"), { code: "EIO" });
    expect(fileError(error, path, "read")).toEqual(
      new FileError(`cannot read ${path}: the disk reports an error`),
    );
  });
});
