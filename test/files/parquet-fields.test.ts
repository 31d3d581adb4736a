import { parquetReadObjects } from "hyparquet";
import { describe, expect, it } from "vitest";
import { fixedShapeParquet } from "../../src/files/parquet-fields.js";

const counted = (length: number) => Float32Array.from({ length }, (_, i) => i / 8);

/** Flat values as nested arrays, by recursion. */
function nested(values: readonly number[], shape: readonly number[]): unknown {
  if (shape.length === 0) return values[0];
  const size = values.length / shape[0];
  return Array.from({ length: shape[0] }, (_, i) =>
    nested(values.slice(i * size, (i + 1) * size), shape.slice(1)),
  );
}

async function readBack(bytes: Uint8Array) {
  return parquetReadObjects({ file: bytes.slice().buffer });
}

describe("Parquet of columns of fixed shape", () => {
  it.each([[[]], [[1]], [[5]], [[2, 3]], [[3, 1]], [[1, 1, 1]], [[2, 3, 4]], [[2, 2, 3, 2]], [[300, 2]]])(
    "is read back as nested lists of shape %j",
    async (shape) => {
      const size = shape.reduce((a, b) => a * b, 1);
      const values = counted(4 * size);
      const ids = BigInt64Array.of(7n, 0n, -1n, 2n ** 40n);
      const rows = await readBack(
        fixedShapeParquet(
          [
            { name: "id", shape: [], values: ids },
            { name: "field", shape, values },
          ],
          4,
        ),
      );
      expect(rows).toEqual(
        [...ids].map((id, row) => ({
          id,
          field: nested([...values.slice(row * size, (row + 1) * size)], shape),
        })),
      );
    },
  );

  it("spreads a column over several pages and keeps doubles exactly", async () => {
    const values = Float64Array.from({ length: 2 * 700_000 }, (_, i) => Math.sin(i));
    const rows = await readBack(fixedShapeParquet([{ name: "u", shape: [700, 1000], values }], 2));
    expect(rows.flatMap(({ u }) => u.flat())).toEqual([...values]);
  });

  it("takes no rows, and refuses values of another number", async () => {
    expect(await readBack(fixedShapeParquet([{ name: "u", shape: [2], values: counted(0) }], 0))).toEqual([]);
    expect(() => fixedShapeParquet([{ name: "u", shape: [2], values: counted(3) }], 2)).toThrow(
      /u: 2 rows of 2 numbers are not 3/,
    );
  });
});
