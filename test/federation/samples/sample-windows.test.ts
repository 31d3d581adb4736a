import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { type Fields, fieldsInMemory } from "../../../src/datasets/fields.js";
import { openDataset } from "../../../src/datasets/files/labelled-file.js";
import { plainFieldsOf } from "../../../src/datasets/plain-fields.js";
import { shareSamples } from "../../../src/federation/replicas/replicas-data.js";
import { checkSamplesFit } from "../../../src/federation/replicas/replicas-memory.js";
import { readScaled, sampleReader } from "../../../src/federation/samples/sample-reader.js";
import {
  forEachWindow,
  type SampleForm,
  sampleWindows,
} from "../../../src/federation/samples/sample-windows.js";
import {
  blankSamples,
  blocksOf,
  type StoredSamples,
} from "../../../src/federation/samples/stored-samples.js";
import { fitScaling, type Scaling, trainingSamples } from "../../../src/federation/scaling.js";
import { describeTrainingFile } from "../../../src/federation/training-file.js";
import { checkData } from "../../../src/federation/usable-data.js";
import { writeHdf5 } from "../../../src/files/hdf5-writer.js";
import { replaceSamples, type TrainingSamples } from "../../../src/models/trainable-model.js";

const AS_THEY_ARE: SampleForm<TrainingSamples> = { of: (samples) => samples, replace: replaceSamples };
const SAMPLES = 40;
const SIZES = { inputs: 3, responses: 4 };
const SCALES = [
  { offset: 0.25, scale: 3 },
  { offset: -1, scale: 0.7 },
];
const SCALING: Scaling = { inputs: [SCALES[0]], responses: SCALES };

/** Numbers that are no fractions of two, so that rounding shows. */
const numbers = (length: number, start = 0) =>
  Float64Array.from({ length }, (_, i) => Math.sin(start + i) + i / 7);

/** Fields on a disk that gives a few samples at a time, each read after a while; it remembers what was read. */
function slowFields(values: Float64Array, samples: number) {
  const whole = fieldsInMemory(values, samples, [values.length / samples]);
  const reads: [number, number][] = [];
  const fields: Fields = {
    ...whole,
    async read(start, end) {
      reads.push([start, end]);
      await new Promise((resolve) => setTimeout(resolve, (start * 7) % 3));
      return (await whole.read(start, end)).slice();
    },
  };
  return { fields, reads };
}

/** Samples on such a disk, and the same in memory. */
function stored(seed = 0): { readonly onDisk: StoredSamples; readonly inMemory: Promise<TrainingSamples> } {
  const inputs = slowFields(numbers(SAMPLES * SIZES.inputs, seed), SAMPLES).fields;
  const responses = slowFields(numbers(SAMPLES * SIZES.responses, seed + 9), SAMPLES).fields;
  return {
    inMemory: trainingSamples({ inputs, responses }, SCALING),
    onDisk: {
      samples: SAMPLES,
      sizes: SIZES,
      async read(chosen, into) {
        await readScaled(inputs, SCALING.inputs, chosen, into.inputs);
        await readScaled(responses, SCALING.responses, chosen, into.responses);
      },
    },
  };
}

const rowsOf = (values: Float32Array, size: number, rows: ArrayLike<number>) =>
  Array.from(rows, (row) => [...values.subarray(row * size, (row + 1) * size)]);

const bitsOf = ({ buffer, byteOffset }: Float32Array, size: number, row: number) =>
  Buffer.from(buffer, byteOffset + 4 * row * size, 4 * size);

const requests = fc.array(
  fc
    .array(fc.integer({ min: 0, max: SAMPLES - 1 }), { minLength: 1, maxLength: 12 })
    .map((samples) => ({ chosen: Int32Array.from(samples) })),
  { minLength: 1, maxLength: 6 },
);

