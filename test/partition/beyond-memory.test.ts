import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Fields, fieldSize, fieldsInMemory } from "../../src/datasets/fields.js";
import { FileError, OptionError } from "../../src/errors.js";
import { nodeThreads } from "../../src/numerics/kernels/node-threads.js";
import type { Threads } from "../../src/numerics/kernels/threads.js";
import type { RowStorage } from "../../src/numerics/row-storage.js";
import { applyBins, fitBins, type SolutionBins } from "../../src/partition/bins.js";
import { memoryBytes } from "../../src/partition/memory-options.js";
import { applyNormalisation, normaliseResponses, storageOf } from "../../src/partition/normalise.js";
import { partitionDataset } from "../../src/pipeline/partition-dataset.js";
import { normal } from "../../src/random/normal.js";
import { stream } from "../../src/random/stream.js";

/** Samples about a few places, some of them twice. */
function responses(
  seed: number,
  samples: number,
  columns: number,
  dtype: "float32" | "float64" = "float32",
): Fields {
  const random = stream(seed, "responses");
  const values = new (dtype === "float32" ? Float32Array : Float64Array)(samples * columns);
  for (let i = 0; i < samples; i++) {
    if (i % 7 === 6) values.copyWithin(i * columns, (i - 3) * columns, (i - 2) * columns);
    else
      for (let j = 0; j < columns; j++)
        values[i * columns + j] = 2 * Math.cos((random.below(5) + 1) * (j + 1)) + normal(random);
  }
  return fieldsInMemory(values, samples, [columns]);
}

/** Everything that bins are, as bits. */
function digest(bins: SolutionBins): string {
  const { mean, scale, centroids, binOfSample, quantisationError, inertia, iterations, quality } = bins;
  const hash = createHash("sha256").update(mean).update(centroids).update(binOfSample);
  hash.update(Float64Array.of(scale, quantisationError, inertia, iterations));
  return hash.update(JSON.stringify(quality)).digest("hex");
}

/** Bins that are fitted, and the same bins applied, with this storage. */
async function everything(
  fields: Fields,
  bins: number,
  { storage, threads, seed = 0 }: { storage?: RowStorage; threads?: Threads; seed?: number } = {},
): Promise<readonly [string, string]> {
  const normalised = await normaliseResponses(fields, { storage, threads });
  const fitted = await fitBins(normalised, { bins, seed }).finally(() => normalised.matrix.close());
  const again = await applyNormalisation(fields, fitted, { storage, threads });
  const applied = await applyBins(again, fitted).finally(() => again.matrix.close());
  return [digest(fitted), digest(applied)];
}

/** Fields that note how many numbers are read. */
function counted(fields: Fields): Fields & { rows: number } {
  const watched = {
    ...fields,
    rows: 0,
    read(start: number, end: number) {
      watched.rows += end - start;
      return fields.read(start, end);
    },
  };
  return watched;
}

