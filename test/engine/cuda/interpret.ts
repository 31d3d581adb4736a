import { acceptInput, type Backend, type Executable, heldInput } from "../../../src/engine/backend.js";
import { planOf } from "../../../src/engine/cuda/compile-plan.js";
import { type Condition, type Expression, lookups, partsOf } from "../../../src/engine/cuda/expression.js";
import type { Atom, Index } from "../../../src/engine/cuda/index-algebra.js";
import type { ProductOptions } from "../../../src/engine/cuda/lower-product.js";
import { lifetimes } from "../../../src/engine/cuda/memory-plan.js";
import {
  accessesOf,
  type Job,
  type Plan,
  type Step,
  type Store,
  storesOf,
} from "../../../src/engine/cuda/plan.js";
import { elements, toNumbers } from "../../../src/files/element-type.js";
import { erf } from "../../../src/numerics/error-function.js";

/** Executes the plans of the CUDA compiler in plain TypeScript and float64, with the memory that they foresee. */
export function interpretingBackend(options: ProductOptions = {}): Backend {
  return {
    name: "interpreted CUDA plan",
    wide: true,
    async compile(program) {
      const plan = planOf(program, options);
      checkStages(plan);
      const memory = new Memory(plan);
      const given = new Set<string>();
      const executable: Executable = {
        async run(inputs = {}, wanted) {
          for (const [name, values] of Object.entries(inputs)) executable.write(name, values);
          for (const name of program.inputs.keys()) heldInput(new Map([...given].map((x) => [x, x])), name);
          memory.run();
          return Object.fromEntries(
            [...plan.outputs]
              .filter(([name]) => wanted?.includes(name) ?? true)
              .map(([name, { buffer, shape }]) => [name, memory.of(buffer).slice(0, elements(shape))]),
          );
        },
        read(name) {
          heldInput(new Map([...given].map((x) => [x, x])), name);
          return memory.of(plan.inputs.get(name)!).slice();
        },
        write(name, values) {
          acceptInput(program, name, values);
          memory.of(plan.inputs.get(name)!).set(toNumbers(values));
          given.add(name);
        },
        async close() {},
      };
      return executable;
    },
  };
}

/** Steps of a stage may be done at the same time: none may read memory that another one writes. */
function checkStages({ steps, buffers }: Plan): void {
  const memory = (id: number) => {
    const { location, size } = buffers.get(id)!;
    return location.kind === "arena"
      ? { key: "arena", start: location.offset, end: location.offset + size }
      : { key: location.kind === "input" ? location.input : `constant ${id}`, start: 0, end: size };
  };
  const meet = (a: number, b: number) => {
    const [x, y] = [memory(a), memory(b)];
    return x.key === y.key && x.start < y.end && y.start < x.end;
  };
  const ofStages = new Map<number, ReturnType<typeof accessesOf>[]>();
  for (const step of steps) {
    const { reads, writes } = accessesOf(step);
    for (const other of ofStages.get(step.stage) ?? [])
      for (const [written, read] of [
        [writes, other.reads],
        [other.writes, reads],
      ])
        for (const one of written)
          for (const two of read)
            if (meet(one, two)) throw new Error(`stage ${step.stage} reads buffer ${two} and writes ${one}`);
    ofStages.set(step.stage, [...(ofStages.get(step.stage) ?? []), { reads, writes }]);
  }
}

class Memory {
  readonly #plan: Plan;
  readonly #arena: Float64Array;
  readonly #own = new Map<string, Float64Array>();
  readonly #views = new Map<number, Float64Array>();

  constructor(plan: Plan) {
    this.#plan = plan;
    this.#arena = new Float64Array(plan.arena).fill(NaN);
    for (const { id, size, location } of plan.buffers.values()) {
      if (location.kind === "arena") {
        this.#views.set(id, this.#arena.subarray(location.offset, location.offset + size));
        continue;
      }
      const key = location.kind === "input" ? location.input : `constant ${id}`;
      const values = this.#own.get(key) ?? new Float64Array(size);
      if (location.kind === "constant") values.set(location.values);
      this.#own.set(key, values);
      this.#views.set(id, values);
    }
  }

  of(buffer: number): Float64Array {
    return this.#views.get(buffer)!;
  }