describe("windows on samples", () => {
  it("have the chosen samples of those in memory, in any order and more than once", async () => {
    await fc.assert(
      fc.asyncProperty(requests, async (all) => {
        const { onDisk, inMemory } = stored();
        const known = await inMemory;
        const windows = sampleWindows(onDisk, 12, AS_THEY_ARE);
        expect(windows.shape.inputs.length).toBe(12 * SIZES.inputs);
        let used = 0;
        await forEachWindow(windows, all, async ({ held, indices }, { chosen }) => {
          await new Promise((resolve) => setTimeout(resolve, 2)); // the next window is read meanwhile
          for (const kind of ["inputs", "responses"] as const)
            expect(rowsOf(held[kind], SIZES[kind], indices)).toEqual(
              rowsOf(known[kind], SIZES[kind], chosen),
            );
          used++;
        });
        expect(used).toBe(all.length);
      }),
      { numRuns: 30 },
    );
  });

  it("are all samples at once where they are in memory", async () => {
    const known = await stored().inMemory;
    const windows = sampleWindows(known, 3, AS_THEY_ARE);
    const chosen = Int32Array.of(7, 1, 1);
    expect(windows.shape).toBe(known);
    expect(await windows.read(chosen)).toEqual({ held: known, indices: chosen });
  });

  it("let a disk's failure be heard by whoever awaits them, and by nobody else", async () => {
    const { onDisk } = stored();
    let reads = 0;
    const failing: StoredSamples = {
      ...onDisk,
      read: (...given) =>
        reads++ > 0 ? Promise.reject(new Error("the disk is gone")) : onDisk.read(...given),
    };
    const windows = sampleWindows(failing, 4, AS_THEY_ARE);
    const all = [0, 1].map((sample) => ({ chosen: Int32Array.of(sample) }));
    let used = 0;
    const using = forEachWindow(windows, all, async () => {
      await new Promise((resolve) => setTimeout(resolve, 5)); // an unhandled rejection would end the test run
      used++;
    });
    await expect(using).rejects.toThrow("the disk is gone");
    expect(used).toBe(1);
  });
});

describe("samples on disk", () => {
  it("are read in blocks that have the bits of those in memory", async () => {
    const { onDisk, inMemory } = stored();
    const found: number[] = [];
    for await (const { responses } of blocksOf(onDisk)) found.push(...responses);
    expect(Float32Array.from(found)).toEqual((await inMemory).responses);
  });

  it("take one read for neighbours, and none for samples far between them", async () => {
    const size = 2 ** 12; // 32 KiB in float64
    const { fields, reads } = slowFields(numbers(30 * size), 30);
    const chosen = Int32Array.of(0, 1, 3, 9, 10, 29);
    const into = new Float32Array(chosen.length * size);
    await readScaled(fields, SCALES.slice(0, 1), chosen, into);
    expect(reads.sort((a, b) => a[0] - b[0])).toEqual([
      [0, 4],
      [9, 11],
      [29, 30],
    ]);
    const whole = fieldsInMemory(numbers(30 * size), 30, [size]);
    const { inputs } = await trainingSamples(
      { inputs: whole, responses: whole },
      { ...SCALING, inputs: SCALES.slice(0, 1) },
    );
    chosen.forEach((sample, row) => {
      expect(into.subarray(row * size, (row + 1) * size)).toEqual(
        inputs.subarray(sample * size, (sample + 1) * size),
      );
    });
  });

  it("of several replicas follow each other, equal ones once", async () => {
    const [one, other] = [stored(), stored(5)];
    const shared = shareSamples([one.onDisk, other.onDisk, one.onDisk]);
    expect(shared.starts).toEqual([0, SAMPLES, 0]);
    expect(shared.samples).toBe(2 * SAMPLES);
    const windows = sampleWindows(shared, 4, AS_THEY_ARE);
    const { held, indices } = await windows.read(Int32Array.of(SAMPLES + 3, 2, 39));
    expect(rowsOf(held.inputs, SIZES.inputs, indices)).toEqual([
      ...rowsOf((await other.inMemory).inputs, SIZES.inputs, [3]),
      ...rowsOf((await one.inMemory).inputs, SIZES.inputs, [2, 39]),
    ]);
  });

  it("are no samples for a GPU, which holds them all; those that it has no room for are named", async () => {
    const { onDisk, inMemory } = stored();
    const known = await inMemory;
    const bytes = 4 * 2 * SAMPLES * (SIZES.inputs + SIZES.responses);
    const gpu = (memory: number) => ({ prefersLargeKernels: true, memory });
    const both = { train: known, test: known };
    expect(() => checkSamplesFit({ train: onDisk, test: onDisk }, {})).not.toThrow();
    expect(() => checkSamplesFit({ train: onDisk, test: onDisk }, gpu(1e12))).toThrow(
      "a GPU holds all samples",
    );
    expect(() => checkSamplesFit(both, gpu(bytes))).not.toThrow();
    expect(() => checkSamplesFit(both, gpu(bytes - 1))).toThrow(
      /take 0.00000224 GB in float32, but the GPU has .*--device cpu/,
    );
  });
});