describe("bins of responses that do not fit into memory", () => {
  it("have the bits of those that do, however many rows are kept and however long windows are", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.record({
          seed: fc.nat(1000),
          samples: fc.integer({ min: 12, max: 120 }),
          columns: fc.integer({ min: 1, max: 41 }),
          bins: fc.integer({ min: 1, max: 8 }),
          dtype: fc.constantFrom("float32" as const, "float64" as const),
          kept: fc.constantFrom(0, 0.1, 0.5, 0.99, 1),
          window: fc.constantFrom(1, 2, 7, 32, 1000),
          sketch: fc.constantFrom(0, 4, 12),
        }),
        async ({ seed, samples, columns, bins, dtype, kept, window, sketch }) => {
          const fields = responses(seed, samples, columns, dtype);
          const storage = { limit: 3e9, resident: Math.floor(kept * samples), window, sketch };
          expect(await everything(fields, bins, { storage, seed })).toEqual(
            await everything(fields, bins, { seed }),
          );
        },
      ),
      { numRuns: 80 },
    );
  });

  it.each([
    ["float32", 0, 50],
    ["float32", 300, 64],
    ["float64", 0, 64],
    ["float64", 301, 50],
  ] as const)(
    "have the same bits with threads (%s, %i rows kept, windows of %i)",
    async (dtype, resident, window) => {
      const fields = responses(5, 700, 1003, dtype);
      const storage = { limit: 3e9, resident, window, sketch: 16 };
      expect(await everything(fields, 9, { storage, threads: nodeThreads(2) })).toEqual(
        await everything(fields, 9),
      );
    },
  );

  it("have the same bits when slices of normalisation end between kept rows", async () => {
    const fields = responses(6, 50, 100_003); // 20 samples a slice
    const storage = { limit: 3e9, resident: 27, window: 3, sketch: 8 };
    expect(await everything(fields, 3, { storage })).toEqual(await everything(fields, 3));
  });

  it("give up kept rows where working memory needs the place", async () => {
    const fields = responses(7, 400, 64);
    const limit = 400 * 64 * 4 + 20_000; // less than k-means takes besides
    const normalised = await normaliseResponses(fields, {
      storage: { limit, resident: 400, window: 10, sketch: 4 },
    });
    expect(normalised.matrix.resident).toBe(400);
    const fitted = await fitBins(normalised, { bins: 6 });
    expect(normalised.matrix.resident).toBeLessThan(400);
    expect(normalised.matrix.allocate(0)).toBeLessThanOrEqual(limit);
    const whole = await fitBins(await normaliseResponses(fields), { bins: 6 });
    expect(digest(fitted)).toBe(digest(whole));
  });

  it("are the same after an earlier fit on the same rows", async () => {
    const fields = responses(8, 150, 12);
    const storage = { limit: 3e9, resident: 40, window: 16, sketch: 4 };
    const normalised = await normaliseResponses(fields, { storage });
    const first = await fitBins(normalised, { bins: 5, seed: 1 });
    await fitBins(normalised, { bins: 7, seed: 2 });
    expect(digest(await fitBins(normalised, { bins: 5, seed: 1 }))).toBe(digest(first));
  });
});

describe("reading responses again", () => {
  it("leaves out rows whose bin is certain: late iterations read few", async () => {
    const [samples, columns] = [500, 12_000]; // rows so long that a gap of three is worth a second read
    const random = stream(9, "amplitudes");
    const values = new Float32Array(samples * columns);
    for (let i = 0; i < samples; i++) {
      const amplitudes = [1, 2, 3, 4].map((mode) => normal(random) / mode);
      for (let j = 0; j < columns; j++) values[i * columns + j] = amplitudes[j & 3];
    }
    const fields = counted(fieldsInMemory(values, samples, [columns]));
    const storage = { limit: 3e9, resident: 0, window: 100, sketch: 0 };
    const normalised = await normaliseResponses(fields, { storage });
    expect(fields.rows).toBe(samples);
    const read: number[] = [];
    const { iterations } = await fitBins(normalised, {
      bins: 12,
      onIteration: () => read.push(fields.rows),
    });
    expect(iterations).toBeGreaterThan(4);
    const each = read.map((rows, i) => rows - (read[i - 1] ?? 0)).slice(1);
    expect(Math.max(...each.slice(1))).toBeLessThan(samples);
    expect(each.at(-1)).toBeLessThan(0.3 * samples);
  });

  it("leaves out most rows from the start where sketches tell their bins", async () => {
    const [samples, columns] = [500, 12_000];
    const random = stream(12, "amplitudes");
    const values = new Float32Array(samples * columns);
    for (let i = 0; i < samples; i++) {
      const amplitudes = [1, 2, 3, 4, 5, 6].map((mode) => normal(random) / mode);
      for (let j = 0; j < columns; j++) values[i * columns + j] = amplitudes[j % 6];
    }
    const fields = fieldsInMemory(values, samples, [columns]);
    const fit = async (sketch: number) => {
      const watched = counted(fields);
      const storage = { limit: 3e9, resident: 0, window: 100, sketch };
      const normalised = await normaliseResponses(watched, { storage });
      const read: number[] = [];
      const bins = await fitBins(normalised, { bins: 12, onIteration: () => read.push(watched.rows) });
      return { bins: digest(bins), inIterations: read.at(-1)! - read[0], all: watched.rows };
    };
    const [without, withSketches] = [await fit(0), await fit(8)];
    expect(withSketches.bins).toBe(without.bins);
    expect(withSketches.inIterations).toBeLessThan(0.25 * without.inIterations);
    expect(withSketches.all).toBeLessThan(12 * samples);
    expect(withSketches.all).toBeLessThan(0.7 * without.all);
  });

  it("reads nothing again that is kept", async () => {
    const fields = counted(responses(10, 300, 20));
    const normalised = await normaliseResponses(fields, {
      storage: { limit: 3e9, resident: 300, window: 10, sketch: 4 },
    });
    await fitBins(normalised, { bins: 4 });
    expect(fields.rows).toBe(300);
  });

  it.each(["float32", "float64"] as const)("passes on what a failing disk says (%s)", async (dtype) => {
    const fields = responses(11, 200, 10, dtype);
    for (const failing of [1, 2, 5, 12, 30]) {
      let reads = 0;
      const broken: Fields = {
        ...fields,
        read: async (start, end) => {
          if (++reads === failing) throw new FileError("cannot read u.npy: input/output error");
          return fields.read(start, end);
        },
      };
      const storage = { limit: 3e9, resident: 20, window: 16, sketch: 4 };
      await expect(everything(broken, 5, { storage, threads: nodeThreads(2) })).rejects.toThrow(
        new FileError("cannot read u.npy: input/output error"),
      );
    }
  });
});

