import { type FetchedElementText, forEach, indented, type ReadText } from "./element-text.js";
import type { KernelBody, Multiprocessors } from "./kernel-body.js";
import { type AddedProduct, type AddedSizes, matrixText, type Product } from "./products.js";
import { isStreamed, leftText } from "./tall-left.js";
import { every, LONGEST_SUM, leaving, type Passes, passesOver, TILE, vectorLength } from "./tensor-cores.js";

/** How a product with many rows is divided. */
export interface TallTiling {
  /** Warps of a block; each computes a strip of rows at a time. */
  readonly warps: number;
  /** Blocks that share the strips of a matrix. */
  readonly blocks: number;
  /** Blocks that a multiprocessor has room for. */
  readonly resident: number;
  /** Equal parts into which the columns are divided. */
  readonly across: number;
}

/** A product with many rows, and what becomes of its elements. */
export interface TallProduct {
  readonly product: Product;
  /** Whether the factors are given in the other order: elements of a column are then neighbours, not those of a row. */
  readonly byColumns: boolean;
  /** Numbers that are read for each element. */
  readonly reads: number;
  /** Of a product that is added; the factors must be given in the other order then. */
  readonly added?: AddedSizes;
}

const MOST_COLUMNS = 128;
/** Numbers of the left factor, in steps of 8 along the inner axis, that a thread has in registers for its rows. */
const MOST_STEPS = 16;
/** Columns, in tiles, up to which a warp computes twice as many rows with them. */
const FEW_TILES = 8;
/** With fewer tiles of rows for each multiprocessor there is too little to gain. */
const FEWEST_STRIPS = 8;
/** Share of a multiprocessor's shared memory for several blocks: what is left is cache, through which A comes. */
const MOST_SHARED = 0.75;
/** Warps that keep a multiprocessor busy. */
const ENOUGH_WARPS = 16;
/** Columns, in tiles, whose products are computed in turn, so that none waits for the one before. */
const IN_TURN = 4;
/** Elements that a thread may treat at a time. */
const AT_ONCE = [8, 7, 9, 10, 11, 12, 13] as const;
const REGISTERS = 2 ** 16;

/**
 * The division of a product C = A B with many rows and a small B, or undefined if it has too few rows or B is too
 * large. Strips of rows and blocks are counted in whole numbers: that with the least time lost at the end is taken.
 */