describe("passes over data on disk", () => {
  const size = 2 ** 20; // a slice has four samples
  const [count, shape] = [5, [2, 2 ** 19]];
  const values = numbers(count * size);
  const shapes = { inputs: { channels: 2, grid: [2 ** 19] }, responses: { channels: 2, grid: [2 ** 19] } };

  it("read no more than a slice at a time, to the bits of one read of everything", async () => {
    let most = 0;
    const inMemory = fieldsInMemory(values, count, shape);
    const sliced: Fields = {
      ...inMemory,
      read: (start, end) => {
        most = Math.max(most, end - start);
        return inMemory.read(start, end);
      },
    };
    const data = { inputs: sliced, responses: sliced };
    const scaling = await fitScaling(data, "channels", shapes);
    expect(await checkData({ train: data, test: data }, scaling, "d.h5")).toEqual([]);
    await trainingSamples(data, scaling);
    expect(most).toBe(4);
    // The sums of channels in the order of the samples.
    [0, 1].forEach((channel) => {
      const own = (visit: (value: number) => void) => {
        for (let sample = 0; sample < count; sample++)
          for (let i = 0; i < 2 ** 19; i++) visit(values[(2 * sample + channel) * 2 ** 19 + i]);
      };
      let sum = 0;
      own((value) => {
        sum += value;
      });
      const offset = sum / (count * 2 ** 19);
      let square = 0;
      own((value) => {
        square += (value - offset) ** 2;
      });
      expect(scaling.inputs[channel]).toEqual({ offset, scale: Math.sqrt(square / (count * 2 ** 19)) });
    });
  });

  it("name the sample of a number that is not finite, in whichever slice it is", async () => {
    const broken = values.slice();
    broken[4 * size + 2 ** 19 + 5] = Number.NaN;
    const fields = fieldsInMemory(broken, count, shape);
    const data = { inputs: fields, responses: fields };
    await expect(checkData({ train: data, test: data }, SCALING, "d.h5")).rejects.toThrow(
      "the training inputs of d.h5 have NaN in sample 4, position [1, 5]: values must be finite",
    );
  });
});

describe("samples that lie plainly in a file", () => {
  const folder = mkdtempSync(join(tmpdir(), "pde-dirichlet-plain-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const ROWS = 60;

  /** An own file whose inputs are compressed or plain, and of which test samples may be a part in the middle. */
  async function fileOf(
    dtype: "float32" | "float64" | "int16",
    compression: number | undefined,
    test?: string,
  ) {
    const file = join(folder, `${dtype}-${compression}-${test}.h5`);
    const kind = { float32: Float32Array, float64: Float64Array, int16: Int16Array }[dtype];
    const stack = (size: number) => {
      const values = kind.from(numbers(ROWS * size * 3).map((value) => 100 * value));
      return { shape: [ROWS, size, 3], values, compression };
    };
    await writeHdf5(file, { datasets: { "/a": stack(5), "/u": stack(700) } });
    return describeTrainingFile(file, { inputs: "a", responses: "u", test, channels: "none" });
  }

  it.each([
    ["float32", undefined, true],
    ["float64", undefined, true],
    ["int16", undefined, true],
    ["float32", 4, false],
  ] as const)("have the bits of those in memory: %s, compression %s", async (dtype, compression, isPlain) => {
    for (const test of ["12", "7:19"]) {
      const data = await fileOf(dtype, compression, test);
      const dataset = await openDataset(data);
      const reader = sampleReader({ data, scaling: SCALING });
      for (const split of ["train", "test"] as const) {
        const half = await dataset.read(split);
        expect(plainFieldsOf(half.inputs) !== undefined).toBe(isPlain);
        const known = await trainingSamples(half, SCALING);
        await fc.assert(
          fc.asyncProperty(
            fc.subarray([...Array(known.samples).keys()], { minLength: 1 }),
            async (chosen) => {
              const into = blankSamples({ inputs: 15, responses: 2100 }, chosen.length);
              await reader.read(split, Int32Array.from(chosen), into);
              for (const [kind, size] of [
                ["inputs", 15],
                ["responses", 2100],
              ] as const)
                for (const [row, sample] of chosen.entries())
                  expect(bitsOf(into[kind], size, row).equals(bitsOf(known[kind], size, sample))).toBe(true);
            },
          ),
          { numRuns: 10 },
        );
      }
      await reader.close();
      await dataset.close();
    }
  });
});
