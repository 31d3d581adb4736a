import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { AxisKind } from "../../src/datasets/dataset.js";
import { type Fields, fieldSize, fieldsInMemory } from "../../src/datasets/fields.js";
import { writeNpy } from "../../src/files/npy.js";
import { binCost } from "../../src/partition/bins.js";
import { chosenRepresentation, REPRESENTATIONS } from "../../src/partition/representations.js";
import { binData } from "../../src/pipeline/binned-data.js";
import { normal } from "../../src/random/normal.js";
import { stream } from "../../src/random/stream.js";

const python = process.env.PDE_DIRICHLET_PYTHON;

/** Smooth random fields: a few waves of falling amplitude. */
function waves(samples: number, shape: readonly number[], seed = 1): Float64Array {
  const random = stream(seed, "waves");
  const size = fieldSize({ shape });
  const values = new Float64Array(samples * size);
  for (let sample = 0; sample < samples; sample++)
    for (let wave = 1; wave <= 5; wave++) {
      const [amplitude, phase] = [normal(random) / wave, 6 * random.uniform()];
      for (let i = 0; i < size; i++)
        values[sample * size + i] +=
          amplitude * Math.sin((wave * 7 * i) / size + phase + (i % 3) * wave * 0.1);
    }
  return values;
}

const all = async (fields: Fields) => Float64Array.from(await fields.read(0, fields.samples));

/** Rows of a representation without anything that is fitted. */
async function rowsOf(name: "gradient" | "spectrum", responses: Fields, axes?: readonly AxisKind[]) {
  return REPRESENTATIONS[name].rows({ responses, ...(axes && { axes }) }, {});
}

const distance = (a: ArrayLike<number>, b: ArrayLike<number>) =>
  Math.sqrt(Array.from(a).reduce((sum: number, value, i) => sum + (value - b[i]) ** 2, 0));

describe("a representation", () => {
  it("is read from what a user writes", () => {
    expect(chosenRepresentation("pca:7")).toMatchObject({ text: "pca:7", parameter: 7 });
    expect(chosenRepresentation("pca").text).toBe("pca:20");
    expect(chosenRepresentation(" spectrum ").text).toBe("spectrum");
    for (const text of ["drag", "cl, cd", "pod[:, :3]", "/spectrum", "descriptor"])
      expect(chosenRepresentation(text).entry.readsArrays).toBe(true);
    for (const text of ["pca:0", "pca:1.5", "pca:", "pca:many"])
      expect(() => chosenRepresentation(text)).toThrow(/whole number from 1 on/);
    expect(() => chosenRepresentation("gradient:2")).toThrow(/takes no number/);
  });

  it("by default is the responses, and leaves bins as they were", async () => {
    const responses = fieldsInMemory(waves(60, [24]), 60, [24]);
    const plain = await binData({ responses }, { bins: 4 });
    expect(await binData({ responses }, { bins: 4, representation: "field", cost: "l2" })).toEqual(plain);
    expect(plain.bins).not.toHaveProperty("representation");
    expect(plain.bins).not.toHaveProperty("cost");
  });

  it("refuses what is no field on a grid", async () => {
    const few = fieldsInMemory(waves(30, [3]), 30, [3]);
    await expect(rowsOf("gradient", few)).rejects.toThrow("3 numbers each (3), which are no field on a grid");
    const points = fieldsInMemory(waves(30, [20]), 30, [20]);
    await expect(rowsOf("spectrum", points, ["point"])).rejects.toThrow(/list of points.*take pca:20/);
  });

  it("says which response is not finite, and where", async () => {
    const values = waves(20, [4, 8]);
    values[5 * 32 + 11] = Number.NaN;
    const rows = await rowsOf("spectrum", fieldsInMemory(values, 20, [4, 8]));
    await expect(rows.read(0, 20)).rejects.toThrow("there is NaN in sample 5, position [1, 3]");
  });
});

describe("the gradient", () => {
  it("does not see a constant, and takes channels and times apart", async () => {
    const values = waves(6, [2, 12]);
    const moved = values.map((value, i) => value + Math.floor(i / 24) * 3);
    const rows = async (given: Float64Array, axes?: readonly AxisKind[]) =>
      all(await rowsOf("gradient", fieldsInMemory(given, 6, [2, 12]), axes));
    const apart = await rows(values, ["channel", "space"]);
    expect(apart).toHaveLength(6 * 2 * 11);
    expect(await rows(values)).toHaveLength(6 * (12 + 2 * 11));
    expect(distance(await rows(moved, ["channel", "space"]), apart)).toBeLessThan(1e-11);
    expect(apart[0]).toBeCloseTo((values[1] - values[0]) * 11, 12);
  });
});

