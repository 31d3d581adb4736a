import { type FetchedElementText, forEach, indented } from "./element-text.js";
import type { KernelBody, Multiprocessors } from "./kernel-body.js";
import type { Product } from "./products.js";
import { every, LONGEST_SUM, leaving, type Passes, passesOver, TILE, vectorLength } from "./tensor-cores.js";

/** How a product with many rows is divided. */
export interface TallTiling {
  /** Warps of a block; each computes a strip of 16 rows at a time. */
  readonly warps: number;
  /** Blocks that share the strips of a matrix. */
  readonly blocks: number;
  /** Blocks that a multiprocessor has room for. */
  readonly resident: number;
  /** Equal parts into which the columns are divided. */
  readonly across: number;
}

const MOST_COLUMNS = 128;
/** Steps of 8 along the inner axis whose numbers of the left factor a warp has in registers. */
const MOST_STEPS = 16;
/** With fewer strips for each multiprocessor there is too little to gain. */
const FEWEST_STRIPS = 8;
/** Share of a multiprocessor's shared memory for several blocks: what is left is cache, through which A comes. */
const MOST_SHARED = 0.6;
/** Warps that keep a multiprocessor busy. */
const ENOUGH_WARPS = 16;
/** Columns, in tiles, whose products are computed in turn, so that none waits for the one before. */
const IN_TURN = 4;
/** Registers for what epilogues read; with many results there are few left. */
const fetched = (tiles: number): number => (tiles > 8 ? 16 : 32);
const REGISTERS = 2 ** 16;

/**
 * The division of a product C = A B with many rows and a small B, or undefined if it has too few rows or B is too
 * large. Strips of rows and blocks are counted in whole numbers: that with the least time lost at the end is taken.
 */
export function tallTiling(product: Product, gpu: Multiprocessors, reads = 0): TallTiling | undefined {
  const { rows, columns, inner, batch } = product;
  const strips = Math.ceil(rows / TILE.rows) * (isShared(product) ? batch : 1);
  const across = Math.ceil(columns / MOST_COLUMNS);
  const matrices = (isShared(product) ? 1 : batch) * across;
  if (inner > LONGEST_SUM || strips < 2 * FEWEST_STRIPS) return undefined;
  if (strips * matrices < FEWEST_STRIPS * gpu.processors) return undefined;
  const { tiles, segment, factor, stage } = sizesOf(product, across);
  // As compilers turn out to need them.
  const registers = 40 + 6 * tiles + 3.6 * segment + (reads > 0 ? fetched(tiles) : 0);
  const held = Math.floor(REGISTERS / 32 / registers);
  const fitting = [3, 2, 1].flatMap((resident) => {
    const most = Math.min(resident === 1 ? 12 : 8, Math.floor(held / resident));
    const room = resident === 1 ? gpu.blockShared : MOST_SHARED * gpu.shared;
    const found = Array.from({ length: Math.max(0, most - 3) }, (_, i) => i + 4).filter(
      (warps) => (factor + stage * warps + 1024) * resident <= room,
    );
    return found.flatMap((warps) =>
      [1, 2, 3].map((waves) => {
        const blocks = Math.max(1, Math.floor((waves * resident * gpu.processors) / matrices));
        const turns = Math.ceil(strips / (blocks * warps));
        const rounds = Math.ceil((blocks * matrices) / (resident * gpu.processors));
        // A block loads B before its first strip, which takes about as long as half a strip.
        const busy = Math.max(ENOUGH_WARPS, warps * resident);
        return { warps, blocks, resident, across, time: rounds * (turns + 0.5) * busy };
      }),
    );
  });
  if (fitting.length === 0) return undefined;
  const { time, ...best } = fitting.reduce((a, b) => (b.time < a.time ? b : a));
  return best;
}

/**
 * C = A B with many rows and a small B. B lies in shared memory, its numbers divided into high and low parts once;
 * warps read strips of A straight into registers and need not wait for each other. Results go through shared memory so
 * that threads side by side store numbers side by side, unless `byColumns`: then the factors are given in the other
 * order, and the numbers of a column lie so.
 */
