import { describe, expect, it } from "vitest";
import { type AxisEnd, orderWithSamplesFirst, sampleInWords } from "../../src/datasets/files/array-axes.js";
import type { NamedArray } from "../../src/datasets/files/array-file.js";
import { axisOf, viewOf } from "../../src/datasets/files/arrays/view.js";
import { nameList } from "../../src/files/name-list.js";
import { permuted } from "./permuted.js";

/** An array of shape [2, 3, 4] whose numbers say where they lie: 123 is at [1, 2, 3]. */
const placed = (attributes = {}): NamedArray => {
  const values = Float64Array.from(
    { length: 24 },
    (_, i) => 100 * Math.floor(i / 12) + 10 * (Math.floor(i / 4) % 3) + (i % 4),
  );
  return {
    shape: [2, 3, 4],
    rows: 2,
    dtype: "float64",
    attributes,
    scales: [],
    read: async (start, end) => values.subarray(12 * start, 12 * end),
  };
};

/** The array with its samples first. */
function withSamplesFirst(array: NamedArray, what: string, asked?: AxisEnd): NamedArray {
  const order = orderWithSamplesFirst(array, what, asked);
  return viewOf(
    array,
    order.map((axis) => axisOf(array, axis)),
  );
}

describe("axes of arrays", () => {
  it("are put into any order", () => {
    const values = Float64Array.from({ length: 24 }, (_, i) => i);
    const shape = [2, 3, 4];
    for (const order of [
      [0, 1, 2],
      [2, 0, 1],
      [2, 1, 0],
      [0, 2, 1],
      [1, 2, 0],
    ]) {
      const [a, b, c] = order.map((axis) => shape[axis]);
      const expected: number[] = [];
      for (let i = 0; i < a; i++)
        for (let j = 0; j < b; j++)
          for (let k = 0; k < c; k++) {
            const at = [0, 0, 0];
            [i, j, k].forEach((index, axis) => {
              at[order[axis]] = index;
            });
            expected.push(12 * at[0] + 4 * at[1] + at[2]);
          }
      expect([...permuted(values, shape, order)]).toEqual(expected);
    }
    expect(permuted(Float64Array.of(3), [], [])).toEqual(Float64Array.of(3));
  });

  it("have samples along the last one where that is said", async () => {
    const moved = withSamplesFirst(placed(), "u", "last");
    expect([moved.rows, ...moved.shape]).toEqual([4, 4, 2, 3]);
    expect([...(await moved.read(1, 2))]).toEqual([1, 11, 21, 101, 111, 121]);
    expect([...(await moved.read(3, 4))]).toEqual([3, 13, 23, 103, 113, 123]);
  });

  it("have MATLAB's order where MATLAB saved them, and samples where it is said", async () => {
    const matlab = placed({ MATLAB_class: "double" });
    expect(() => withSamplesFirst(matlab, "the responses of u.mat")).toThrow(
      "the responses of u.mat were saved by MATLAB: 2 x 3 x 4 in the file, 4 x 3 x 2 in MATLAB. " +
        "Say which stored axis counts samples: --sample-axis first for 2 samples, --sample-axis last for 4",
    );
    const last = withSamplesFirst(matlab, "u", "last");
    expect(last.shape).toEqual([4, 3, 2]);
    expect([...(await last.read(1, 2))]).toEqual([1, 101, 11, 111, 21, 121]);
    const first = withSamplesFirst(matlab, "u", "first");
    expect(first.shape).toEqual([2, 4, 3]);
    expect([...(await first.read(1, 2))].slice(0, 4)).toEqual([100, 110, 120, 101]);
  });

  it("are said in words", () => {
    expect(sampleInWords([2, 64, 32], "first")).toBe("2 channels on 64 x 32");
    expect(sampleInWords([64, 32, 1], "last")).toBe("1 channel on 64 x 32");
    expect(sampleInWords([2, 64, 32])).toBe("2 x 64 x 32");
    expect([sampleInWords([100]), sampleInWords([])]).toEqual(["100 numbers", "one number"]);
  });
});

describe("names in a message", () => {
  it("end after ten, with their shapes", () => {
    const names = Array.from({ length: 600 }, (_, i) => ({ name: `/s${i}`, shape: [i + 1, 2] }));
    expect(nameList(names)).toMatch(/^\/s0 \(1 x 2\), .*, \/s9 \(10 x 2\), \.\.\. and 590 more$/);
    expect(nameList(["a", "b"])).toBe("a, b");
    expect(nameList([])).toBe("none");
  });
});
