import type { Place } from "../../../src/engine/cuda/expression.js";
import { range } from "../../../src/engine/cuda/index-algebra.js";
import { isOwn, loadsOf, type Plan, type Step, storesOf } from "../../../src/engine/cuda/plan.js";
import type { Matrix, Product } from "../../../src/engine/cuda/products.js";

/** Elements `low` to `high` of a buffer. */
interface Span {
  readonly buffer: number;
  readonly low: number;
  readonly high: number;
}

/**
 * Steps of a stage may be done at the same time: none may read memory that another one writes, and no product, whose
 * threads read more than their own elements, memory that it writes itself.
 */
export function checkStages({ steps, buffers }: Plan): void {
  const memory = ({ buffer, low, high }: Span) => {
    const { location, size } = buffers.get(buffer)!;
    const start = location.kind === "arena" ? location.offset : 0;
    return {
      key: location.kind === "arena" ? "arena" : location.kind === "input" ? location.input : `${buffer}`,
      start: start + Math.max(0, low),
      end: start + Math.min(size - 1, high),
    };
  };
  const check = (written: readonly Span[], read: readonly Span[], stage: number) => {
    for (const one of written)
      for (const two of read) {
        const [x, y] = [memory(one), memory(two)];
        if (x.key === y.key && x.start <= y.end && y.start <= x.end)
          throw new Error(`stage ${stage} reads buffer ${two.buffer} and writes ${one.buffer}`);
      }
  };
  const ofStages = new Map<number, ReturnType<typeof spansOf>[]>();
  for (const step of steps) {
    const { reads, factors, writes } = spansOf(step);
    check(writes, factors, step.stage);
    const others = ofStages.get(step.stage) ?? [];
    for (const other of others) {
      check(writes, [...other.reads, ...other.factors], step.stage);
      check(other.writes, [...reads, ...factors], step.stage);
    }
    ofStages.set(step.stage, [...others, { reads, factors, writes }]);
  }
}

function spansOf(step: Step): { reads: Span[]; factors: Span[]; writes: Span[] } {
  switch (step.kind) {
    case "copy": {
      const whole = (buffer: number) => ({ buffer, low: 0, high: step.size - 1 });
      return { reads: [], factors: [whole(step.from)], writes: [whole(step.to)] };
    }
    case "product": {
      const { rows, columns, inner } = step;
      const factors = [matrixSpan(step.a, rows, inner, step), matrixSpan(step.b, inner, columns, step)];
      if (!isOwn(step))
        return {
          reads: [],
          factors,
          writes: [matrixSpan({ ...step.c, transposed: false }, rows, columns, step)],
        };
      return { reads: loadsOf(step.epilogue).map(spanOf), factors, writes: step.epilogue.map(spanOf) };
    }
    case "launch": {
      const stores = step.jobs.flatMap(storesOf);
      return { reads: loadsOf(stores).map(spanOf), factors: [], writes: stores.map(spanOf) };
    }
  }
}

function spanOf({ buffer, index }: Place): Span {
  const [low, high] = range(index);
  return { buffer, low, high };
}

function matrixSpan(matrix: Matrix, rows: number, columns: number, { batch }: Product): Span {
  const { buffer, offset: low, transposed, rowStride, batchStride } = matrix;
  const [long, short] = transposed ? [columns, rows] : [rows, columns];
  return { buffer, low, high: low + (batch - 1) * batchStride + (long - 1) * rowStride + short - 1 };
}