  /** One step after another; what no longer matters, or not yet, is not a number. */
  run(): void {
    const { steps, buffers, outputs } = this.#plan;
    const sizes = new Map(
      [...buffers.values()]
        .filter(({ location }) => location.kind === "arena")
        .map(({ id, size }) => [id, size]),
    );
    const kept = new Set([...outputs.values()].map(({ buffer }) => buffer));
    const lives = lifetimes(steps, sizes, kept, (buffer) => {
      const { location } = buffers.get(buffer)!;
      return location.kind === "arena" ? location.within : buffer;
    });
    const stages = [...new Set(steps.map(({ stage }) => stage))];
    for (const at of stages) {
      for (const { buffer, first } of lives) if (first === at) this.of(buffer).fill(NaN);
      // Steps of a stage are independent: their order does not matter.
      for (const step of steps.filter(({ stage }) => stage === at).reverse()) this.#step(step);
      for (const { buffer, last } of lives) if (last === at) this.of(buffer).fill(NaN);
    }
  }

  #step(step: Step): void {
    switch (step.kind) {
      case "copy":
        this.of(step.to).set(this.of(step.from).subarray(0, step.size));
        return;
      case "product": {
        const [a, b, c] = [step.a, step.b, step.c].map(({ buffer }) => this.of(buffer));
        const at = (
          m: { offset: number; rowStride: number; batchStride: number },
          n: number,
          row: number,
          column: number,
        ) => m.offset + n * m.batchStride + row * m.rowStride + column;
        for (let n = 0; n < step.batch; n++)
          for (let row = 0; row < step.rows; row++)
            for (let column = 0; column < step.columns; column++) {
              let dot = 0;
              for (let k = 0; k < step.inner; k++)
                dot +=
                  element(a, step.a.transposed ? at(step.a, n, k, row) : at(step.a, n, row, k)) *
                  element(b, step.b.transposed ? at(step.b, n, column, k) : at(step.b, n, k, column));
              const to = at(step.c, n, row, column);
              if (to >= c.length) throw new RangeError(`product writes element ${to} of ${c.length}`);
              c[to] = dot;
            }
        return;
      }
      case "launch":
        this.#launch(step.jobs);
    }
  }

  /** All jobs of a launch run at the same time: none may read what another thread writes. */
  #launch(jobs: readonly Job[]): void {
    const writes: { values: Float64Array; at: number; value: number }[] = [];
    const writer = new Map<Float64Array, Map<number, number>>();
    const reads: { values: Float64Array; at: number; thread: number }[] = [];
    let thread = 0;
    const written = jobs.flatMap(storesOf).map(({ buffer }) => buffer);
    const watched = new Map<number, boolean>();
    const isWatched = (buffer: number) => {
      const known = watched.get(buffer) ?? written.some((other) => this.#overlap(buffer, other));
      watched.set(buffer, known);
      return known;
    };
    for (const job of jobs) {
      const evaluator = new Evaluator(storesOf(job), (buffer, at) => {
        const values = this.of(buffer);
        if (isWatched(buffer))
          reads.push({ values: this.#region(buffer), at: this.#start(buffer) + at, thread });
        return element(values, at);
      });
      const write = ({ buffer, index }: Store, value: number) => {
        const at = evaluator.index(index);
        if (!(at >= 0 && at < this.of(buffer).length)) throw new RangeError(`a kernel writes element ${at}`);
        const region = this.#region(buffer);
        const known = writer.get(region) ?? new Map<number, number>();
        writer.set(region, known);
        const place = this.#start(buffer) + at;
        if (known.has(place)) throw new Error("two threads write the same element");
        known.set(place, thread);
        writes.push({ values: this.of(buffer), at, value });
      };
      if (job.kind === "map")
        for (let i = 0; i < job.size; i++, thread++) {
          evaluator.evaluate({ i });
          for (const store of job.stores) write(store, evaluator.value(store.value));
        }
      else {
        const { outputs, length, chunks, part } = job.layout;
        for (let c = 0; c < chunks; c++)
          for (let o = 0; o < outputs; o++) {
            const sums = job.sums.map(() => 0);
            for (let r = c * part; r < Math.min(length, (c + 1) * part); r++, thread++) {
              evaluator.evaluate({ c, o, r });
              job.sums.forEach(({ value }, k) => {
                sums[k] += evaluator.value(value);
              });
              for (const store of job.stores) write(store, evaluator.value(store.value));
            }
            job.sums.forEach((sum, k) => {
              write(sum, sums[k]);
            });
            thread++;
          }
      }
    }
    for (const { values, at, thread } of reads) {
      const by = writer.get(values)?.get(at);
      if (by !== undefined && by !== thread) throw new Error("a thread reads what another one writes");
    }
    for (const { values, at, value } of writes) values[at] = value;
  }

  #overlap(a: number, b: number): boolean {
    const [startA, startB] = [this.#start(a), this.#start(b)];
    const apart = startA + this.of(a).length <= startB || startB + this.of(b).length <= startA;
    return this.#region(a) === this.#region(b) && !apart;
  }

  #region(buffer: number): Float64Array {
    return this.#plan.buffers.get(buffer)!.location.kind === "arena" ? this.#arena : this.of(buffer);
  }

  #start(buffer: number): number {
    const { location } = this.#plan.buffers.get(buffer)!;
    return location.kind === "arena" ? location.offset : 0;
  }
}

