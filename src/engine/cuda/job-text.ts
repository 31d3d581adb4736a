import {
  type ElementText,
  eachOf,
  type FetchedElementText,
  indented,
  type ReadText,
  type ResultText,
} from "./element-text.js";
import { ELEMENTWISE_TEXT, floatText } from "./elementwise-text.js";
import { type Condition, type Expression, lookups, type Place, partsOf } from "./expression.js";
import { type Atom, type Index, range, type Term } from "./index-algebra.js";
import {
  type Buffer,
  type FactorStore,
  type Job,
  loadsOf,
  type MapJob,
  type ReduceJob,
  type Store,
  storesOf,
} from "./plan.js";
import { BLOCK } from "./reductions.js";
import { vectorLength } from "./tensor-cores.js";

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

/** An element of a buffer. */
export interface Pointed {
  readonly buffer: number;
  readonly offset: number;
}

type Load = Extract<Expression, { kind: "load" }>;

/** Elements from which on a thread computes several. */
const MANY = 2 ** 20;
const SEVERAL = 4;
/** Numbers that a thread reads before it adds them up. */
const ADDED_AT_ONCE = 8;
const WARP = 32;
/** Indices are computed in 32 bits. */
const LARGEST = 2 ** 31;

/** The text of a job. Memory that `written` names is written by the launch, by this job or by another one. */
export function jobText(
  job: Job,
  buffers: ReadonlyMap<number, Buffer>,
  written: ReadonlySet<string>,
): JobText {
  const writer = new Writer(storesOf(job), buffers, written);
  const code = job.kind === "map" ? writer.map(job) : writer.reduce(job);
  const shared = job.kind === "reduce" && job.layout.threads > 1 ? job.sums.length : 0;
  return { code, types: writer.types, pointers: writer.pointers, blocks: blocksOf(job), shared };
}

/** What a product does with its elements in CUDA C. */
export interface EpilogueText {
  readonly results: ResultText;
  /** Types of q0, q1, ... */
  readonly types: readonly string[];
  readonly pointers: readonly Pointed[];
}

export function epilogueText(
  stores: readonly Store[],
  sums: readonly FactorStore[],
  buffers: ReadonlyMap<number, Buffer>,
): EpilogueText {
  const all = [...stores, ...sums];
  const written = new Set(all.map(({ buffer }) => memoryOf(buffers.get(buffer)!)));
  const writer = new Writer(all, buffers, written);
  const storedSum = (side: 0 | 1) => writer.stored(sums.filter((sum) => sum.side === side));
  return {
    results: { elements: writer.epilogue(stores), sums: [storedSum(0), storedSum(1)] },
    types: writer.types,
    pointers: writer.pointers,
  };
}

function blocksOf(job: Job): number {
  if (job.kind === "map") return Math.ceil(job.size / (BLOCK * perThread(job)));
  const { outputs, threads, chunks } = job.layout;
  return Math.ceil(outputs / (BLOCK / threads)) * chunks;
}

const perThread = ({ size }: MapJob): number => (size >= MANY ? SEVERAL : 1);

class Writer {
  readonly pointers: Pointed[] = [];
  readonly types: string[] = [];
  readonly #buffers: ReadonlyMap<number, Buffer>;
  readonly #names = new Map<number, { readonly name: string; offset: number }>();
  readonly #values = new Map<Expression, string>();