describe("the option `memory`", () => {
  it("is 4 GB unless told otherwise", () => {
    expect(memoryBytes()).toBe(4e9);
    expect(memoryBytes({ memory: 0.5 })).toBe(5e8);
  });

  it.each([0, 0.1, -1, Number.NaN, 1e6])("refuses %d", async (memory) => {
    expect(() => memoryBytes({ memory })).toThrow(
      new OptionError(`memory is a number from 0.25 to 1024 (GB), not ${memory}`),
    );
    await expect(
      partitionDataset({ responses: responses(1, 40, 3) }, { clients: 2, alpha: 1, seed: 0, memory }),
    ).rejects.toThrow(OptionError);
  });

  it("changes how often responses are read, and no result", async () => {
    const [samples, columns] = [1000, 16_384]; // 66 MB, more than is kept of 0.25 GB
    const wave = Array.from({ length: columns }, (_, j) => Math.sin(j / 1000));
    const values = Float32Array.from(
      { length: samples * columns },
      (_, i) => ((i >> 14) % 97) * wave[i % columns] + ((i >> 14) % 89) * wave[(2 * i) % columns],
    );
    const fields = counted(fieldsInMemory(values, samples, [128, 128]));
    const options = { clients: 4, alpha: 0.5, seed: 3, bins: 4 };
    const whole = await partitionDataset({ responses: fields }, options);
    expect(fields.rows).toBe(samples);
    const streamed = await partitionDataset({ responses: fields }, { ...options, memory: 0.25 });
    expect(fields.rows).toBeGreaterThan(3 * samples);
    expect(streamed).toEqual(whole);
  });
});

describe("the storage of responses", () => {
  const fields = (samples: number, shape: readonly number[], dtype: Fields["dtype"] = "float32"): Fields => ({
    samples,
    shape,
    dtype,
    read: () => Promise.reject(new Error("not read")),
  });

  it("keeps all rows that fit", () => {
    expect(storageOf(fields(10_000, [128, 128]), 4e9).resident).toBe(10_000);
    expect(storageOf(fields(50, []), 2.5e8).resident).toBe(50);
  });

  it.each([
    [100_000, [101, 1000]],
    [610_000, [128, 128]],
    [10_000_000, [1024]],
    [40, [640, 640, 640]],
  ])("of %i samples of %j, 40 GB and more, leaves room below 4 GB", (samples, shape) => {
    for (const dtype of ["float32", "float64"] as const)
      for (const memory of [4e9, 1e9]) {
        const of = fields(samples, shape, dtype);
        const { limit, resident, window } = storageOf(of, memory);
        expect(limit).toBeLessThan(memory);
        expect(resident * fieldSize(of) * 4).toBeLessThan(limit);
        expect(window).toBeGreaterThanOrEqual(1);
      }
  });
});