export function tallKernel(
  product: Product,
  { warps, blocks, resident, across }: TallTiling,
  elements: FetchedElementText,
  byColumns: boolean,
  passes: Passes,
): KernelBody {
  const { rows, columns, inner, batch, a, b } = product;
  const { steps, segment, tiles, width, pairs, factor, stageWidth, stage } = sizesOf(product, across);
  const threads = 32 * warps;
  const shared = isShared(product);
  const strips = Math.ceil(rows / TILE.rows);
  const isWhole = { rows: rows % TILE.rows === 0, columns: columns % (tiles * TILE.columns) === 0 };
  const rowsLeft = isWhole.rows ? undefined : `row < ${rows}u`;
  const columnsLeft = isWhole.columns ? undefined : `column < ${columns}u`;
  // Equal segments may have more steps than the inner axis.
  const innerLeft = (k: string) => (inner === steps * TILE.inner ? undefined : `${k} < ${inner}u`);
  const right = (k: string) => {
    const place = b.transposed ? `column * ${b.rowStride}u + ${k}` : `(${k}) * ${b.rowStride}u + column`;
    return `(${every(innerLeft(k), columnsLeft)} ? right[${place}] : 0.f)`;
  };
  const cell = b.transposed
    ? `pair = place % ${pairs}u, at = place / ${pairs}u`
    : `pair = place / ${tiles * TILE.columns}u, at = place % ${tiles * TILE.columns}u`;
  const left = (k: string) =>
    a.transposed
      ? `left[(size_t)(${k}) * ${a.rowStride}u + row]`
      : `left[(size_t)row * ${a.rowStride}u + ${k}]`;
  const inPairs = !a.transposed && vectorLength(a.offset, a.rowStride, a.batchStride, inner) > 1;
  const read = inPairs
    ? `const float2 both = ${every(rowsLeft, innerLeft("k"))} ? *(const float2*)&${left("k")} : make_float2(0.f, 0.f);
        x[s][half] = both.x;
        x[s][half + 2u] = both.y;`
    : `x[s][half] = ${every(rowsLeft, innerLeft("k"))} ? ${left("k")} : 0.f;
        x[s][half + 2u] = ${every(rowsLeft, innerLeft("k + 1u"))} ? ${left("k + 1u")} : 0.f;`;
  const multiply = passesOver(passes)
    .map(([ofLeft, ofRight]) => {
      const [p, q] = ofRight === "high" ? ["x", "y"] : ["z", "w"];
      return `#pragma unroll
        for (unsigned m = 0; m < ${IN_TURN}u; m++)
          if (j + m < ${tiles}u) multiply_add(total[j + m], ${ofLeft}, __float_as_uint(y[m].${p}), __float_as_uint(y[m].${q}));`;
    })
    .join("\n");
  const store = storeText(elements, { rows, columns, tiles, stageWidth, isWhole, byColumns });
  const text = `extern __shared__ float4 factor[];
const unsigned lane = threadIdx.x % 32u, warp = threadIdx.x / 32u, group = lane / 4u, member = lane % 4u;
const unsigned start = blockIdx.z * ${tiles * TILE.columns}u;
${byColumns ? "" : `float* stage = (float*)(factor + ${factor / 16}u) + warp * ${stage / 4}u;\n`}{
  const float* right = ${byColumns ? "a" : "b"} + (size_t)blockIdx.y * ${b.batchStride}u;
  for (unsigned place = threadIdx.x; place < ${pairs * tiles * TILE.columns}u; place += ${threads}u) {
    const unsigned ${cell}, column = start + at;
    factor[pair * ${width}u + at] = divided<${passes}>(${right("2u * pair")}, ${right("2u * pair + 1u")});
  }
}
__syncthreads();
for (unsigned strip = blockIdx.x * ${warps}u + warp; strip < ${shared ? strips * batch : strips}u; strip += ${blocks * warps}u) {
  const unsigned n = ${shared ? `strip / ${strips}u` : "blockIdx.y"}, first = ${shared ? `strip % ${strips}u` : "strip"} * ${TILE.rows}u;
  const float* left = ${byColumns ? "b" : "a"} + (size_t)n * ${a.batchStride}u;
  ${store.before}
  float total[${tiles}][4] = {};
${segment === steps ? "  {\n    const unsigned from = 0;" : `#pragma unroll 1\n  for (unsigned from = 0; from < ${steps}u; from += ${segment}u) {`}
    float x[${segment}][4];
#pragma unroll
    for (unsigned s = 0; s < ${segment}u; s++)
#pragma unroll
      for (unsigned half = 0; half < 2u; half++) {
        const unsigned k = 8u * (from + s) + 2u * member, row = first + 8u * half + group;
        ${read}
      }
#pragma unroll
    for (unsigned s = 0; s < ${segment}u; s++) {
      unsigned high[4], low[4];
#pragma unroll
      for (unsigned e = 0; e < 4u; e++) divide<${passes}>(x[s][e], high[e], low[e]);
#pragma unroll
      for (unsigned j = 0; j < ${tiles}u; j += ${IN_TURN}u) {
        float4 y[${IN_TURN}];
#pragma unroll
        for (unsigned m = 0; m < ${IN_TURN}u; m++)
          if (j + m < ${tiles}u) y[m] = factor[(4u * (from + s) + member) * ${width}u + 8u * (j + m) + group];
${multiply}
      }
    }
  }
  ${store.after}
}
`;
  return {
    text,
    blocks: [blocks, shared ? 1 : batch, across],
    threads,
    resident,
    sharedBytes: factor + (byColumns ? 0 : stage * warps),
  };
}

/** What `storeText` is told of a strip of results. */
interface Strip {
  readonly rows: number;
  readonly columns: number;
  readonly tiles: number;
  readonly stageWidth: number;
  readonly isWhole: { readonly rows: boolean; readonly columns: boolean };
  readonly byColumns: boolean;
}

/** Elements that a thread treats at a time: what is read for them, and for the next ones, is in registers. */
function elementsAtOnce(reads: number, tiles: number, byColumns: boolean): number {
  if (reads === 0) return byColumns ? 16 : 8;
  return Math.max(2, 2 ** Math.floor(Math.log2(fetched(tiles) / 2 / reads)));
}

/**
 * What becomes of a strip's results. All that the first of them need is fetched before the strip is computed, and what
 * the next ones need before the present ones are stored.
 */
function storeText(elements: FetchedElementText, strip: Strip): { before: string; after: string } {
  const { rows, columns, tiles, stageWidth, isWhole, byColumns } = strip;
  const [row, column] = byColumns ? ["column", "row"] : ["row", "column"];
  const count = elementsAtOnce(elements.reads, tiles, byColumns);
  // By columns, those of a thread; otherwise those of half a strip.
  const all = byColumns ? 4 * tiles : (TILE.rows / 2) * TILE.columns * tiles;
  const step = byColumns ? count : 32 * count;
  const wide = TILE.columns * tiles;
  const place = byColumns
    ? `const unsigned at = begin + part, e = at % 4u;
