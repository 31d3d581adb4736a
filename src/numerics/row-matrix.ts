import { DataError } from "../errors.js";
import { loadKernels } from "./kernels/load-kernels.js";
import { type Items, inlineThreads, type ThreadPool, type Threads } from "./kernels/threads.js";
import { basisBytes, RowSketches, sketchesBytes } from "./row-sketches.js";
import { LIMIT, paddedColumns, type RowStorage } from "./row-storage.js";
import { type ChooseRows, type RowSource, RowWindows } from "./row-windows.js";

const PAGE = 65536;
/**
 * The first bytes of the memory are kept free: 0 is never an address, and threads count their blocks there.
 */
const RESERVED = 64;

/** A place in the memory of a matrix, in bytes. */
export type Pointer = number;

/** Rows `from` to `to - 1`, in memory: row i lies at `base + i * stride * 4`, modulo 2^32 as kernels compute it. */
export interface RowSpan extends Items {
  readonly base: Pointer;
  /** A byte per row of the matrix, 0 for rows of the span that hold anything; 0 if all hold their numbers. */
  readonly chosen: Pointer;
}

/**
 * Rows of float32 numbers in one WebAssembly memory, where the kernels work on them. A row takes `stride`
 * numbers, `columns` of its own and zeros up to a multiple of 8. Behind the rows lies a stack of working
 * memory.
 *
 * A matrix with a source keeps its first rows only, as many as its storage allows; `pass` reads the others again.
 *
 * Typed arrays from `floats`, `doubles`, `ints` and `bytes` look into that memory and are good until the next
 * `allocate`.
 */
export class RowMatrix {
  readonly stride: number;
  readonly data: Pointer = RESERVED;
  private kept: number;
  private top: Pointer;
  private source?: RowSource;
  private windows?: RowWindows;
  /** Of a matrix that does not keep all rows. */
  private ownSketches?: RowSketches;

  constructor(
    readonly rows: number,
    readonly columns: number,
    private readonly storage: RowStorage,
    private readonly memory: WebAssembly.Memory,
    private readonly pool: ThreadPool,
  ) {
    this.stride = paddedColumns(columns);
    this.kept = storage.resident;
    this.top = this.rowAt(this.kept);
  }

  /** Number of rows that stay in memory: rows 0 to `resident - 1`. */
  get resident(): number {
    return this.kept;
  }

  /** Coordinates of sketches, if there are any. */
  get sketchCoordinates(): number {
    return this.storage.sketch;
  }

  /** Sketches of the rows, where reading rows again may be spared. */
  get sketches(): RowSketches | undefined {
    return this.ownSketches;
  }

  /** Row `i`, without its padding; one that is kept. */
  row(i: number): Float32Array {
    return this.floats(this.rowAt(i), this.columns);
  }

  floats(at: Pointer, length: number): Float32Array {
    return new Float32Array(this.memory.buffer, at, length);
  }

  doubles(at: Pointer, length: number): Float64Array {
    return new Float64Array(this.memory.buffer, at, length);
  }

  ints(at: Pointer, length: number): Int32Array {
    return new Int32Array(this.memory.buffer, at, length);
  }

  bytes(at: Pointer, length: number): Uint8Array {
    return new Uint8Array(this.memory.buffer, at, length);
  }

  /** Copies rows without padding to rows with padding, as numbers of 32 or 64 bits. */
  put(at: Pointer, bits: 32 | 64, values: Float32Array | Float64Array): void {
    const { columns, stride } = this;
    const count = values.length / columns;
    const target = bits === 32 ? this.floats(at, count * stride) : this.doubles(at, count * stride);
    if (columns === stride) target.set(values);
    else {
      for (let i = 0; i < count; i++) target.set(values.subarray(i * columns, (i + 1) * columns), i * stride);
    }
  }

  /** Zeroed working memory. */
  allocate(bytes: number): Pointer {
    const at = this.top;
    const top = at + Math.ceil(bytes / 64) * 64;
    if (top > LIMIT) throw tooMuchWork(this.rows, this.columns, top);
    const missing = top - this.memory.buffer.byteLength;
    if (missing > 0) grow(this.memory, Math.ceil(missing / PAGE), top);
    this.top = top;
    this.bytes(at, top - at).fill(0);
    return at;
  }

  /** Zeroed working memory of several sizes, for which room is made. */
  allocateAll(sizes: readonly number[]): Pointer[] {
    this.makeRoom(sizes);
    return sizes.map((size) => this.allocate(size));
  }