  /** Makes one pointer for each buffer, to the first element that the job may touch. */
  constructor(stores: readonly Store[], buffers: ReadonlyMap<number, Buffer>, written: ReadonlySet<string>) {
    this.#buffers = buffers;
    const places: Place[] = [...loadsOf(stores), ...stores];
    for (const { buffer, index } of places) {
      if (range(index)[1] >= LARGEST) throw new RangeError(`a tensor of more than ${LARGEST} numbers`);
      const known = this.#names.get(buffer);
      if (known) known.offset = Math.min(known.offset, index.constant);
      else {
        const about = buffers.get(buffer)!;
        const type = about.dtype === "int" ? "int" : "float";
        this.types.push(written.has(memoryOf(about)) ? `${type}*` : `const ${type}* __restrict__`);
        this.#names.set(buffer, { name: `q${this.#names.size}`, offset: index.constant });
      }
    }
    for (const [buffer, { offset }] of this.#names) this.pointers.push({ buffer, offset });
  }

  map(job: MapJob): string {
    const count = perThread(job);
    if (count === 1)
      return `const unsigned i = block * ${BLOCK}u + threadIdx.x;\nif (i < ${job.size}u) {\n${indented(this.#stores(job.stores))}}\n`;
    const counter = `const unsigned i = (block * ${count}u + part) * ${BLOCK}u + threadIdx.x;\n`;
    const elements = this.#computed(job.stores, "");
    const several = (condition?: string) =>
      eachOf(count, elements, { place: counter, ...(condition && { condition }) });
    const full = Math.floor(job.size / (count * BLOCK));
    if (job.size === full * count * BLOCK) return several();
    return `if (block < ${full}u) {\n${indented(several())}} else {\n${indented(several(`i < ${job.size}u`))}}\n`;
  }

  reduce(job: ReduceJob): string {
    const { outputs, length, threads, along, chunks, part } = job.layout;
    const group = BLOCK / threads;
    const groups = Math.ceil(outputs / group);
    const sums = job.sums.map((_, k) => `s${k}`);
    const added =
      this.#declared(job.sums.map(({ value }) => value)) +
      sums.map((sum, k) => `${sum} += ${this.#values.get(job.sums[k].value)};\n`).join("");
    const first = `c * ${part}u + y`;
    const step = SEVERAL * threads;
    const whole = length % part === 0 && part % step === 0;
    const elements = this.#computed(job.stores, added);
    const place = `const unsigned r = start + part * ${threads}u;\n`;
    const several = (condition?: string) =>
      indented(eachOf(SEVERAL, elements, { place, ...(condition && { condition }) }));
    // Without a condition all that several elements need is read before any of it is waited for.
    const loop =
      job.stores.length === 0
        ? `#pragma unroll ${Math.max(1, Math.min(ADDED_AT_ONCE, Math.floor(part / threads)))}\nfor (unsigned r = ${first}; r < end; r += ${threads}u) {\n${indented(added)}}\n`
        : `unsigned start = ${first};\n` +
          `for (; start + ${step - threads}u < end; start += ${step}u) {\n${several()}}\n` +
          (whole ? "" : `if (start < end) {\n${several("r < end")}}\n`);
    this.#values.clear();
    const results = job.sums.map((store, k) => `${this.#place(store)} = ${sums[k]};\n`).join("");
    const thread =
      threads === 1 ? ["threadIdx.x", "0u"] : [`threadIdx.x / ${threads}u`, `threadIdx.x % ${threads}u`];
    const [x, y] = along || threads === 1 ? thread : [`threadIdx.x % ${group}u`, `threadIdx.x / ${group}u`];
    return [
      `const unsigned c = block / ${groups}u, x = ${x}, y = ${y};\n`,
      `const unsigned o = block % ${groups}u * ${group}u + x;\n`,
      `float ${sums.map((sum) => `${sum} = 0.f`).join(", ")};\n`,
      `if (o < ${outputs}u) {\n`,
      `  const unsigned end = ${chunks === 1 ? `${length}u` : `min((c + 1u) * ${part}u, ${length}u)`};\n`,
      `${indented(loop)}}\n`,
      threads === 1 ? "" : together(sums, threads, along),
      `if (${threads === 1 ? "" : "y == 0u && "}o < ${outputs}u) {\n${indented(results)}}\n`,
    ].join("");
  }

  epilogue(stores: readonly Store[]): FetchedElementText {
    const plain = this.#computed(stores, "");
    this.#values.clear();
    // What all rows or all columns share, such as a bias, is in the cache anyway.
    const read = partsOf(stores.map(({ value }) => value)).filter(
      (part) => part.kind === "load" && this.#isFloat(part) && isOfElements(part.index),
    ) as Load[];
    const reads = read.map((part): ReadText => {
      const condition = part.conditions.length > 0 ? this.#holds(part.conditions) : undefined;
      return {
        from: `&${this.#place(part)}`,
        together: condition ? 1 : neighbours(part.index),
        ...(condition && { condition }),
      };
    });
    const computeFetched = (panel: number) => {
      this.#values.clear();
      for (const [k, part] of read.entries()) this.#values.set(part, `room[${k * panel}u + spot]`);
      return this.#computed(stores, "").compute;
    };
    return { ...plain, reads, computeFetched };
  }

  /** Stores `value`, if there is anywhere to. */
  stored(stores: readonly Store[]): string | undefined {
    this.#values.clear();
    return stores.length > 0 ? this.#stores(stores) : undefined;
  }

  #computed(stores: readonly Store[], before: string): ElementText {
    const compute = before + this.#declared(stores.map(({ value }) => value));
    return {
      declare: (count) => `float ${stores.map((_, k) => `t${k}[${count}]`).join(", ")};\n`,
      compute: compute + stores.map(({ value }, k) => `t${k}[part] = ${this.#values.get(value)};\n`).join(""),
      store: stores.map((store, k) => `${this.#place(store)} = t${k}[part];\n`).join(""),
    };
  }