const unsigned ${row} = first + group + e / 2u * 8u, ${column} = start + at / 4u * 8u + 2u * member + e % 2u;
`
    : `const unsigned at = begin + 32u * part, down = at / ${wide}u, beside = at % ${wide}u;
const unsigned ${row} = first + 8u * half + down, ${column} = start + beside;
`;
  const value = byColumns ? "total[at / 4u][e]" : `stage[down * ${stageWidth}u + beside]`;
  const condition = every(
    all % step === 0 ? undefined : `at < ${all}u`,
    isWhole.rows ? undefined : `${row} < ${rows}u`,
    isWhole.columns ? undefined : `${column} < ${columns}u`,
  );
  const each = (body: string) => forEach(count, body, { place, condition });
  const isFetched = elements.reads > 0;
  const taken = forEach(count, elements.take);
  const next = byColumns
    ? `if (begin + ${step}u < ${all}u) fetch(begin + ${step}u, 0u);\n`
    : `if (begin + ${step}u < ${all}u) fetch(begin + ${step}u, half);\nelse if (half == 0u) fetch(lane, 1u);\n`;
  const treated =
    (isFetched ? taken + next : "") +
    elements.declare(count) +
    each(`const float value = ${value};\n${isFetched ? elements.computeFetched : elements.compute}`) +
    each(elements.store);
  const before = isFetched
    ? `${elements.declareReads(count)}auto fetch = [&](unsigned begin, unsigned half) {
${indented(each(elements.fetch))}};
fetch(${byColumns ? "0u" : "lane"}, 0u);
`
    : "";
  const after = byColumns
    ? `#pragma unroll
for (unsigned begin = 0; begin < ${all}u; begin += ${step}u) {
${indented(treated)}}
`
    : `#pragma unroll
for (unsigned half = 0; half < 2u; half++) {
  __syncwarp();
#pragma unroll
  for (unsigned j = 0; j < ${tiles}u; j++)
    *(float2*)(stage + group * ${stageWidth}u + 8u * j + 2u * member) = make_float2(total[j][2u * half], total[j][2u * half + 1u]);
  __syncwarp();
#pragma unroll 1
  for (unsigned begin = lane; begin < ${all}u; begin += ${step}u) {
${indented(indented(treated))}  }
}
`;
  return { before, after };
}

/** Whether all matrices of the batch have the same right factor. */
const isShared = ({ b, batch }: Product): boolean => b.batchStride === 0 || batch === 1;

function sizesOf({ columns, inner }: Product, across: number) {
  const wanted = Math.ceil(inner / TILE.inner);
  const segments = Math.ceil(wanted / MOST_STEPS);
  const segment = Math.ceil(wanted / segments);
  const steps = segment * segments;
  const tiles = Math.ceil(Math.ceil(columns / TILE.columns) / across);
  /** Pairs of B's rows, with its columns and two more, so that no two threads read from the same bank. */
  const pairs = (TILE.inner / 2) * steps;
  const width = leaving(2, 8, tiles * TILE.columns);
  const stageWidth = leaving(8, 16, tiles * TILE.columns);
  /** Bytes of B, and of half a strip of results. */
  const factor = 16 * pairs * width;
  const stage = 4 * (TILE.rows / 2) * stageWidth;
  return { steps, segment, tiles, pairs, width, stageWidth, factor, stage };
}