export function tallTiling(tall: TallProduct, gpu: Multiprocessors): TallTiling | undefined {
  const { product } = tall;
  const { rows, columns, inner, batch } = product;
  const across = Math.ceil(columns / mostColumns(tall));
  const matrices = (isShared(product) ? 1 : batch) * across;
  const tileRows = Math.ceil(rows / TILE.rows) * (isShared(product) ? batch : 1);
  if (inner > LONGEST_SUM || tileRows < 2 * FEWEST_STRIPS || !isStreamed(product, isShared(product)))
    return undefined;
  if (tileRows * matrices < FEWEST_STRIPS * gpu.processors) return undefined;
  const { tiles, high, segment, factor, stage, room } = sizesOf(tall, across);
  if (tall.added && !canAdd(tall.added, high * TILE.rows)) return undefined;
  const strips = Math.ceil(rows / (high * TILE.rows)) * (isShared(product) ? batch : 1);
  // As compilers turn out to need them.
  const registers =
    40 + (2 + 4 * high) * tiles + 3.6 * high * segment + (product.a.patches ? 4 * high + 2 : 0);
  const held = Math.floor(REGISTERS / 32 / registers);
  const fitting = [3, 2, 1].flatMap((resident) => {
    const most = Math.min(resident === 1 ? 12 : 8, Math.floor(held / resident));
    const available = resident === 1 ? gpu.blockShared : MOST_SHARED * gpu.shared;
    const found = Array.from({ length: Math.max(0, most - 3) }, (_, i) => i + 4).filter((warps) => {
      const bytes = factor + (stage + room) * warps;
      // Four warps at a time get their registers.
      const counted = product.a.patches ? 4 * Math.ceil(warps / 4) : warps;
      return counted * resident <= held && bytes <= gpu.blockShared && (bytes + 1024) * resident <= available;
    });
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
 * warps read strips of A straight into registers and need not wait for each other. All that is read for a strip's
 * elements is on its way to shared memory meanwhile. Results go through shared memory so that threads side by side
 * store numbers side by side.
 */
export function tallKernel(
  tall: TallProduct,
  { warps, blocks, resident, across }: TallTiling,
  elements: FetchedElementText,
  passes: Passes,
): KernelBody {
  const { product, byColumns } = tall;
  const { rows, columns, inner, batch, b } = product;
  const sizes = sizesOf(tall, across);
  const { steps, segment, tiles, high, width, pairs, factor, table, stage, room } = sizes;
  const threads = 32 * warps;
  const shared = isShared(product);
  const tallness = high * TILE.rows;
  const strips = Math.ceil(rows / tallness);
  const rowsLeft = rows % tallness === 0 ? undefined : `row < ${rows}u`;
  const columnsLeft = columns % (tiles * TILE.columns) === 0 ? undefined : `column < ${columns}u`;
  // Equal segments may have more steps than the inner axis.
  const innerLeft = (k: string) => (inner === steps * TILE.inner ? undefined : `${k} < ${inner}u`);
  const right = (k: string) => {
    const place = b.transposed ? `column * ${b.rowStride}u + ${k}` : `(${k}) * ${b.rowStride}u + column`;
    return `(${every(innerLeft(k), columnsLeft)} ? right[${place}] : 0.f)`;
  };
  const cell = b.transposed
    ? `pair = place % ${pairs}u, at = place / ${pairs}u`
    : `pair = place / ${tiles * TILE.columns}u, at = place % ${tiles * TILE.columns}u`;
  const left = leftText(product, {
    high,
    steps,
    threads,
    table: (factor - table) / 16,
    from: byColumns ? "b" : "a",
    rowsLeft,
    innerLeft,
  });
  const store = storeText(elements, tall, sizes);
  const added = product.added && addedText(product, product.added, sizes, passes);
  const text = `extern __shared__ float4 factor[];
const unsigned lane = threadIdx.x % 32u, warp = threadIdx.x / 32u, group = lane / 4u, member = lane % 4u;
const unsigned start = blockIdx.z * ${tiles * TILE.columns}u;
float* room = (float*)(factor + ${factor / 16}u) + warp * ${(stage + room) / 4}u;
float* stage = room + ${room / 4}u;
${left.declared}{
  const unsigned n = blockIdx.y;
  const float* right = ${byColumns ? "a" : "b"} + ${matrixText(product, b)};
  for (unsigned place = threadIdx.x; place < ${pairs * tiles * TILE.columns}u; place += ${threads}u) {
    const unsigned ${cell}, column = start + at;
    factor[pair * ${width}u + at] = divided<${passes}>(${right("2u * pair")}, ${right("2u * pair + 1u")});
  }
${indented(left.prepared)}}
__syncthreads();
for (unsigned strip = blockIdx.x * ${warps}u + warp; strip < ${shared ? strips * batch : strips}u; strip += ${blocks * warps}u) {
  const unsigned n = ${shared ? `strip / ${strips}u` : "blockIdx.y"}, first = ${shared ? `strip % ${strips}u` : "strip"} * ${tallness}u;
${indented(left.before)}${indented(added?.before ?? "")}${indented(store.before)}  float total[${high}][${tiles}][4] = {};
${segment === steps ? "  {\n    const unsigned from = 0;" : `#pragma unroll 1\n  for (unsigned from = 0; from < ${steps}u; from += ${segment}u) {`}
    float x[${segment}][${high}][4];
#pragma unroll
    for (unsigned s = 0; s < ${segment}u; s++)
#pragma unroll
      for (unsigned half = 0; half < ${2 * high}u; half++) {
        const unsigned k = 8u * (from + s) + 2u * member, row = first + 8u * half + group;
${indented(indented(indented(indented(left.read))))}      }
#pragma unroll
    for (unsigned s = 0; s < ${segment}u; s++) {
${indented(multiplyText("x[s][e / 4u][e % 4u]", `factor[(4u * (from + s) + member) * ${width}u + 8u * (j + m) + group]`, sizes, passes))}    }
  }
${indented(added?.after ?? "")}${indented(store.after)}}
`;
  return {
    text,
    blocks: [blocks, shared ? 1 : batch, across],
    threads,
    resident,
    sharedBytes: factor + (stage + room) * warps,
  };
}

/** Multiplies a step along the inner axis: numbers of A, which `e` counts, with those of B for tile j + m of columns. */
function multiplyText(left: string, right: string, { high, tiles }: Sizes, passes: Passes): string {
  const multiply = passesOver(passes)
    .map(([ofLeft, ofRight]) => {
      const [p, q] = ofRight === "high" ? ["x", "y"] : ["z", "w"];
      return `#pragma unroll
    for (unsigned i = 0; i < ${high}u; i++)
#pragma unroll
      for (unsigned m = 0; m < ${IN_TURN}u; m++)
        if (j + m < ${tiles}u) multiply_add(total[i][j + m], ${ofLeft}[i], __float_as_uint(y[m].${p}), __float_as_uint(y[m].${q}));
`;
    })
    .join("");
  return `  unsigned high[${high}][4], low[${high}][4];
#pragma unroll
  for (unsigned e = 0; e < ${4 * high}u; e++) divide<${passes}>(${left}, high[e / 4u][e % 4u], low[e / 4u][e % 4u]);
#pragma unroll
  for (unsigned j = 0; j < ${tiles}u; j += ${IN_TURN}u) {
    float4 y[${IN_TURN}];
#pragma unroll
    for (unsigned m = 0; m < ${IN_TURN}u; m++)
      if (j + m < ${tiles}u) y[m] = ${right};
${multiply}  }
`;
}

/** Whether strips of so many rows lie within the columns of a product that is added, and its steps are whole. */
function canAdd({ inner, columns }: AddedSizes, tallness: number): boolean {
  return columns % tallness === 0 && inner % TILE.inner === 0;
}

/**
 * Adds another product to a strip. As the factors are given in the other order, a strip has columns of its right factor
 * W, and takes all that the left one X has for them to shared memory while the first product is computed.
 */
function addedText(
  product: Product,
  { inner, columns, a: x, b: w }: AddedProduct,
  sizes: Sizes,
  passes: Passes,
): { before: string; after: string } {
  const { tiles, high, addedWidth } = sizes;
  const count = x.transposed
    ? 1
    : vectorLength(x.offset, x.rowStride, x.batchStride, x.groupStride ?? 0, inner);
  const pieces = (tiles * TILE.columns * inner) / count;
  const row = product.columns % (tiles * TILE.columns) === 0 ? "" : `if (row < ${product.columns}u) `;
  const before = `__syncwarp();
{
  const float* from = c + ${matrixText(product, x)};
#pragma unroll 4
  for (unsigned piece = lane; piece < ${pieces}u; piece += 32u) {
    const unsigned at = piece / ${inner / count}u, k = piece % ${inner / count}u * ${count}u;
    const unsigned row = start + at, column = first / ${columns}u * ${inner}u + k;
    ${row}copy<${count}>(stage + at * ${addedWidth}u + k, from + ${x.transposed ? `(size_t)column * ${x.rowStride}u + row` : `(size_t)row * ${x.rowStride}u + column`}, ${4 * count}u);
  }
}
`;
  const own = (k: string) =>
    w.transposed ? `own[row * ${w.rowStride}u + ${k}]` : `own[(${k}) * ${w.rowStride}u + row]`;
  const after = `asm volatile("cp.async.wait_all;" ::: "memory");
__syncwarp();
{
  const float* own = d + ${matrixText(product, w)};
#pragma unroll 1
  for (unsigned s = 0; s < ${inner / TILE.inner}u; s++) {
    const unsigned k = 8u * s + 2u * member;
    float x[${high}][4];
#pragma unroll
    for (unsigned half = 0; half < ${2 * high}u; half++) {
      const unsigned row = first % ${columns}u + 8u * half + group;
      x[half / 2u][half % 2u] = ${own("k")};
      x[half / 2u][half % 2u + 2u] = ${own("k + 1u")};
    }
${indented(multiplyText("x[e / 4u][e % 4u]", `of_pair<${passes}>(stage + (8u * (j + m) + group) * ${addedWidth}u + k)`, sizes, passes))}  }
}
`;
  return { before, after };
}

/**
 * What becomes of a strip's results, and what is read for them before the strip is computed. Results go to `stage` some
 * at a time: 8 rows of the strip, or 32 columns, the lines of which are neighbours in memory.
 */
function storeText(
  elements: FetchedElementText,
  { product, byColumns }: TallProduct,
  { tiles, high, panel, line, stageLines, stageWidth }: Sizes,
): { before: string; after: string } {
  const [down, beside] = byColumns ? ["start", "first"] : ["first", "start"];
  /** Where the element is that is number `spot` of the strip, line by line. */
  const place = `const unsigned row = ${down} + spot / ${line}u, column = ${beside} + spot % ${line}u;\n`;
  const [lines, neighbours] = byColumns
    ? [tiles * TILE.columns, high * TILE.rows]
    : [high * TILE.rows, tiles * TILE.columns];
  const [rows, columns] = byColumns ? [product.columns, product.rows] : [product.rows, product.columns];
  const inside = every(
    rows % lines === 0 ? undefined : `row < ${rows}u`,
    columns % neighbours === 0 ? undefined : `column < ${columns}u`,
  );
  const isRead = elements.reads.length > 0;
  const before = isRead
    ? `__syncwarp();\n${elements.reads.map((read, k) => fetchText(read, k, { panel, place, inside, columns })).join("")}asm volatile("cp.async.commit_group;" ::: "memory");\n`
    : "";
  const count = stageLines * line;
  const atOnce = atOnceOf(count / 32);
  const position = `const unsigned at = begin + 32u * part, spot = chunk * ${count}u + at;\n${place}`;
  const condition = every(
    count % (32 * atOnce) === 0 ? undefined : `at < ${count}u`,
    panel % count === 0 ? undefined : `spot < ${panel}u`,
    inside === "true" ? undefined : inside,
  );
  const each = (body: string) => forEach(atOnce, body, { place: position, condition });
  const value = `const float value = stage[at / ${line}u * ${stageWidth}u + at % ${line}u];\n`;
  const treated =
    elements.declare(atOnce) +
    each(value + (isRead ? elements.computeFetched(panel) : elements.compute)) +
    each(elements.store);
  const staged = byColumns
    ? `#pragma unroll
  for (unsigned j = 0; j < ${stageLines / TILE.columns}u; j++)
#pragma unroll
    for (unsigned e = 0; e < ${4 * high}u; e++)
      if (chunk * ${stageLines / TILE.columns}u + j < ${tiles}u)
        stage[(8u * j + 2u * member + e % 2u) * ${stageWidth}u + e / 2u * 8u + group] = total[e / 4u][chunk * ${stageLines / TILE.columns}u + j][e % 4u];
`
    : `#pragma unroll
  for (unsigned j = 0; j < ${tiles}u; j++)
    *(float2*)(stage + group * ${stageWidth}u + 8u * j + 2u * member) =
        make_float2(total[chunk / 2u][j][2u * (chunk % 2u)], total[chunk / 2u][j][2u * (chunk % 2u) + 1u]);
`;
  const after = `${isRead ? 'asm volatile("cp.async.wait_all;" ::: "memory");\n' : ""}#pragma unroll
for (unsigned chunk = 0; chunk < ${Math.ceil(panel / count)}u; chunk++) {
  __syncwarp();
${staged}  __syncwarp();
#pragma unroll 1
  for (unsigned begin = lane; begin < ${count}u; begin += ${32 * atOnce}u) {
${indented(indented(treated))}  }
}
`;
  return { before, after };
}

/** Sends what is read for all elements of a strip on its way to shared memory. */
function fetchText(
  { from, condition, together }: ReadText,
  k: number,
  strip: {
    readonly panel: number;
    readonly place: string;
    readonly inside: string;
    readonly columns: number;
  },
): string {
  const { panel, place, inside, columns } = strip;
  const count = columns % together === 0 ? together : 1;
  const bytes = condition ? `${condition} ? 4u : 0u` : `${4 * count}u`;
  return `#pragma unroll 4
for (unsigned spot = ${count}u * lane; spot < ${panel}u; spot += ${32 * count}u) {
${indented(place)}  if (${inside}) copy<${count}>(room + ${k * panel}u + spot, ${from}, ${bytes});
}
`;
}

/** How many of a thread's elements are treated at a time: as many as leave the fewest idle in the last turn. */
function atOnceOf(count: number): number {
  const idle = (size: number) => Math.ceil(count / size) * size - count;
  return AT_ONCE.reduce<number>((best, size) => (idle(size) < idle(best) ? size : best), AT_ONCE[0]);
}

/**
 * Columns that a block computes at most. By columns few of them leave a warp room for lines of 32 numbers, which is
 * worth reading A more often unless that is most of what is read and written.
 */
function mostColumns({ product: { columns, inner }, byColumns }: TallProduct): number {
  return byColumns && 2 * inner <= columns ? FEW_TILES * TILE.columns : MOST_COLUMNS;
}

/** Whether all matrices of the batch have the same right factor. */
const isShared = ({ b, batch }: Product): boolean =>
  (b.batchStride === 0 && (b.groupStride ?? 0) === 0) || batch === 1;

type Sizes = ReturnType<typeof sizesOf>;

function sizesOf({ product: { columns, inner, a }, byColumns, reads, added }: TallProduct, across: number) {
  const tiles = Math.ceil(Math.ceil(columns / TILE.columns) / across);
  const wanted = Math.ceil(inner / TILE.inner);
  /** Tiles of rows of a strip: with two, lines by columns are 32 numbers, all of a piece of memory that is read at once. */
  const high = byColumns && tiles <= FEW_TILES ? 2 : 1;
  // Where patches lie takes registers as well.
  const mostSteps = a.patches && tiles >= IN_TURN ? MOST_STEPS / 2 : MOST_STEPS;
  const segments = Math.ceil((high * wanted) / mostSteps);
  const segment = Math.ceil(wanted / segments);
  const steps = segment * segments;
  /** Pairs of B's rows, with its columns and two more, so that no two threads read from the same bank. */
  const pairs = (TILE.inner / 2) * steps;
  const width = leaving(2, 8, tiles * TILE.columns);
  /** Neighbouring results of a strip, and all of it. */
  const line = byColumns ? high * TILE.rows : tiles * TILE.columns;
  const panel = high * TILE.rows * tiles * TILE.columns;
  const stageLines = byColumns ? Math.min(4, tiles) * TILE.columns : TILE.rows / 2;
  const stageWidth = byColumns ? leaving(4, 16, line) : leaving(8, 16, line);
  /** Rows of what is multiplied to be added. */
  const addedWidth = added ? leaving(8, 16, added.inner) : 0;
  /** Bytes of a table of patches beside B. */
  const table = a.patches ? 8 * TILE.inner * steps : 0;
  /** Bytes of B, of results on their way, before which it holds what is multiplied to be added, and of what is read. */
  const factor = 16 * pairs * width + table;
  const stage = 4 * Math.max(stageLines * stageWidth, tiles * TILE.columns * addedWidth);
  const room = 4 * reads * panel;
  return {
    tiles,
    high,
    steps,
    segment,
    pairs,
    width,
    line,
    panel,
    stageLines,
    stageWidth,
    addedWidth,
    factor,
    table,
    stage,
    room,
  };
}
