import { type Fields, fieldSize, positionOf } from "../datasets/fields.js";
import { DataError } from "../errors.js";

/** Bytes of float64 rows that are read at a time. The blocks do not depend on the memory. */
const BLOCK_BYTES = 2 ** 24;
/** Bytes of rows that are kept once they are made: what was read from a large file need not be read again. */
const KEPT_BYTES = 2 ** 26;

/** Rows of fields, block by block in their order, as float64. */
export async function* blocksOf(
  fields: Fields,
  { what = "responses", from = 0, to = fields.samples }: BlockOptions = {},
): AsyncGenerator<{ readonly start: number; readonly count: number; readonly values: Float64Array }> {
  const size = fieldSize(fields);
  const step = Math.max(1, Math.floor(BLOCK_BYTES / (8 * size)));
  for (let start = from; start < to; start += step) {
    const end = Math.min(start + step, to);
    const read = await fields.read(start, end);
    const values = read instanceof Float64Array ? read : Float64Array.from(read);
    const at = values.findIndex((value) => !Number.isFinite(value));
    if (at >= 0) {
      const position = positionOf(fields, at % size).join(", ");
      throw new DataError(
        `${fields.name ?? what} must be finite, but there is ${values[at]} in sample ${start + Math.floor(at / size)}` +
          (fields.shape.length === 0 ? "" : `, position [${position}]`),
      );
    }
    yield { start, count: end - start, values };
  }
}

interface BlockOptions {
  /** What the numbers are, for messages. */
  readonly what?: string;
  readonly from?: number;
  readonly to?: number;
}

/**
 * Fields whose rows are made of other fields' rows as they are read. Rows that take little memory are kept, in the order in
 * which they are first asked for.
 *
 * @param row writes the row of one sample
 */
export function mappedFields(
  source: Fields,
  shape: readonly number[],
  row: (values: Float64Array, result: Float64Array) => void,
  what?: string,
): Fields {
  const [from, to] = [fieldSize(source), fieldSize({ shape })];
  const { samples } = source;
  const kept = samples * to * 8 <= KEPT_BYTES ? new Float64Array(samples * to) : undefined;
  let known = 0; // rows 0 to known - 1 are kept
  const made = async (start: number, end: number) => {
    const result = new Float64Array((end - start) * to);
    for await (const block of blocksOf(source, { what, from: start, to: end }))
      for (let i = 0; i < block.count; i++) {
        const at = (block.start - start + i) * to;
        row(block.values.subarray(i * from, (i + 1) * from), result.subarray(at, at + to));
      }
    return result;
  };
  return {
    samples,
    shape,
    dtype: "float64",
    read: async (start, end) => {
      if (kept && end <= known) return kept.slice(start * to, end * to);
      const rows = await made(start, end);
      if (kept && start <= known && end > known) {
        kept.set(rows, start * to);
        known = end;
      }
      return rows;
    },
  };
}
