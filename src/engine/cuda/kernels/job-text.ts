import { lookups } from "../plan/expressions/expression.js";
import { BLOCK } from "../plan/layout/reductions.js";
import {
  type Buffer,
  type Job,
  type MapJob,
  placesOf,
  type ReduceJob,
  type Store,
  storesOf,
} from "../plan/plan.js";
import { type BlockStride, STEPS_PER_THREAD, withBlockStride } from "./block-stride.js";
import { type ElementText, eachOf, indented } from "./element-text.js";
import { ExpressionText, type Pointed } from "./expression-text.js";
import { together } from "./together.js";
import { FOUR, type Neighbours, type Vectorized, vectorize } from "./vectorize.js";

/** A job in CUDA C, for blocks that are counted by `block`. Equal texts may be given different pointers. */
export interface JobText {
  /** Takes `q0`, `q1`, ... for what it points to. */
  readonly code: string;
  /** Types of q0, q1, ... */
  readonly types: readonly string[];
  readonly pointers: readonly Pointed[];
  readonly blocks: number;
  /** Sums that threads put together in shared memory. */
  readonly shared: number;
}

/** Elements from which on a thread computes several. */
const MANY = 2 ** 20;
const SEVERAL = 4;
/** Numbers that a thread reads before it adds them up. */
const ADDED_AT_ONCE = 8;
/** Vectors that a thread reads before it stores any. */
const FOURS = 2;
/** Numbers of a sum from which on a warp reads four neighbours a thread. */
const LONG = 128;

/** The text of a job. Memory that `written` names is written by the launch, by this job or by another one. */
export function jobText(
  job: Job,
  buffers: ReadonlyMap<number, Buffer>,
  written: ReadonlySet<string>,
): JobText {
  const isFloat = (buffer: number) => buffers.get(buffer)!.dtype === "float";
  const plain = job.kind === "map" ? vectorizedMap(job, isFloat) : vectorizedReduce(job, isFloat);
  const turns = plain && job.kind === "map" ? withBlockStride(neighboursOf(job, isFloat), plain) : undefined;
  const vectors = turns?.vectors ?? plain;
  const stores = vectors ? vectors.elements.flatMap((one) => [...one.sums, ...one.stores]) : storesOf(job);
  const text = new ExpressionText(placesOf(stores), buffers, written);
  const body = turns
    ? blockStrideText(text, turns)
    : job.kind === "map"
      ? mapText(text, job, vectors)
      : reduceText(text, job, vectors);
  return { shared: 0, ...body, types: text.types, pointers: text.pointers };
}

type Body = Pick<JobText, "code" | "blocks"> & Partial<Pick<JobText, "shared">>;

function neighboursOf({ size, stores }: MapJob, isFloat: (buffer: number) => boolean): Neighbours {
  return { sums: [], stores, counter: "i", extent: size, size, isFloat };
}

function vectorizedMap(job: MapJob, isFloat: (buffer: number) => boolean): Vectorized | undefined {
  return job.size < MANY ? undefined : vectorize(neighboursOf(job, isFloat));
}

function blockStrideText(text: ExpressionText, { width, blocks, vectors }: BlockStride): Body {
  const code = eachOf(STEPS_PER_THREAD, vectorizedText(text, vectors), {});
  return { code: width < BLOCK ? `if (threadIdx.x < ${width}u) {\n${indented(code)}}\n` : code, blocks };
}

function mapText(text: ExpressionText, { size, stores }: MapJob, vectors: Vectorized | undefined): Body {
  const thread = `block * ${BLOCK}u + threadIdx.x`;
  const blocksOf = (threads: number) => Math.ceil(threads / BLOCK);
  if (vectors) {
    const code = eachOf(1, vectorizedText(text, vectors), {
      place: `const unsigned ${FOUR} = ${thread};\n`,
      condition: `${FOUR} < ${size / 4}u`,
    });
    return { code, blocks: blocksOf(size / 4) };
  }
  if (size < MANY) {
    const code = `const unsigned i = ${thread};\nif (i < ${size}u) {\n${indented(storedText(text, stores))}}\n`;
    return { code, blocks: blocksOf(size) };
  }
  const counter = `const unsigned i = (block * ${SEVERAL}u + part) * ${BLOCK}u + threadIdx.x;\n`;
  const elements = computedText(text, stores);
  const several = (condition?: string) =>
    eachOf(SEVERAL, elements, { place: counter, ...(condition && { condition }) });
  const full = Math.floor(size / (SEVERAL * BLOCK));
  const code =
    size === full * SEVERAL * BLOCK
      ? several()
      : `if (block < ${full}u) {\n${indented(several())}} else {\n${indented(several(`i < ${size}u`))}}\n`;
  return { code, blocks: blocksOf(size / SEVERAL) };
}

