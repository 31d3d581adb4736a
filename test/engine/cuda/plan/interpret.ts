import { acceptInput, type Backend, type Executable, heldInput } from "../../../../src/engine/backend.js";
import { type PlanOptions, planOf } from "../../../../src/engine/cuda/compile-plan.js";
import type { Matrix } from "../../../../src/engine/cuda/plan/layout/products.js";
import { lifetimes } from "../../../../src/engine/cuda/plan/memory/memory-plan.js";
import {
  derivativeOf,
  isOwn,
  type Job,
  type LineStore,
  type Plan,
  type Step,
  storesOf,
} from "../../../../src/engine/cuda/plan/plan.js";
import { toNumbers } from "../../../../src/files/ndarray.js";
import { elements } from "../../../../src/numerics/shape.js";
import { checkStages } from "./check-stages.js";
import type { Evaluator } from "./evaluator.js";
import { element, PlanMemory } from "./plan-memory.js";
import { Threads } from "./threads.js";

/** Executes the plans of the CUDA compiler in plain TypeScript and float64, with the memory that they foresee. */
export function interpretingBackend(options: PlanOptions = {}): Backend {
  return {
    name: "interpreted CUDA plan",
    prefersLargeKernels: true,
    async compile(program) {
      const plan = planOf(program, options);
      checkStages(plan);
      const memory = new PlanMemory(plan);
      const given = new Set<string>();
      const executable: Executable = {
        async run(inputs = {}, wanted) {
          for (const [name, values] of Object.entries(inputs)) executable.write(name, values);
          for (const name of program.inputs.keys()) heldInput(new Map([...given].map((x) => [x, x])), name);
          runPlan(plan, memory);
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

/** One step after another; what no longer matters, or not yet, is not a number. */
function runPlan({ steps, buffers, outputs }: Plan, memory: PlanMemory): void {
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
    for (const { buffer, first } of lives) if (first === at) memory.of(buffer).fill(NaN);
    // Steps of a stage are independent: their order does not matter.
    for (const step of steps.filter(({ stage }) => stage === at).reverse()) runStep(step, memory);
    for (const { buffer, last } of lives) if (last === at) memory.of(buffer).fill(NaN);
  }
}

function runStep(step: Step, memory: PlanMemory): void {
  switch (step.kind) {
    case "backward": {
      const { layer, inputs, weights } = step;
      memory.within(derivativeOf(step).buffer, layer.rows * layer.columns * layer.batch, () => {
        for (const product of [layer, inputs, weights]) runStep(product, memory);
      });
      return;
    }
    case "transformed":
      for (const product of [step.layer, step.transform]) runStep(product, memory);
      return;
    case "copy":
      memory.of(step.to).set(memory.of(step.from).subarray(0, step.size));
      return;
    case "product":
      if (isOwn(step)) {
        const threads = new Threads(memory, [...step.epilogue, ...step.sums, ...step.lines]);
        const each = threads.computing([...step.epilogue, ...step.lines]);
        const lines = step.lines.map((line) => new LineTotals(line));
        multiply(step, memory, (value, n, row, column) => {
          each.evaluate({ n, row, column }, value);
          threads.store(each, step.epilogue);
          for (const line of lines) line.add(each, { n, row, column });
        });
        for (const line of lines) line.store(threads);
        for (const sum of step.sums) {
          const one = threads.computing([sum]);
          addUp(step, sum.side, memory, (value, n, place) => {
            one.evaluate({ n, row: place, column: place }, value);
            threads.store(one, [sum]);
          });
        }
        threads.finish();
      } else
        multiply(step, memory, (value, n, row, column) => {
          const [to, c] = [placeOf(step.c, n, step.batch, row, column), memory.of(step.c.buffer)];
          if (to >= c.length) throw new RangeError(`product writes element ${to} of ${c.length}`);
          c[to] = value;
        });
      return;
    case "launch":
      launch(step.jobs, memory);
  }
}

/** Sums of what becomes of elements along a product's rows, or columns of some rows that lie one behind the other. */
class LineTotals {
  readonly #line: LineStore;
  readonly #totals = new Map<string, { sum: number; count: number; at: Record<string, number> }>();

  constructor(line: LineStore) {
    this.#line = line;
  }

  add(evaluator: Evaluator, at: { n: number; row: number; column: number }): void {
    const { along, length, value } = this.#line;
    const own = along === "row" ? at.row : `${Math.floor(at.row / length)} ${at.column}`;
    const total = this.#totals.get(`${at.n} ${own}`) ?? { sum: 0, count: 0, at };
    this.#totals.set(`${at.n} ${own}`, total);
    total.sum += evaluator.value(value);
    total.count++;
  }

  store(threads: Threads): void {
    const place = threads.computing([]);
    for (const { sum, count, at } of this.#totals.values()) {
      if (count !== this.#line.length) throw new Error(`a line has ${count} of ${this.#line.length} numbers`);
      place.evaluate(at);
      threads.store(place, [this.#line], [sum]);
    }
  }
}

function multiply(
  { rows, columns, inner, batch, group = batch, a, b, added }: Extract<Step, { kind: "product" }>,
  memory: PlanMemory,
  use: (value: number, n: number, row: number, column: number) => void,
): void {
  const at = (matrix: Matrix, n: number, row: number, column: number) =>
    elementOf(memory.of(matrix.buffer), matrix, n, group, row, column);
  for (let n = 0; n < batch; n++)
    for (let row = 0; row < rows; row++)
      for (let column = 0; column < columns; column++) {
        let dot = 0;
        for (let k = 0; k < inner; k++) dot += at(a, n, row, k) * at(b, n, k, column);
        for (let k = 0; k < (added?.inner ?? 0); k++) {
          const { inner, columns, a, b } = added!;
          dot += at(a, n, row, Math.floor(column / columns) * inner + k) * at(b, n, k, column % columns);
        }
        use(dot, n, row, column);
      }
}

/** An element of op(A). */
function elementOf(
  values: Float64Array,
  matrix: Matrix,
  n: number,
  group: number,
  row: number,
  column: number,
): number {
  const [line, number] = matrix.transposed ? [column, row] : [row, column];
  return numberOf(values, matrix, n, group, line, number);
}

/** The sums of a factor over the inner axis. */
function addUp(
  { rows, columns, inner, batch, group = batch, ...factors }: Extract<Step, { kind: "product" }>,
  side: 0 | 1,
  memory: PlanMemory,
  use: (value: number, n: number, place: number) => void,
): void {
  const factor = side === 0 ? factors.a : factors.b;
  const values = memory.of(factor.buffer);
  const isInnerFirst = factor.transposed === (side === 0);
  for (let n = 0; n < batch; n++)
    for (let place = 0; place < (side === 0 ? rows : columns); place++) {
      let sum = 0;
      for (let k = 0; k < inner; k++)
        sum += isInnerFirst
          ? numberOf(values, factor, n, group, k, place)
          : numberOf(values, factor, n, group, place, k);
      use(sum, n, place);
    }
}

/** A number of a stored matrix, or of patches of a field. */
function numberOf(
  values: Float64Array,
  matrix: Matrix,
  n: number,
  group: number,
  line: number,
  number: number,
): number {
  const { patches } = matrix;
  if (!patches) return element(values, placeOf(matrix, n, group, line, number));
  const { kernel, strides, padding, field, steps, shift } = patches;
  const [, across] = patches.places;
  const place = number + (n % group) * shift;
  const y = Math.floor(place / across) * strides[0] - padding[0] + (Math.floor(line / kernel[1]) % kernel[0]);
  const x = (place % across) * strides[1] - padding[1] + (line % kernel[1]);
  if (y < 0 || y >= field[0] || x < 0 || x >= field[1]) return 0;
  const channel = Math.floor(line / (kernel[0] * kernel[1]));
  const inField = channel * steps[0] + y * steps[1] + x * steps[2];
  return element(values, placeOf(matrix, n, group, 0, inField));
}

function placeOf(
  { offset, rowStride, batchStride, groupStride = 0 }: Omit<Matrix, "transposed">,
  n: number,
  group: number,
  row: number,
  column: number,
): number {
  const matrix = Math.floor(n / group) * groupStride + (n % group) * batchStride;
  return offset + matrix + row * rowStride + column;
}

/** All jobs of a launch run at the same time. */
function launch(jobs: readonly Job[], memory: PlanMemory): void {
  const threads = new Threads(memory, jobs.flatMap(storesOf));
  for (const job of jobs) {
    const each = threads.computing(storesOf(job));
    if (job.kind === "map")
      for (let i = 0; i < job.size; i++) {
        each.evaluate({ i });
        threads.store(each, job.stores);
      }
    else {
      const { outputs, length, chunks, part } = job.layout;
      for (let c = 0; c < chunks; c++)
        for (let o = 0; o < outputs; o++) {
          const sums = job.sums.map(() => 0);
          for (let r = c * part; r < Math.min(length, (c + 1) * part); r++) {
            each.evaluate({ c, o, r });
            job.sums.forEach(({ value }, k) => {
              sums[k] += each.value(value);
            });
            threads.store(each, job.stores);
          }
          threads.store(each, job.sums, sums);
        }
    }
  }
  threads.finish();
}