/** Evaluates the expressions of a job for given counters. */
class Evaluator {
  readonly #parts: readonly Expression[];
  readonly #values: number[] = [];
  readonly #load: (buffer: number, at: number) => number;
  #counters: Readonly<Record<string, number>> = {};

  constructor(stores: readonly Store[], load: (buffer: number, at: number) => number) {
    this.#parts = partsOf(stores.flatMap(({ value, index }) => [value, ...lookups(index)]));
    this.#load = load;
  }

  evaluate(counters: Readonly<Record<string, number>>): void {
    this.#counters = counters;
    for (const part of this.#parts) this.#values[part.id] = this.#compute(part);
  }

  value({ id }: Expression): number {
    return this.#values[id];
  }

  index({ constant, terms }: Index): number {
    return terms.reduce((sum, { coefficient, atom }) => sum + coefficient * this.#atom(atom), constant);
  }

  #atom(atom: Atom): number {
    switch (atom.kind) {
      case "variable":
        return this.#counters[atom.name];
      case "lookup":
        return this.value(atom.value);
      case "quotient":
        return Math.floor(this.index(atom.of) / atom.by);
      case "remainder":
        return this.index(atom.of) % atom.by;
    }
  }

  #holds(conditions: readonly Condition[]): boolean {
    return conditions.every(({ index, low, high }) => {
      const at = this.index(index);
      return low <= at && at < high;
    });
  }

  #compute(part: Expression): number {
    switch (part.kind) {
      case "literal":
        return part.value;
      case "load":
        return this.#holds(part.conditions) ? this.#load(part.buffer, this.index(part.index)) : 0;
      case "choose":
        return this.value(this.#holds(part.conditions) ? part.then : part.otherwise);
      case "apply":
        return applied(
          part.name,
          part.operands.map((operand) => this.value(operand)),
          part.slope,
        );
    }
  }
}

type Applied = Extract<Expression, { kind: "apply" }>["name"];

function applied(name: Applied, [x, y]: readonly number[], slope: number): number {
  switch (name) {
    case "add":
      return x + y;
    case "subtract":
      return x - y;
    case "multiply":
      return x * y;
    case "divide":
      return x / y;
    case "negate":
      return -x;
    case "erf":
      return erf(x);
    case "gelu":
      return (x / 2) * (1 + erf(x * Math.SQRT1_2));
    case "geluSlope":
      return (1 + erf(x * Math.SQRT1_2)) / 2 + (x * Math.exp((-x * x) / 2)) / Math.sqrt(2 * Math.PI);
    case "relu":
      return Math.max(x, 0);
    case "step":
      return x > 0 ? 1 : 0;
    case "leakyRelu":
      return x > 0 ? x : slope * x;
    case "leakySlope":
      return x > 0 ? 1 : slope;
    default:
      return Math[name](x);
  }
}

function element(values: Float64Array, at: number): number {
  if (!(at >= 0 && at < values.length)) throw new RangeError(`element ${at} of ${values.length} is read`);
  return values[at];
}
