import { describe, expect, it } from "vitest";
import type { Fields } from "../../src/datasets/fields.js";
import type { ExportFormat } from "../../src/exchange/export-format.js";
import { EXPORTS, type ExportName } from "../../src/exchange/exports.js";
import type { Assignment } from "../../src/partition/assignment.js";

const SAMPLES = 2500;
/** Numbers of a sample, and rows of 8-byte numbers that fit into 32 MiB. */
const [SIZE, MOST_ROWS] = [32 * 1024, 128];
/** Bytes of the largest file; a client with more has several. */
const MOST_BYTES = 300e6;

/** Runs of neighbours, as clients of sorted data have them, longer than a read may be. */
const assignment: Assignment = {
  clients: 2,
  bins: 2,
  clientOfSample: Int32Array.from({ length: SAMPLES }, (_, i) => (i < 1500 ? 0 : 1)),
  binOfSample: Int32Array.from({ length: SAMPLES }, (_, i) => i % 2),
};

/** 330 MB of responses, made when they are read; counts what is read at once and in all. */
function countingFields(samples: number): { fields: Fields; reads: { most: number; rows: number } } {
  const reads = { most: 0, rows: 0 };
  const fields: Fields = {
    samples,
    shape: [SIZE],
    dtype: "float32",
    read: async (start, end) => {
      reads.most = Math.max(reads.most, end - start);
      reads.rows += end - start;
      const values = new Float32Array((end - start) * SIZE);
      for (let row = start; row < end; row++) values[(row - start) * SIZE] = row;
      return values;
    },
  };
  return { fields, reads };
}

describe("an export of more data than should be in memory", () => {
  it.each(Object.keys(EXPORTS) as ExportName[])("as %s reads a few rows at once", async (name) => {
    const format: ExportFormat = EXPORTS[name];
    const [train, test] = [countingFields(SAMPLES), countingFields(300)];
    const files = format.files(assignment, {
      columns: { response: train.fields },
      test: { response: test.fields },
    });
    let largest = 0;
    for (const file of files) largest = Math.max(largest, (await file.bytes()).length);
    expect(Math.max(train.reads.most, test.reads.most)).toBeLessThanOrEqual(MOST_ROWS);
    expect(largest).toBeLessThan(MOST_BYTES);
    // Each sample is read once, by the formats that hold samples.
    expect([train.reads.rows, test.reads.rows]).toEqual(format.takesColumns ? [SAMPLES, 300] : [0, 0]);
  });
});
