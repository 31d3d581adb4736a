import type { Items } from "./kernels/threads.js";
import { readAhead } from "./read-ahead.js";
import type { Pointer, RowMatrix, RowSpan } from "./row-matrix.js";

/** Bytes that are read at a time. */
const READ_BYTES = 2 ** 24;
/** Bytes between two rows up to which one read of both is faster than two. */
const GAP_BYTES = 2 ** 17;
/** Rows that a thread normalises at a time. */
const BLOCK = 4;

/** Rows of which a matrix is made, and how they are normalised. */
export interface RowSource {
  /** Of the numbers that are read. */
  readonly bits: 32 | 64;
  /** Rows `start` to `end - 1`, one after another. */
  read(start: number, end: number): Promise<Float32Array | Float64Array>;
  /** A row becomes (row - mean) / scale. */
  readonly mean: Float64Array;
  readonly scale: number;
}

/** Writes which rows are needed, a byte 0 or 1 for each of `items`, at `chosen` plus the index of the row. */
export type ChooseRows = (chosen: Pointer, items: Items) => Promise<void> | void;

/**
 * Two windows in the memory of a matrix, through which rows pass that it does not keep. While the kernels work on one
 * window, the other is being filled.
 */
export class RowWindows {
  /** Where rows are normalised, and where they are read to: the same place for float32. */
  private readonly windows: readonly Pointer[];
  private readonly raw: readonly Pointer[];
  private readonly mean: Pointer;
  /** A byte per row of the matrix. */
  private readonly chosen: Pointer;

  /** @param length rows of a window */
  constructor(
    private readonly matrix: RowMatrix,
    private readonly source: RowSource,
    private readonly length: number,
  ) {
    const { rows, stride } = matrix;
    this.mean = matrix.allocate(stride * 8);
    matrix.doubles(this.mean, stride).set(source.mean);
    this.chosen = matrix.allocate(rows);
    this.windows = [0, 1].map(() => matrix.allocate(length * stride * 4));
    this.raw =
      source.bits === 32 ? this.windows : this.windows.map(() => matrix.allocate(length * stride * 8));
  }

  /** Bytes that windows take. */
  static bytes(rows: number, stride: number, length: number, bits: 32 | 64): number {
    return stride * 8 + rows + 2 * length * stride * (bits === 32 ? 4 : 12) + 6 * 64;
  }

  /**
   * Works on the rows that are kept, then on the others, window by window. Where rows are chosen, the others of a window
   * hold anything.
   */
  async pass(work: (span: RowSpan) => Promise<void>, choose?: ChooseRows): Promise<void> {
    const { matrix, length, chosen } = this;
    const { rows, resident } = matrix;
    if (choose) await choose(chosen, { from: resident, to: rows });
    const spans = [{ from: 0, to: resident, window: -1 }];
    for (let from = resident; from < rows; from += length)
      spans.push({ from, to: Math.min(from + length, rows), window: spans.length % 2 });
    const ahead = readAhead(spans, ({ from, to, window }) =>
      window < 0 ? Promise.resolve(false) : this.fill(window, { from, to }, choose !== undefined),
    );
    for await (const [{ from, to, window }, isFilled] of ahead) {
      if (from === to) continue;
      if (isFilled) await this.normalise(window, { from, to }, choose ? chosen : 0);
      const base = window < 0 ? matrix.data : this.windows[window] - from * matrix.stride * 4;
      await work({ base, from, to, chosen: window >= 0 && choose ? chosen : 0 });
    }
  }

  /** Copies one row to a place of its own. */
  async copy(row: number, place: Pointer): Promise<void> {
    const { matrix } = this;
    await this.fill(0, { from: row, to: row + 1 }, false);
    await this.normalise(0, { from: row, to: row + 1 }, 0);
    matrix.floats(place, matrix.stride).set(matrix.floats(this.windows[0], matrix.stride));
  }

  /** Reads rows into a window, all or the chosen ones; says whether there were any. */
  private async fill(window: number, { from, to }: Items, onlyChosen: boolean): Promise<boolean> {
    const { matrix, source } = this;
    const { columns, stride } = matrix;
    const rowBytes = (columns * source.bits) / 8;
    const most = Math.max(1, Math.floor(READ_BYTES / rowBytes));
    let isFilled = false;
    for (let start = from; start < to; ) {
      const [first, last] = onlyChosen
        ? this.nextChosen({ from: start, to }, most, GAP_BYTES / rowBytes)
        : [start, Math.min(start + most, to)];
      if (first === last) break;
      isFilled = true;
      const at = this.raw[window] + ((first - from) * stride * source.bits) / 8;
      matrix.put(at, source.bits, await source.read(first, last));
      start = last;
    }
    return isFilled;
  }

  /** The next rows to read at once: chosen ones with small gaps between them, at most `most`; empty at the end. */
  private nextChosen({ from, to }: Items, most: number, gap: number): readonly [number, number] {
    const chosen = this.matrix.bytes(this.chosen + from, to - from);
    const first = chosen.indexOf(1);
    if (first < 0) return [to, to];
    const limit = Math.min(first + most, to - from);
    let last = first + 1;
    for (let i = last; i < limit && i - last <= gap; i++) if (chosen[i] === 1) last = i + 1;
    return [from + first, from + last];
  }

  private normalise(window: number, rows: Items, chosen: Pointer): Promise<void> {
    const { matrix, source, mean } = this;
    const { stride } = matrix;
    const raw = this.raw[window] - (rows.from * stride * source.bits) / 8;
    const out = this.windows[window] - rows.from * stride * 4;
    const rest = [raw, stride, mean, source.scale, out, chosen];
    return matrix.runOn(rows, `normalise${source.bits}`, BLOCK, ...rest);
  }
}