describe("the spectrum", () => {
  const shapes: readonly (readonly number[])[] = [[17], [64], [6, 9], [8, 8], [4, 5, 6]];

  it.each(shapes)("never makes fields of %s more distant, and keeps their norm", async (...shape) => {
    const size = fieldSize({ shape });
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.double({ min: -5, max: 5, noNaN: true }), { minLength: 2 * size, maxLength: 2 * size }),
        async (values) => {
          const rows = await rowsOf("spectrum", fieldsInMemory(values, 2, shape));
          const [a, b] = [await rows.read(0, 1), await rows.read(1, 2)];
          const [u, v] = [values.slice(0, size), values.slice(size)];
          expect(distance(a, b)).toBeLessThanOrEqual(distance(u, v) * (1 + 1e-12) + 1e-12);
          expect(distance(a, new Float64Array(a.length))).toBeCloseTo(distance(u, new Float64Array(size)), 9);
        },
      ),
      { numRuns: 15 },
    );
  });

  it("does not see periodic shifts", async () => {
    const [side, samples] = [12, 3];
    const values = waves(samples, [side, side]);
    const shifted = values.map((_, i) => {
      const [sample, point] = [Math.floor(i / side ** 2), i % side ** 2];
      const [row, column] = [(Math.floor(point / side) + 5) % side, ((point % side) + 2) % side];
      return values[sample * side ** 2 + row * side + column];
    });
    const rows = async (given: Float64Array) =>
      all(await rowsOf("spectrum", fieldsInMemory(given, samples, [side, side])));
    expect(distance(await rows(values), await rows(shifted))).toBeLessThan(1e-12 * side ** 2);
  });

  it("has the energy of a wave in the shell of its wave number", async () => {
    const side = 16;
    const wave = Float64Array.from({ length: side * side }, (_, i) =>
      Math.cos((2 * Math.PI * (3 * Math.floor(i / side) + 4 * (i % side))) / side),
    );
    const [row] = [await (await rowsOf("spectrum", fieldsInMemory(wave, 1, [side, side]))).read(0, 1)];
    expect(row[5]).toBeCloseTo(Math.sqrt(side ** 2 / 2), 10);
    expect(
      distance(
        row.filter((_, shell) => shell !== 5),
        new Float64Array(row.length - 1),
      ),
    ).toBeLessThan(1e-10);
  });

  it.skipIf(!python)("and the gradient are those of NumPy", async () => {
    const folder = mkdtempSync(join(tmpdir(), "representation-"));
    const [samples, shape] = [5, [3, 10, 9]] as const;
    const values = waves(samples, shape);
    try {
      writeFileSync(join(folder, "u.npy"), writeNpy(values, [samples, ...shape]));
      execFileSync(
        python!,
        [
          "-c",
          `
import numpy as np, json
u = np.load("u.npy")
n, c, h, w = u.shape
f = np.abs(np.fft.fft2(u, norm="ortho")) ** 2
k = np.rint(np.hypot(*np.meshgrid(np.fft.fftfreq(h, 1 / h), np.fft.fftfreq(w, 1 / w), indexing="ij"))).astype(int)
e = np.sqrt(np.stack([f[..., k == s].sum(-1) for s in range(k.max() + 1)], -1))
g = np.concatenate([(np.diff(u, axis=2) * (h - 1)).transpose(0, 1, 3, 2).reshape(n, -1), (np.diff(u, axis=3) * (w - 1)).reshape(n, -1)], 1)
json.dump({"spectrum": e.reshape(n, -1).tolist(), "gradient": g.tolist()}, open("r.json", "w"))`,
        ],
        { cwd: folder },
      );
      const oracle = JSON.parse(readFileSync(join(folder, "r.json"), "utf8"));
      for (const name of ["spectrum", "gradient"] as const) {
        const rows = await rowsOf(name, fieldsInMemory(values, samples, shape), [
          "channel",
          "space",
          "space",
        ]);
        expect(rows.shape).toEqual(
          name === "spectrum" ? [3, oracle.spectrum[0].length / 3] : [3 * (9 * 9 + 10 * 8)],
        );
        const found = await all(rows);
        expect(distance(found, oracle[name].flat())).toBeLessThan(1e-10);
      }
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

describe("bins of a representation", () => {
  const samples = 90;
  const values = waves(samples, [4, 30]);
  const responses = fieldsInMemory(values, samples, [4, 30]);
  const drag = fieldsInMemory(
    Float64Array.from({ length: samples }, (_, i) => values[i * 120] ** 2),
    samples,
    [],
  );
  const pod = fieldsInMemory(
    Float64Array.from(
      { length: 3 * samples },
      (_, i) => values[Math.floor(i / 3) * 120 + (i % 3)] * 10 ** (i % 3),
    ),
    samples,
    [3],
  );
  const descriptors = {
    names: ["drag", "pod"],
    open: async (text: string) =>
      text.split(",").map((name) => ({ name, fields: name === "drag" ? drag : pod })),
  };
  const data = { responses, descriptors, responseAxes: async () => ["channel", "space"] as const };
  const names = ["gradient", "spectrum", "pca:4", "drag", "drag,pod"];

  it.each(names)("of %s sort other samples as they sorted those that they were fitted to", async (name) => {
    const fitted = (await binData(data, { bins: 5, representation: name, cost: "discrete" })).bins;
    expect(fitted.representation).toMatchObject({ name, responseShape: [4, 30] });
    const again = (await binData(data, { model: fitted })).bins;
    expect(again.binOfSample).toEqual(fitted.binOfSample);
    expect(binCost(again)).toEqual(binCost(fitted));
    await expect(binData(data, { model: fitted, representation: "field" })).rejects.toThrow(/bring their/);
  });

  it.each(names)("of %s have the same bits wherever the rows lie and however they are read", async (name) => {
    const once = (await binData(data, { bins: 5, representation: name })).bins;
    // Rows that may be read only a few at a time, as from a file.
    const slow = (fields: Fields): Fields => ({
      ...fields,
      read: async (start, end) => {
        const parts = [];
        for (let row = start; row < end; row++) parts.push(...(await fields.read(row, row + 1)));
        return Float64Array.from(parts);
      },
    });
    const onDisk = {
      ...data,
      responses: slow(responses),
      descriptors: {
        ...descriptors,
        open: async (text: string) =>
          (await descriptors.open(text)).map(({ name: own, fields }) => ({
            name: own,
            fields: slow(fields),
          })),
      },
    };
    expect((await binData(onDisk, { bins: 5, representation: name })).bins).toEqual(once);
  });

  it("of descriptors weigh each array, each column or neither alike", async () => {
    const scales = async (standardise?: "arrays" | "columns" | "none") => {
      const { bins } = await binData(data, {
        bins: 3,
        representation: "drag,pod",
        ...(standardise && { standardise }),
      });
      return [...bins.representation!.arrays.scales.values];
    };
    const [a, ...b] = await scales();
    expect(new Set(b).size).toBe(1);
    expect(b[0]).toBeGreaterThan(10 * a);
    expect(new Set(await scales("columns")).size).toBe(4);
    expect(await scales("none")).toEqual([1, 1, 1, 1]);
    await expect(binData(data, { representation: "gradient", standardise: "columns" })).rejects.toThrow(
      /standardise scales arrays/,
    );
  });

  it("are refused for arrays that are not there and for more components than there are", async () => {
    await expect(binData({ responses }, { representation: "drag" })).rejects.toThrow(
      'one of field, gradient, spectrum, pca:20, not "drag"',
    );
    await expect(binData(data, { representation: "pca:10000" })).rejects.toThrow(
      "pca:10000: 90 responses of 120 numbers have at most 89 components",
    );
    const constant = {
      names: ["one"],
      open: async () => [
        { name: "one", fields: fieldsInMemory(new Float64Array(samples).fill(2), samples, []) },
      ],
    };
    await expect(binData({ responses, descriptors: constant }, { representation: "one" })).rejects.toThrow(
      "all 90 descriptors are equal",
    );
    const short = {
      names: ["few"],
      open: async () => [{ name: "few", fields: fieldsInMemory(new Float64Array(7), 7, []) }],
    };
    await expect(binData({ responses, descriptors: short }, { representation: "few" })).rejects.toThrow(
      "few has 7 rows for 90 samples",
    );
  });
});
