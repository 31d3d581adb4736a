import { DataError } from "../errors.js";
import { loadKernels } from "./kernels/load-kernels.js";
import { inlineThreads, type ThreadPool, type Threads } from "./kernels/threads.js";

/** Most bytes of one matrix with all that is computed from it: a WebAssembly memory ends at 4 GiB. */
const LIMIT = 3.9e9;
const PAGE = 65536;
/**
 * The first bytes of the memory are kept free: 0 is never an address, and threads count their blocks there.
 */
const RESERVED = 64;

/** A place in the memory of a matrix, in bytes. */
export type Pointer = number;

/**
 * Rows of float32 numbers in one WebAssembly memory, where the kernels work on them. A row takes `stride`
 * numbers, `columns` of its own and zeros up to a multiple of 8. Behind the rows lies a stack of working
 * memory.
 *
 * Typed arrays from `floats`, `doubles` and `ints` look into that memory and are good until the next
 * `allocate`.
 */
export class RowMatrix {
  readonly stride: number;
  readonly data: Pointer = RESERVED;
  private top: Pointer;

  constructor(
    readonly rows: number,
    readonly columns: number,
    private readonly memory: WebAssembly.Memory,
    private readonly pool: ThreadPool,
  ) {
    this.stride = paddedColumns(columns);
    this.top = RESERVED + rows * this.stride * 4;
  }

  /** Row `i`, without its padding. */
  row(i: number): Float32Array {
    return this.floats(this.data + i * this.stride * 4, this.columns);
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

  /** Zeroed working memory. */
  allocate(bytes: number): Pointer {
    const at = this.top;
    const top = at + Math.ceil(bytes / 64) * 64;
    if (top > LIMIT) throw tooLarge(this.rows, this.columns, top);
    const missing = top - this.memory.buffer.byteLength;
    if (missing > 0) grow(this.memory, Math.ceil(missing / PAGE), top);
    this.top = top;
    new Uint8Array(this.memory.buffer, at, top - at).fill(0);
    return at;
  }

  /** Gives back everything that was allocated since `at`. */
  release(at: Pointer): void {
    this.top = at;
  }

  /**
   * Runs a kernel of assembly/ over items 0 to `items - 1`; the bits do not depend on `block` or on threads.
   */
  run(kernel: string, items: number, block: number, ...rest: readonly number[]): Promise<void> {
    return this.pool.run(kernel, items, block, rest);
  }

  /** Ends the threads. The numbers stay readable. */
  close(): Promise<void> {
    return this.pool.close();
  }
}

/** A matrix of zeros. */
export async function createRowMatrix(
  rows: number,
  columns: number,
  threads: Threads = inlineThreads,
): Promise<RowMatrix> {
  const bytes = RESERVED + rows * paddedColumns(columns) * 4;
  if (bytes > LIMIT) throw tooLarge(rows, columns, bytes);
  const module = await loadKernels(threads.shared);
  const memory = threads.shared
    ? new WebAssembly.Memory({ initial: 1, maximum: PAGE, shared: true })
    : new WebAssembly.Memory({ initial: 1 });
  grow(memory, Math.ceil(bytes / PAGE), bytes);
  return new RowMatrix(rows, columns, memory, await threads.start(module, memory));
}

/** Columns with padding: a whole number of the kernels' steps. */
export function paddedColumns(columns: number): number {
  return Math.ceil(columns / 8) * 8;
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

function gigabytes(bytes: number): string {
  return (bytes / 1e9).toFixed(1);
}
