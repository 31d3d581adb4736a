import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Fields, fieldsInMemory } from "../../src/datasets/fields.js";
import { DataError } from "../../src/errors.js";
import { nodeThreads } from "../../src/numerics/kernels/node-threads.js";
import type { RowMatrix } from "../../src/numerics/row-matrix.js";
import { applyNormalisation, normaliseResponses } from "../../src/partition/normalise.js";

/** Numbers without a pattern (Knuth's multiplicative hash), uniform in [offset, offset + 1). */
function scattered(length: number, offset = 3): Float32Array {
  const values = new Float32Array(length);
  for (let i = 0; i < length; i++) values[i] = offset + (Math.imul(i + 1, 2654435761) >>> 8) / 2 ** 24;
  return values;
}

function rowsOf(matrix: RowMatrix): number[][] {
  return Array.from({ length: matrix.rows }, (_, i) => Array.from(matrix.row(i)));
}

function digest(matrix: RowMatrix, mean: Float64Array, scale: number): string {
  const rows = matrix.floats(matrix.data, matrix.rows * matrix.stride);
  return createHash("sha256").update(rows).update(mean).update(Float64Array.of(scale)).digest("hex");
}

/** Fields that note how they are read. */
function watched(fields: Fields): Fields & { readonly reads: [number, number][] } {
  const reads: [number, number][] = [];
  return {
    ...fields,
    reads,
    read(start, end) {
      reads.push([start, end]);
      return fields.read(start, end);
    },
  };
}

describe("normalising responses", () => {
  it("agrees with NumPy", async () => {
    const golden = JSON.parse(readFileSync("test/golden/k-means.json", "utf8"));
    const bytes = Buffer.from(golden.data, "base64");
    const values = Float32Array.from({ length: bytes.length / 4 }, (_, i) => bytes.readFloatLE(4 * i));
    const fields = fieldsInMemory(values, golden.rows, [golden.columns]);
    const { mean, scale } = await normaliseResponses(fields);
    expect(Math.abs(scale / golden.scale - 1)).toBeLessThan(1e-14);
    mean.forEach((value, j) => {
      expect(Math.abs(value / golden.mean[j] - 1)).toBeLessThan(1e-14);
    });
  });

  it("gives rows with mean zero and mean squared norm one", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 2, max: 40 }),
        fc.integer({ min: 1, max: 30 }),
        fc.constantFrom(0, 1e3, -1e6),
        async (samples, columns, offset) => {
          const values = Float64Array.from(scattered(samples * columns, 0), (value) => value + offset);
          const { matrix } = await normaliseResponses(fieldsInMemory(values, samples, [columns]));
          const rows = rowsOf(matrix);
          const square = rows.flat().reduce((sum, value) => sum + value * value, 0) / samples;
          expect(Math.abs(square - 1)).toBeLessThan(1e-6);
          for (let j = 0; j < columns; j++) {
            expect(Math.abs(rows.reduce((sum, row) => sum + row[j], 0))).toBeLessThan(1e-6 * samples);
          }
        },
      ),
      { numRuns: 60 },
    );
  });

  it("rounds (u - mean) / s_u to float32", async () => {
    const values = Float64Array.of(1, 10, 3, 20, 8, 60);
    const { matrix, mean, scale } = await normaliseResponses(fieldsInMemory(values, 3, [2]));
    expect(Array.from(mean)).toEqual([4, 30]);
    expect(scale).toBeCloseTo(Math.sqrt((9 + 400 + 1 + 100 + 16 + 900) / 3), 12);
    expect(rowsOf(matrix).flat()).toEqual(
      Array.from(values, (value, i) => Math.fround((value - mean[i % 2]) / scale)),
    );
  });

  it("keeps its digits when the mean is large and there are many slices", async () => {
    const [samples, columns] = [70, 100_003]; // 20 samples a slice
    const values = Float64Array.from(
      { length: samples * columns },
      (_, i) => 1e9 + ((i * 7919) % 1000) / 1000,
    );
    const { mean, scale } = await normaliseResponses(fieldsInMemory(values, samples, [columns]));
    let deviation = 0;
    let worst = 0;
    for (let j = 0; j < columns; j++) {
      let exact = 0;
      for (let i = 0; i < samples; i++) exact += (values[i * columns + j] - 1e9) / samples;
      worst = Math.max(worst, Math.abs(mean[j] - 1e9 - exact));
      for (let i = 0; i < samples; i++) deviation += (values[i * columns + j] - 1e9 - exact) ** 2 / samples;
    }
    expect(worst).toBeLessThan(1e-6);
    expect(Math.abs(scale / Math.sqrt(deviation) - 1)).toBeLessThan(1e-9);
  });

  it("has the same bits for float32 and float64 sources, and for any number of threads", async () => {
    const values = scattered(90 * 50_001);
    const bits = async (fields: Fields, threads?: ReturnType<typeof nodeThreads>) => {
      const { matrix, mean, scale } = await normaliseResponses(fields, { threads });
      await matrix.close();
      return digest(matrix, mean, scale);
    };
    const single = fieldsInMemory(values, 90, [50_001]);
    const reference = await bits(single);
    expect(await bits(fieldsInMemory(Float64Array.from(values), 90, [50_001]))).toBe(reference);
    expect(await bits(single, nodeThreads(2))).toBe(reference);
    expect(await bits(single, nodeThreads(3))).toBe(reference);
  });

  it("reads float32 once and float64 twice, in slices of at most 16 MB", async () => {
    const values = scattered(50 * 100_000);
    const single = watched(fieldsInMemory(values, 50, [100, 1000]));
    const double = watched(fieldsInMemory(Float64Array.from(values), 50, [100, 1000]));
    await normaliseResponses(single);
    await normaliseResponses(double);
    const once = [
      [0, 20],
      [20, 40],
      [40, 50],
    ];
    expect(single.reads).toEqual(once);
    expect(double.reads).toEqual([...once, ...once]);
  });

  it("reports progress up to one", async () => {
    const fractions: number[] = [];
    const fields = fieldsInMemory(scattered(50 * 100_000), 50, [100_000]);
    await normaliseResponses(fields, { onProgress: (fraction) => fractions.push(fraction) });
    expect(fractions).toEqual([0.2, 0.4, 0.5, 0.7, 0.9, 1]);
  });

  it.each([Number.NaN, Infinity, -Infinity])("says where there is a %d", async (value) => {
    const values = scattered(30 * 24);
    values[17 * 24 + 2 * 6 + 5] = value;
    await expect(normaliseResponses(fieldsInMemory(values, 30, [4, 6]))).rejects.toThrow(
      new DataError(`responses must be finite, but there is ${value} in sample 17, position [2, 5]`),
    );
  });

  it.each([0, 0.1, 1 / 3, 1e30])("refuses responses that are all %d", async (value) => {
    const fields = fieldsInMemory(new Float64Array(3000 * 7).fill(value), 3000, [7]);
    await expect(normaliseResponses(fields)).rejects.toThrow(
      new DataError("all 3000 responses are equal (s_u = 0): there is nothing to divide into bins"),
    );
  });

  it("refuses numbers whose squares overflow", async () => {
    await expect(normaliseResponses(fieldsInMemory(Float64Array.of(1e200, -1e200), 2, [1]))).rejects.toThrow(
      "samples 0 to 1 are too far from the mean",
    );
  });

  it("takes scalar responses, and refuses none", async () => {
    const { matrix, shape } = await normaliseResponses(fieldsInMemory(Float64Array.of(1, 3), 2, []));
    expect([rowsOf(matrix), shape]).toEqual([[[-1], [1]], []]);
    await expect(normaliseResponses(fieldsInMemory(new Float32Array(0), 0, [4]))).rejects.toThrow(DataError);
    await expect(normaliseResponses(fieldsInMemory(new Float32Array(0), 3, [0, 4]))).rejects.toThrow(
      DataError,
    );
  });
});