/** Four neighbours along the sum, if its numbers are neighbours in memory, or else four neighbouring sums. */
function vectorizedReduce(
  { layout, sums, stores }: ReduceJob,
  isFloat: (buffer: number) => boolean,
): Vectorized | undefined {
  const { outputs, length, along, threads, part } = layout;
  const size = outputs * length;
  const isLarge = threads === 1 ? outputs >= MANY : size >= MANY;
  if (!isLarge || (along && (length < LONG || part % 4 !== 0))) return undefined;
  const [counter, extent] = along ? ["r", length] : ["o", outputs];
  return vectorize({ sums, stores, counter, extent, size, isFloat });
}

function reduceText(text: ExpressionText, job: ReduceJob, vectors: Vectorized | undefined): Body {
  const { outputs, length, threads, along, chunks, part } = job.layout;
  const isAcross = vectors !== undefined && !along;
  const [output, count] = isAcross ? [FOUR, outputs / 4] : ["o", outputs];
  const [counter, unit] = vectors && along ? [FOUR, 4] : ["r", 1];
  // Threads that have four sums each are four times as many for each of them.
  const rows = isAcross && threads > 1 ? 4 * threads : threads;
  const group = BLOCK / rows;
  const groups = Math.ceil(count / group);
  const sums = job.sums.map((_, k) => (isAcross ? [..."xyzw"].map((e) => `s${k}${e}`) : [`s${k}`]));
  const loop = loopText(text, job, vectors, {
    counter,
    rows,
    sums,
    length: length / unit,
    part: part / unit,
  });
  text.forget();
  const results = (isAcross ? vectors.elements : [vectors?.elements[0] ?? job])
    .flatMap((element, e) => element.sums.map((store, k) => `${text.place(store)} = ${sums[k][e]};\n`))
    .join("");
  const thread = (of: number) => [`threadIdx.x / ${of}u`, `threadIdx.x % ${of}u`];
  const [x, y] = rows === 1 ? ["threadIdx.x", "0u"] : along ? thread(rows) : thread(group).reverse();
  const [end, limit] = [`(c + 1u) * ${part / unit}u`, `${length / unit}u`];
  const code = [
    `const unsigned c = block / ${groups}u, x = ${x}, y = ${y};\n`,
    `const unsigned ${output} = block % ${groups}u * ${group}u + x;\n`,
    `float ${sums
      .flat()
      .map((sum) => `${sum} = 0.f`)
      .join(", ")};\n`,
    `if (${output} < ${count}u) {\n`,
    `  const unsigned end = ${chunks === 1 ? limit : `min(${end}, ${limit})`};\n`,
    `${indented(loop)}}\n`,
    rows === 1 ? "" : together(sums.flat(), rows, along),
    `if (${rows === 1 ? "" : "y == 0u && "}${output} < ${count}u) {\n${indented(results)}}\n`,
  ].join("");
  return { code, blocks: groups * chunks, shared: rows === 1 ? 0 : job.sums.length };
}

/** How a thread goes along a sum: every `rows`-th number of its part, or four of them. */
interface Loop {
  readonly counter: string;
  readonly rows: number;
  readonly length: number;
  readonly part: number;
  /** Names of the sums, each of one or of four neighbours. */
  readonly sums: readonly (readonly string[])[];
}

function loopText(
  text: ExpressionText,
  job: ReduceJob,
  vectors: Vectorized | undefined,
  { counter, rows, length, part, sums }: Loop,
): string {
  const added = vectors ? vectorizedSums(text, vectors, sums) : addedText(text, job.sums, sums);
  const first = `c * ${part}u + y`;
  if (job.stores.length === 0) {
    const most = vectors ? 2 * FOURS : ADDED_AT_ONCE;
    const unrolled = Math.max(1, Math.min(most, Math.floor(part / rows)));
    return `#pragma unroll ${unrolled}\nfor (unsigned ${counter} = ${first}; ${counter} < end; ${counter} += ${rows}u) {\n${indented(added)}}\n`;
  }
  const count = vectors ? FOURS : SEVERAL;
  const step = count * rows;
  const place = `const unsigned ${counter} = start + part * ${rows}u;\n`;
  const elements = vectors ? vectorizedText(text, vectors, added) : computedText(text, job.stores, added);
  const several = (condition?: string) =>
    indented(eachOf(count, elements, { place, ...(condition && { condition }) }));
  const isWhole = length % part === 0 && part % step === 0;
  // Without a condition all that several elements need is read before any of it is waited for.
  return [
    `unsigned start = ${first};\n`,
    `for (; start + ${step - rows}u < end; start += ${step}u) {\n${several()}}\n`,
    isWhole ? "" : `if (start < end) {\n${several(`${counter} < end`)}}\n`,
  ].join("");
}

