import { WAVE } from "./binary.js";
import { moduleAtOnce } from "./load-kernels.js";

/** What `waveStep` of assembly/wave.ts works on; a grid has two cells of margin on every side. */
export interface WaveArrays {
  /** Pressure at two successive times, margins included. */
  readonly fields: readonly [Float64Array, Float64Array];
  /** (c dt / dx)^2 by row. */
  readonly courants: Float64Array;
  /** What damping leaves of dp/dt, by row and by column; the smaller of the two is taken. */
  readonly rowKeeps: Float64Array;
  readonly columnKeeps: Float64Array;
}

/** The part of a grid that a step advances; column numbers are even. */
export interface WaveWindow {
  readonly firstRow: number;
  readonly endRow: number;
  readonly firstColumn: number;
  readonly endColumn: number;
}

export interface WaveKernel extends WaveArrays {
  /** Entry of row 0, column 0 in a field, and entries from one row to the next. */
  readonly origin: number;
  readonly stride: number;
  /** Overwrites the field before `fields[now]` by the one after it. */
  step(now: 0 | 1, window: WaveWindow): void;
}

export interface WaveGrid {
  readonly rows: number;
  /** An even number: columns are worked on in pairs. */
  readonly columns: number;
  /** Whether the field is symmetric about column 0. */
  readonly mirror: boolean;
}

const MARGIN = 2;
const PAGE = 65536;

/** The kernel with a memory of its own, made at once: the module is small enough for that in a page, too. */
export function waveKernel({ rows, columns, mirror }: WaveGrid): WaveKernel {
  if (columns % 2 !== 0) throw new RangeError(`${columns} columns are not an even number`);
  const stride = columns + 2 * MARGIN;
  const cells = (rows + 2 * MARGIN) * stride;
  const memory = new WebAssembly.Memory({
    initial: Math.ceil((8 * (2 * cells + 2 * rows + columns)) / PAGE) + 1,
  });
  const { waveStep } = new WebAssembly.Instance(moduleAtOnce(WAVE), { env: { memory } }).exports as {
    waveStep: (...pointersAndSizes: number[]) => void;
  };
  let used = PAGE / 2; // leaves address 0 and the stub runtime's few bytes alone
  const take = (length: number): Float64Array => {
    const array = new Float64Array(memory.buffer, used, length);
    used += 8 * length;
    return array;
  };
  const fields = [take(cells), take(cells)] as const;
  const columnKeeps = take(columns);
  const courants = take(rows);
  const rowKeeps = take(rows);
  const origin = MARGIN * stride + MARGIN;
  const addresses = fields.map((field) => field.byteOffset + 8 * origin);
  const rest = [courants.byteOffset, rowKeeps.byteOffset, columnKeeps.byteOffset, Number(mirror)];
  return {
    fields,
    courants,
    rowKeeps,
    columnKeeps,
    origin,
    stride,
    step(now, { firstRow, endRow, firstColumn, endColumn }) {
      const [p, q] = [addresses[now], addresses[1 - now]];
      waveStep(p, q, 8 * stride, firstRow, endRow, firstColumn, endColumn, ...rest);
    },
  };
}
