import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Dataset, FileData, Split } from "../../src/datasets/dataset.js";
import type { Fields } from "../../src/datasets/fields.js";
import { convertFile } from "../../src/datasets/files/convert/convert-file.js";
import { ownLayout } from "../../src/datasets/files/convert/own-layout.js";
import {
  describeData,
  describeFile,
  type FileChoice,
  openDataset,
  readFileData,
} from "../../src/datasets/files/labelled-file.js";
import { openData, responsesSha256 } from "../../src/datasets/files/open.js";
import { generateToFile } from "../../src/datasets/generated-file.js";
import { openHdf5 } from "../../src/files/hdf5.js";
import { type Hdf5NewDataset, writeHdf5 } from "../../src/files/hdf5-writer.js";
import { writeNpy } from "../../src/files/npy.js";
import { writeNpz } from "../../src/files/npz.js";

const folder = mkdtempSync(join(tmpdir(), "pde-dirichlet-convert-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const path = (name: string) => join(folder, name);

/** Numbers that no two places share. */
const numbers = (shape: readonly number[], from = 0): Float64Array =>
  Float64Array.from({ length: shape.reduce((a, b) => a * b, 1) }, (_, i) => Math.sin(from + i) * (1 + i / 7));
const array = (shape: readonly number[], more: Partial<Hdf5NewDataset> = {}, from = 0): Hdf5NewDataset => ({
  shape,
  values: numbers(shape, from),
  ...more,
});
const npz = (name: string, shapes: Readonly<Record<string, readonly number[]>>) =>
  writeFileSync(
    path(name),
    writeNpz(
      Object.fromEntries(
        Object.entries(shapes).map(([key, shape], i) => [key, { values: numbers(shape, i), shape }]),
      ),
    ),
  );

beforeAll(async () => {
  npz("plane.npz", { a: [10, 9, 11], u: [10, 9, 11], x: [9], y: [11], viscosity: [10] });
  npz("numbers.npz", { inputs: [12], responses: [12, 20] });
  npz("points.npz", { X_train0: [10, 16], y_train: [10, 30], X_train1: [30, 2] });
  npz("channels.npz", {
    p_train: [8, 12],
    q_train: [8, 12],
    s_train: [8, 12],
    p_test: [3, 12],
    q_test: [3, 12],
    s_test: [3, 12],
  });
  writeFileSync(
    path("u.npy"),
    writeNpy(
      Int32Array.from({ length: 60 }, (_, i) => i * i),
      [6, 10],
    ),
  );
  writeFileSync(path("a.npy"), writeNpy(Float32Array.from(numbers([6, 10])), [6, 10]));
  await writeHdf5(path("labelled.h5"), {
    attributes: { title: "Strömung um 1 µm", name: "Flow past", reynolds: 40, mach: 0.25, seed: 7, lab: "X" },
    datasets: {
      "/x/D": array([14]),
      "/grid/t": array([6], { attributes: { units: "s" } }),
      "/a": array([9, 14], { attributes: { label: "forcing", units: "N/m²" }, axes: ["sample", "x/D"] }),
      "/u": array([9, 14, 6, 2], {
        values: Float32Array.from(numbers([9, 14, 6, 2])),
        attributes: { long_name: "velocity", units: "m/s", channel_labels: ["u", "v"] },
        axes: ["sample", { label: "x/D", scale: "/x/D" }, { label: "t", scale: "/grid/t" }, "component"],
      }),
    },
  });
  for (const [i, nu] of [0.1, 0.01, 0.01].entries())
    await writeHdf5(path(`part-${i}.h5`), {
      attributes: { nu },
      datasets: {
        "/x-coordinate": { shape: [10], values: Float64Array.from({ length: 10 }, (_, j) => j / 3) },
        "/t-coordinate": { shape: [8], values: Float64Array.from({ length: 8 }, (_, j) => j / 9) },
        "/tensor": array([4, 7, 10], {}, i),
      },
    });
  await writeHdf5(path("more.h5"), {
    datasets: { "/a": array([3, 9, 11], {}, 5), "/u": array([3, 9, 11], {}, 6) },
  });
  await generateToFile({ task: "antiderivative", seed: 3, train: 6, test: 4 }, path("task.h5"), {
    cache: false,
  });
}, 60_000);

const EMPTY = { name: "d", title: "D", origin: "nowhere", parameters: {}, seed: 0, test: 0 };

/** Everything that later stages see of data, but where they come from. */
async function seen(data: FileData) {
  const { description, coordinates } = await describeData(data);
  const { origin: _, sha256: __, attributes: ___, ...rest } = description;
  const dataset = await openDataset(data);
  try {
    return {
      description: rest,
      coordinates,
      train: await half(dataset, "train"),
      test: await half(dataset, "test"),
    };
  } finally {
    await dataset.close();
  }
}

async function half(dataset: Dataset, split: Split) {
  const { inputs, responses } = await dataset.read(split);
  return {
    inputs: await inputs.read(0, inputs.samples),
    responses: await responses.read(0, responses.samples),
    attributes: await dataset.attributes(split),
    groups: await dataset.groups?.(split),
  };
}

const windows = { responses: "tensor", window: "2:1" };
const CASES: readonly (readonly [string, string, FileChoice])[] = [
  ["planes with coordinates", "plane.npz", {}],
  ["a slice with strides", "plane.npz", { inputs: "a[:, ::2]", responses: "u[:, ::2, 1:]", test: "3" }],
  ["a range of test samples", "plane.npz", { test: "2:4" }],
  ["test samples of a second file", "plane.npz", { test: "more.h5" }],
  ["a number for each sample", "numbers.npz", {}],
  ["a list of points", "points.npz", { axes: ["station"] }],
  ["several arrays as channels", "channels.npz", { inputs: "p_train, q_train", responses: "s_train" }],
  ["whole numbers with samples last", "u.npy", { inputs: "a.npy", sampleAxis: "last" }],
  ["labels, units and channels last", "labelled.h5", {}],
  [
    "one frame of a trajectory",
    "labelled.h5",
    { inputs: "a", responses: "u[:, :, -1]", name: "Last", inputUnit: "N" },
  ],
  ["the first frame to the last", "part-0.h5", { inputs: "tensor[:, 0]", responses: "tensor[:, -1]" }],
  ["windows of trajectories", "part-1.h5", windows],
  ["windows that nothing keeps together", "part-1.h5", { ...windows, group: "none" }],
  ["several files", "part-*.h5", windows],
  ["several files by an attribute", "part-*.h5", { ...windows, group: "nu", test: "part-0.h5" }],
  ["data of a task", "task.h5", {}],
];

describe("a converted file", () => {
  it.each(CASES)("with %s gives the same description and the same bits", async (what, name, choice) => {
    const beside = (one: unknown) => (typeof one === "string" && existsSync(path(one)) ? path(one) : one);
    const full = Object.fromEntries(
      Object.entries(choice).map(([key, one]) => [key, beside(one)]),
    ) as FileChoice;
    const out = path(`${what.replaceAll(" ", "-")}.h5`);
    const converted = await convertFile(path(name), full, out);
    const [before, after] = [await describeFile(path(name), full), await describeFile(out)];
    const [a, b] = [await seen(before), await seen(after)];
    // Windows get their trajectory as an attribute.
    const { trajectory: _, ...own } = b.train.attributes;
    const { trajectory: __, ...held } = b.test.attributes;
    expect({ ...b, train: { ...b.train, attributes: own }, test: { ...b.test, attributes: held } }).toEqual(
      a,
    );
    expect(converted).toMatchObject({ file: out, train: before.train, test: before.test });
    expect(after.origin).toBe(converted.origin);
    expect(after.origin).toContain(`SHA-256 ${before.sha256.slice(0, 16)}`);
  });

  it("says where it comes from: files, hashes and expressions, after what the source said", async () => {
    await convertFile(
      path("plane.npz"),
      { inputs: "a[:, ::3]", responses: "u", test: "2" },
      path("origin.h5"),
    );
    const file = await openHdf5(path("origin.h5"));
    const { origin, source_files, source_sha256 } = file.attributes();
    file.close();
    const { sha256 } = await describeFile(path("plane.npz"));
    expect(origin).toBe(
      `converted from plane.npz (SHA-256 ${sha256.slice(0, 16)}...): inputs a[:, ::3], responses u`,
    );
    expect({ source_files, source_sha256 }).toEqual({ source_files: ["plane.npz"], source_sha256: [sha256] });
    const { origin: twice } = await convertFile(path("task.h5"), {}, path("twice.h5"));
    expect(twice).toMatch(
      /^simulated by pde-dirichlet \S+; converted from task\.h5 \(SHA-256 [0-9a-f]{16}\.\.\.\)$/,
    );
  });

  it("keeps what is not float64 as float32 only where it was, and narrows on request", async () => {
    const kept = await convertFile(path("labelled.h5"), {}, path("kept.h5"));
    expect(kept.dtypes).toEqual({ inputs: "float64", responses: "float32" });
    const narrow = await convertFile(path("labelled.h5"), {}, path("narrow.h5"), { float32: true });
    expect(narrow.dtypes).toEqual({ inputs: "float32", responses: "float32" });
    const [wide, less] = [
      await seen(await describeFile(path("kept.h5"))),
      await seen(await describeFile(path("narrow.h5"))),
    ];
    expect(less.train.inputs).toEqual(Float32Array.from(wide.train.inputs));
    writeFileSync(
      path("huge.npz"),
      writeNpz({
        a: { values: Float64Array.of(1, 2, 3, 1e39), shape: [4, 1] },
        u: { values: numbers([4, 9]), shape: [4, 9] },
      }),
    );
    await expect(convertFile(path("huge.npz"), {}, path("no.h5"), { float32: true })).rejects.toThrow(
      "the inputs of sample 0 hold 1e+39, which float32 cannot hold: leave out --float32",
    );
    expect(readdirSync(folder).filter((name) => name.includes("no.h5"))).toEqual([]);
  });

  it("holds all samples in one half on request, so that a partition splits the same samples", async () => {
    await convertFile(path("plane.npz"), { test: "none" }, path("whole.h5"));
    const [before, after] = await Promise.all(
      ["plane.npz", "whole.h5"].map(async (name) => {
        const data = await openData(path(name));
        const found = { samples: data.responses.samples, sha256: await responsesSha256(data) };
        await data.close();
        return found;
      }),
    );
    expect(after).toEqual(before);
    expect(await seen(await describeFile(path("whole.h5")))).toEqual(
      await seen(await describeFile(path("plane.npz"))),
    );
    await expect(convertFile(path("task.h5"), { test: "none" }, path("no.h5"))).rejects.toThrow(
      "has test samples of its own, /test/responses: leave out --test none",
    );
  });

  it("numbers trajectories over both halves and keeps the number of the file", async () => {
    await convertFile(path("part-*.h5"), windows, path("columns.h5"));
    const { train, test } = await seen(await describeFile(path("columns.h5")));
    const both = [...train.attributes.trajectory, ...test.attributes.trajectory];
    expect(both).toEqual(Array.from({ length: 60 }, (_, i) => Math.floor(i / 5)));
    expect([...train.attributes.file, ...test.attributes.file]).toEqual(
      Array.from({ length: 60 }, (_, i) => Math.floor(i / 20)),
    );
    expect(test.attributes.nu[0]).toBe(0.01);
  });

  it("is written from a few samples at a time, whatever the size", async () => {
    const [samples, size, most] = [150, 32 * 1024, 64]; // 64 of these fields are 16 MiB
    const reads = { most: 0, rows: 0 };
    const fields: Fields = {
      samples,
      shape: [size],
      dtype: "float64",
      read: async (start, end) => {
        reads.most = Math.max(reads.most, end - start);
        reads.rows += end - start;
        return new Float64Array((end - start) * size).fill(start);
      },
    };
    const axes = [{ kind: "space", name: "x", length: size }] as const;
    const described = { inputs: { label: "a", axes }, responses: { label: "u", axes } };
    const dataset: Dataset = {
      description: { ...EMPTY, ...described, train: samples },
      coordinates: {},
      read: async () => ({ inputs: fields, responses: fields }),
      attributes: async () => ({}),
      close: async () => {},
    };
    let told = 0;
    const onRead = (count: number) => {
      told += count;
    };
    await writeHdf5(
      path("pieces.h5"),
      await ownLayout({ dataset, splits: ["train"], attributes: {}, source: "pieces", onRead }),
    );
    expect(reads).toEqual({ most, rows: 2 * samples });
    expect(told).toBe(2 * samples);
  });

  it("refuses what it cannot write, and leaves nothing behind", async () => {
    const before = readdirSync(folder);
    await expect(convertFile(path("plane.npz"), {}, path("plane.npy"))).rejects.toThrow(
      "--out ends in .h5 or .hdf5",
    );
    await expect(convertFile(path("task.h5"), {}, path("task.h5"), { force: true })).rejects.toThrow(
      "is also read",
    );
    await expect(convertFile(path("a.npy"), {}, path("no.h5"))).rejects.toThrow("name the file of inputs");
    await expect(
      convertFile(path("plane.npz"), { inputs: "a", responses: "u[:, 99]" }, path("no.h5")),
    ).rejects.toThrow("99 is beyond");
    expect(readdirSync(folder)).toEqual(before);
  });

  it("writes flags among the inputs as float32, and responses in the type by whose bytes partitions know them", async () => {
    const tensors = new URL("../golden/arrays/tensors.pt", import.meta.url).pathname;
    const written = await convertFile(tensors, { inputs: "bool", responses: "half" }, path("flags.h5"));
    expect(written.dtypes).toEqual({ inputs: "float32", responses: "float32" });
    const { train } = await readFileData(await describeFile(path("flags.h5")));
    expect(new Set(await train.inputs.read(0, train.inputs.samples))).toEqual(new Set([0, 1]));
    const turned = await convertFile(tensors, { inputs: "half", responses: "bool" }, path("turned.h5"));
    expect(turned.dtypes).toEqual({ inputs: "float32", responses: "float64" });
    const [before, after] = [
      await openData(tensors, { responses: "bool[:4]" }),
      await openData(path("turned.h5"), { responses: "/train/responses" }),
    ];
    expect(await responsesSha256(after)).toBe(await responsesSha256(before));
    await Promise.all([before.close(), after.close()]);
  });

  it("refuses a number that is not finite, by its sample", async () => {
    for (const [value, name] of [
      [Number.NaN, "u"],
      [Number.NEGATIVE_INFINITY, "a"],
    ] as const) {
      const values = (at: number) => Float64Array.from({ length: 60 }, (_, i) => (i === at ? value : i));
      const arrays = { a: values(name === "a" ? 35 : -1), u: values(name === "u" ? 35 : -1) };
      const shaped = Object.entries(arrays).map(([key, own]) => [key, { values: own, shape: [10, 6] }]);
      writeFileSync(path("broken.npz"), writeNpz(Object.fromEntries(shaped)));
      const before = readdirSync(folder);
      await expect(convertFile(path("broken.npz"), {}, path("no.h5"))).rejects.toThrow(
        `of ${path("broken.npz")} have ${value} in sample 5, position [5]: values must be finite`,
      );
      expect(readdirSync(folder)).toEqual(before);
    }
  });
});