  /**
   * If working memory of these sizes exceeds the storage beside the rows, the matrix keeps fewer rows from now on; nothing
   * may be allocated then.
   */
  makeRoom(sizes: readonly number[]): void {
    const bytes = sizes.reduce((sum, size) => sum + Math.ceil(size / 64) * 64, 0);
    if (this.source && this.top + bytes > this.storage.limit && this.kept > 0)
      this.keepFewer(this.source, bytes);
  }

  /** Gives back everything that was allocated since `at`. */
  release(at: Pointer): void {
    this.top = at;
  }

  /** Names the source of the rows that are not kept. Those that are have been written before. */
  attach(source: RowSource): void {
    this.source = source;
    if (this.kept < this.rows) this.keep(source, this.kept);
  }

  /**
   * Works on all rows in rising order, span by span. Work that needs the numbers of some rows alone says which: `choose`
   * is asked for rows that are not kept, and others of them hold anything.
   */
  async pass(work: (span: RowSpan) => Promise<void>, choose?: ChooseRows): Promise<void> {
    if (this.windows) await this.windows.pass(work, choose);
    else await work({ base: this.data, from: 0, to: this.rows, chosen: 0 });
  }

  /** The address of a row: its own, or `place`, to which a row is copied that is not kept. */
  async locate(row: number, place: Pointer): Promise<Pointer> {
    if (row < this.kept) return this.rowAt(row);
    await this.windows!.copy(row, place);
    return place;
  }

  /**
   * Runs a kernel of assembly/ over items 0 to `items - 1`; the bits do not depend on `block` or on threads.
   */
  run(kernel: string, items: number, block: number, ...rest: readonly number[]): Promise<void> {
    return this.pool.run(kernel, { from: 0, to: items }, block, rest);
  }

  /** Runs a kernel over some of the items. */
  runOn(items: Items, kernel: string, block: number, ...rest: readonly number[]): Promise<void> {
    return this.pool.run(kernel, items, block, rest);
  }

  /** Ends the threads. The numbers stay readable. */
  close(): Promise<void> {
    return this.pool.close();
  }

  private rowAt(i: number): Pointer {
    return this.data + i * this.stride * 4;
  }

  private keepFewer(source: RowSource, bytes: number): void {
    const { rows, stride, storage } = this;
    const { window, sketch } = storage;
    const windows = RowWindows.bytes(rows, stride, window, source.bits);
    const sketches = sketchesBytes(rows, stride, sketch);
    const working = Math.max(bytes, basisBytes(rows, stride, sketch));
    const room = storage.limit - working - windows - sketches - this.data;
    this.keep(source, Math.max(0, Math.min(this.kept, Math.floor(room / (stride * 4)))));
  }

  private keep(source: RowSource, rows: number): void {
    this.kept = rows;
    this.top = this.rowAt(rows);
    this.windows = new RowWindows(this, source, this.storage.window);
    if (this.storage.sketch > 0) this.ownSketches = new RowSketches(this, this.storage.sketch);
  }
}

/** A matrix of zeros, all of whose rows are kept unless its storage says otherwise. */
export async function createRowMatrix(
  rows: number,
  columns: number,
  threads: Threads = inlineThreads,
  storage: RowStorage = { limit: LIMIT, resident: rows, window: 1, sketch: 0 },
): Promise<RowMatrix> {
  const bytes = RESERVED + storage.resident * paddedColumns(columns) * 4;
  if (bytes > LIMIT) throw tooLarge(rows, columns, bytes);
  const module = await loadKernels(threads.shared);
  const memory = threads.shared
    ? new WebAssembly.Memory({ initial: 1, maximum: PAGE, shared: true })
    : new WebAssembly.Memory({ initial: 1 });
  grow(memory, Math.ceil(bytes / PAGE), bytes);
  return new RowMatrix(rows, columns, storage, memory, await threads.start(module, memory));
}

function grow(memory: WebAssembly.Memory, pages: number, bytes: number): void {
  try {
    memory.grow(pages);
  } catch {
    throw new DataError(
      `this machine cannot allocate the ${gigabytes(bytes)} GB of memory that the data need`,
    );
  }
}

function tooLarge(rows: number, columns: number, bytes: number): DataError {
  return new DataError(
    `${rows} samples of ${columns} numbers need ${gigabytes(bytes)} GB in float32, of at most ` +
      `${gigabytes(LIMIT)} GB: take fewer samples or a coarser grid`,
  );
}

function tooMuchWork(rows: number, columns: number, bytes: number): DataError {
  return new DataError(
    `work on ${rows} samples of ${columns} numbers needs ${gigabytes(bytes)} GB of memory, of at most ` +
      `${gigabytes(LIMIT)} GB: take fewer bins, fewer samples or a coarser grid`,
  );
}

function gigabytes(bytes: number): string {
  return (bytes / 1e9).toFixed(1);
}
