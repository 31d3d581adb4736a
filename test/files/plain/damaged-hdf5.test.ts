import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, expect, it } from "vitest";
import { UserError } from "../../../src/errors.js";
import { writeHdf5 } from "../../../src/files/hdf5-writer.js";
import { using } from "../using-hdf5.js";
import { isPlainAsRead } from "./plain-as-read.js";

const folder = mkdtempSync(join(tmpdir(), "damaged-hdf5-"));
afterAll(() => rmSync(folder, { recursive: true }));

// A file of its own: the library may abort at a damaged file, and reads nothing afterwards.
it("rows of an HDF5 file with a wrong byte are those that the library reads, or are left to it", async () => {
  const path = join(folder, "whole.h5");
  const values = Float32Array.from({ length: 45 }, (_, i) => i / 7);
  const rows = (start: number, end: number) => values.slice(5 * start, 5 * end);
  await writeHdf5(path, { datasets: { "/u": { shape: [9, 5], values: { dtype: "float32", rows } } } });
  const whole = readFileSync(path);
  const outcomes = { plain: 0, left: 0, refused: 0 };
  let files = 0; // the library keeps what it read of a file that it could not close
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 8, max: whole.length - 1 }),
      fc.integer({ min: 1, max: 255 }),
      async (place, change) => {
        const copy = Uint8Array.from(whole);
        copy[place] ^= change;
        const damaged = join(folder, `${files++}.h5`);
        writeFileSync(damaged, copy);
        try {
          const isPlain = await using(damaged, (file) => isPlainAsRead(file.dataset("/u")));
          outcomes[isPlain ? "plain" : "left"]++;
        } catch (error) {
          if (!(error instanceof UserError)) throw error;
          outcomes.refused++;
        }
      },
    ),
    { numRuns: 600, seed: 3 },
  );
  expect(Math.min(...Object.values(outcomes)), JSON.stringify(outcomes)).toBeGreaterThan(0);
});