describe("applying a normalisation", () => {
  it.each(["float32", "float64"])(
    "to the responses it was made from gives the same bits (%s)",
    async (dtype) => {
      const single = scattered(60 * 70_001);
      const values = dtype === "float32" ? single : Float64Array.from(single);
      const fields = fieldsInMemory(values, 60, [70_001]);
      const fitted = await normaliseResponses(fields);
      const applied = await applyNormalisation(fields, fitted);
      expect(digest(applied.matrix, applied.mean, applied.scale)).toBe(
        digest(fitted.matrix, fitted.mean, fitted.scale),
      );
    },
  );

  it("says where a value is not finite, and refuses other shapes", async () => {
    const fitted = await normaliseResponses(fieldsInMemory(scattered(30 * 24), 30, [4, 6]));
    const values = scattered(10 * 24);
    values[9 * 24] = Number.NaN;
    await expect(applyNormalisation(fieldsInMemory(values, 10, [4, 6]), fitted)).rejects.toThrow(
      "there is NaN in sample 9, position [0, 0]",
    );
    await expect(applyNormalisation(fieldsInMemory(scattered(8), 2, [4]), fitted)).rejects.toThrow(
      "the responses have 4 numbers each, those of the fitted bins 24",
    );
  });

  it("refuses responses that are out of all proportion to the fitted ones", async () => {
    const fitted = await normaliseResponses(fieldsInMemory(scattered(30), 30, [1]));
    await expect(applyNormalisation(fieldsInMemory(Float64Array.of(1e30), 1, [1]), fitted)).rejects.toThrow(
      "samples 0 to 0 are too far from the mean",
    );
  });
});