/** Adds up one element. */
function addedText(
  text: ExpressionText,
  stores: readonly Store[],
  sums: readonly (readonly string[])[],
): string {
  const declared = text.declared(stores.map(({ value }) => value));
  return declared + stores.map(({ value }, k) => `${sums[k][0]} += ${text.value(value)};\n`).join("");
}

/** Adds up four neighbours, to one sum or to four. */
function vectorizedSums(
  text: ExpressionText,
  { elements, together: read }: Vectorized,
  sums: readonly (readonly string[])[],
): string {
  const declared = text.declared(
    elements.flatMap((one) => one.sums.map(({ value }) => value)),
    read,
  );
  const added = sums.map((names, k) => {
    const values = elements.map((one) => text.value(one.sums[k].value));
    return names.length === 1
      ? `${names[0]} += (${values[0]} + ${values[1]}) + (${values[2]} + ${values[3]});\n`
      : names.map((name, e) => `${name} += ${values[e]};\n`).join("");
  });
  return declared + added.join("");
}

/** What is computed of several elements before any is stored. */
export function computedText(text: ExpressionText, stores: readonly Store[], before = ""): ElementText {
  return { ...valuesText(text, stores, before), store: placedText(text, stores) };
}

/** What is computed of several elements, wherever it goes. */
export function valuesText(
  text: ExpressionText,
  values: readonly Pick<Store, "value">[],
  before = "",
): Omit<ElementText, "store"> {
  const compute = before + text.declared(values.map(({ value }) => value));
  return {
    declare: (count) => `float ${values.map((_, k) => `t${k}[${count}]`).join(", ")};\n`,
    compute: compute + values.map(({ value }, k) => `t${k}[part] = ${text.value(value)};\n`).join(""),
  };
}

/** Stores what was computed of an element. */
export function placedText(text: ExpressionText, stores: readonly Store[]): string {
  return stores.map((store, k) => `${text.place(store)} = t${k}[part];\n`).join("");
}

/** The same of four neighbours at a time; `adding` says what is done with the four values of each sum. */
export function vectorizedText(
  text: ExpressionText,
  { elements, areTogether, together: read }: Vectorized,
  before = "",
  adding?: (values: readonly string[], sum: number) => string,
): ElementText {
  const roots = elements.flatMap(({ stores, sums }) => (adding ? [...stores, ...sums] : stores));
  const declared = text.declared(
    roots.map(({ value }) => value),
    read,
  );
  const [{ stores, sums }] = elements;
  const values = (of: "stores" | "sums", k: number) => elements.map((one) => text.value(one[of][k].value));
  const computed = stores.map((_, k) => `t${k}[part] = make_float4(${values("stores", k).join(", ")});\n`);
  const added = adding ? sums.map((_, k) => adding(values("sums", k), k)) : [];
  const stored = areTogether.map((isTogether, k) =>
    isTogether
      ? `*(float4*)&${text.place(stores[k])} = t${k}[part];\n`
      : elements.map((one, e) => `${text.place(one.stores[k])} = t${k}[part].${"xyzw"[e]};\n`).join(""),
  );
  return {
    declare: (count) =>
      stores.length === 0 ? "" : `float4 ${stores.map((_, k) => `t${k}[${count}]`).join(", ")};\n`,
    compute: before + declared + computed.join("") + added.join(""),
    store: stored.join(""),
  };
}

/** Stores an element of each. */
export function storedText(text: ExpressionText, stores: readonly Store[]): string {
  const values = text.declared(stores.flatMap(({ value, index }) => [value, ...lookups(index)]));
  return values + stores.map((store) => `${text.place(store)} = ${text.value(store.value)};\n`).join("");
}