  #stores(stores: readonly Store[]): string {
    const values = this.#declared(stores.flatMap(({ value, index }) => [value, ...lookups(index)]));
    return (
      values + stores.map((store) => `${this.#place(store)} = ${this.#values.get(store.value)};\n`).join("")
    );
  }

  /** Declares all that these expressions are made of and that is not declared yet. */
  #declared(roots: readonly Expression[]): string {
    const lines: string[] = [];
    for (const part of partsOf(roots)) {
      if (this.#values.has(part)) continue;
      if (part.kind === "literal" || part.kind === "product") {
        this.#values.set(part, part.kind === "literal" ? floatText(part.value) : "value");
        continue;
      }
      const name = `v${this.#values.size}`;
      lines.push(`const ${this.#typeOf(part)} ${name} = ${this.#code(part)};\n`);
      this.#values.set(part, name);
    }
    return lines.join("");
  }

  #isFloat({ buffer, index }: Load): boolean {
    return this.#buffers.get(buffer)!.dtype === "float" && lookups(index).length === 0;
  }

  #typeOf(part: Expression): "int" | "float" {
    switch (part.kind) {
      case "load":
        return this.#buffers.get(part.buffer)!.dtype;
      case "choose":
        return this.#typeOf(part.then.kind === "literal" ? part.otherwise : part.then);
      default:
        return "float";
    }
  }

  #code(part: Exclude<Expression, { kind: "literal" | "product" }>): string {
    switch (part.kind) {
      case "load": {
        const value = this.#place(part);
        return part.conditions.length === 0 ? value : `${this.#holds(part.conditions)} ? ${value} : 0`;
      }
      case "choose":
        return `${this.#holds(part.conditions)} ? ${this.#values.get(part.then)} : ${this.#values.get(part.otherwise)}`;
      case "apply": {
        const [x, y = ""] = part.operands.map((operand) => this.#values.get(operand)!);
        return ELEMENTWISE_TEXT[part.name](x, y, floatText(part.slope));
      }
    }
  }

  #place({ buffer, index }: Place): string {
    const { name, offset } = this.#names.get(buffer)!;
    return `${name}[${this.#index({ ...index, constant: index.constant - offset })}]`;
  }

  #holds(conditions: readonly Condition[]): string {
    return conditions
      .map(({ index, low, high }) => {
        const [least, most] = range(index);
        const value = `(int)(${this.#index({ ...index, constant: 0 })}) + ${index.constant}`;
        const bounds = [
          ...(least < low ? [`${value} >= ${low}`] : []),
          ...(most >= high ? [`${value} < ${high}`] : []),
        ];
        return `(${bounds.join(" && ")})`;
      })
      .join(" && ");
  }

  #index({ constant, terms }: Index): string {
    const parts = terms.map(({ coefficient, atom }) => {
      const value =
        atom.kind === "variable"
          ? atom.name
          : atom.kind === "lookup"
            ? `(unsigned)${this.#values.get(atom.value)}`
            : `(${this.#index(atom.of)}) ${atom.kind === "quotient" ? "/" : "%"} ${atom.by}u`;
      const bare = atom.kind === "variable" || atom.kind === "lookup" ? value : `(${value})`;
      if (coefficient === 1) return bare;
      return coefficient > 0 ? `${bare} * ${coefficient}u` : `${bare} * (unsigned)(${coefficient})`;
    });
    return [...parts, ...(constant !== 0 || parts.length === 0 ? [`${constant}u`] : [])].join(" + ");
  }
}

/** Whether an index depends on both the row and the column of an element. */
function isOfElements({ terms }: Index): boolean {
  return ["row", "column"].every((name) => terms.some(({ atom }) => dependsOn(atom, name)));
}

/** How many neighbours along a row, from a multiple of that number on, lie side by side in memory, as aligned. */
function neighbours({ constant, terms }: Index): 1 | 2 | 4 {
  const isColumn = ({ atom }: Term) => atom.kind === "variable" && atom.name === "column";
  const others = terms.filter((term) => !isColumn(term));
  const isPlain = terms.some((term) => isColumn(term) && term.coefficient === 1);
  if (!isPlain || others.some(({ atom }) => dependsOn(atom, "column"))) return 1;
  return vectorLength(constant, ...others.map(({ coefficient }) => coefficient));
}

function dependsOn(atom: Atom, name: string): boolean {
  if (atom.kind === "variable") return atom.name === name;
  return atom.kind === "lookup" || atom.of.terms.some((term) => dependsOn(term.atom, name));
}

/** What tells memory apart: buffers that lie in an input, or over another one, are one with it. */
export function memoryOf({ id, location }: Buffer): string {
  if (location.kind === "input") return `input ${location.input}`;
  return `${location.kind === "arena" ? location.within : id}`;
}

/** Adds up what the threads of a group have, always in the same order: within warps by shuffles, among them in memory. */
function together(sums: readonly string[], threads: number, along: boolean): string {
  const shuffled = sums.map((sum) => `  ${sum} += __shfl_down_sync(0xffffffffu, ${sum}, half);\n`).join("");
  const within = along ? `for (unsigned half = 16u; half > 0u; half /= 2u) {\n${shuffled}}\n` : "";
  if (along && threads === WARP) return within;
  const [first, count, step] = along
    ? [`threadIdx.x / ${WARP}u`, threads / WARP, 1]
    : ["threadIdx.x", threads, BLOCK / threads];
  const at = (k: number, shift = 0) => `shared[${k * BLOCK + shift}u + ${first}]`;
  const stored = sums.map((sum, k) => `${at(k)} = ${sum};\n`).join("");
  const others = Array.from({ length: count - 1 }, (_, other) => (other + 1) * step);
  return [
    within,
    along ? `if (threadIdx.x % ${WARP}u == 0u) {\n${indented(stored)}}\n` : stored,
    "__syncthreads();\n",
    "if (y == 0u) {\n",
    ...sums.map((sum, k) => `  ${sum} = ${[at(k), ...others.map((shift) => at(k, shift))].join(" + ")};\n`),
    "}\n",
  ].join("");
}
