import type { Place } from "../../../../src/engine/cuda/plan/expressions/expression.js";
import {
  dot,
  type Index,
  range,
  variable,
} from "../../../../src/engine/cuda/plan/expressions/index-algebra.js";
import type { Matrix } from "../../../../src/engine/cuda/plan/layout/products.js";
import {
  derivativeOf,
  isOwn,
  loadsOf,
  type Plan,
  type Step,
  storesOf,
} from "../../../../src/engine/cuda/plan/plan.js";
import { Evaluator } from "./evaluator.js";

/** Some elements of a buffer, from `low` to `high`. */
interface Span {
  readonly buffer: number;
  readonly low: number;
  readonly high: number;
  readonly elements: () => ReadonlySet<number>;
}

/**
 * Steps of a stage may be done at the same time: none may read or write memory that another one writes, and no product,
 * whose threads read more than their own elements, memory that it writes itself.
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
        const apart = x.key !== y.key || x.start > y.end || y.start > x.end;
        // Parts of a buffer may lie between each other.
        if (!apart && !(one.buffer === two.buffer && areApart(one, two)))
          throw new Error(`stage ${stage} uses buffer ${two.buffer} and writes ${one.buffer}`);
      }
  };
  const ofStages = new Map<number, ReturnType<typeof spansOf>[]>();
  for (const step of steps) {
    const { reads, factors, writes } = spansOf(step);
    check(writes, factors, step.stage);
    const others = ofStages.get(step.stage) ?? [];
    for (const other of others) {
      check(writes, [...other.reads, ...other.factors, ...other.writes], step.stage);
      check(other.writes, [...reads, ...factors], step.stage);
    }
    ofStages.set(step.stage, [...others, { reads, factors, writes }]);
  }
}

function spansOf(step: Step): { reads: Span[]; factors: Span[]; writes: Span[] } {
  switch (step.kind) {
    case "copy": {
      const whole = (buffer: number) => matrixSpan(plain(buffer), 1, step.size, 1);
      return { reads: [], factors: [whole(step.from)], writes: [whole(step.to)] };
    }
    case "product": {
      const { rows, columns, inner, batch, group = batch, added } = step;
      const factors = [
        matrixSpan(step.a, rows, inner, batch, group),
        matrixSpan(step.b, inner, columns, batch, group),
        ...(added
          ? [
              matrixSpan(added.a, rows, (columns / added.columns) * added.inner, batch, group),
              matrixSpan(added.b, added.inner, added.columns, batch, group),
            ]
          : []),
      ];
      if (!isOwn(step)) {
        const c = { ...step.c, transposed: false };
        return { reads: [], factors, writes: [matrixSpan(c, rows, columns, batch)] };
      }
      const stores = [...step.epilogue, ...step.sums, ...step.lines];
      return { reads: loadsOf(stores).map(spanOf), factors, writes: stores.map(spanOf) };
    }
    case "backward": {
      const { buffer: within } = derivativeOf(step);
      const all = [step.layer, step.inputs, step.weights].map(spansOf);
      const others = (spans: readonly Span[]) => spans.filter(({ buffer }) => buffer !== within);
      return {
        reads: [],
        factors: others(all.flatMap(({ reads, factors }) => [...reads, ...factors])),
        writes: others(all.flatMap(({ writes }) => writes)),
      };
    }
    case "transformed": {
      const { b } = step.transform;
      const [layer, transform] = [spansOf(step.layer), spansOf(step.transform)];
      return {
        reads: [...layer.reads, ...transform.reads],
        factors: [...layer.factors, ...transform.factors.filter(({ buffer }) => buffer !== b.buffer)],
        writes: [...layer.writes, ...transform.writes],
      };
    }
    case "launch": {
      const stores = step.jobs.flatMap(storesOf);
      return { reads: loadsOf(stores).map(spanOf), factors: [], writes: stores.map(spanOf) };
    }
  }
}

function spanOf({ buffer, index }: Place): Span {
  const [low, high] = range(index);
  return { buffer, low, high, elements: () => new Set(valuesOf(index)) };
}

const plain = (buffer: number): Matrix => ({
  buffer,
  offset: 0,
  transposed: false,
  rowStride: 0,
  batchStride: 0,
});

function matrixSpan(matrix: Matrix, rows: number, columns: number, batch: number, group = batch): Span {
  const { buffer, offset, transposed, rowStride, batchStride, groupStride = 0, patches } = matrix;
  const [long, short] = transposed ? [columns, rows] : [rows, columns];
  if (patches) {
    const place = dot(
      offset,
      [groupStride, batchStride, ...patches.steps],
      [batch / group, group, patches.channels, ...patches.field].map((extent, i) => variable(`${i}`, extent)),
    );
    return spanOf({ buffer, index: place });
  }
  const strides = [groupStride, batchStride, rowStride, 1];
  const counters = [
    variable("m", batch / group),
    variable("n", group),
    variable("i", long),
    variable("j", short),
  ];
  const place = dot(offset, strides, counters);
  return spanOf({ buffer, index: place });
}

function areApart(one: Span, two: Span): boolean {
  const elements = one.elements();
  return [...two.elements()].every((element) => !elements.has(element));
}

/** All values of an index that reads nothing from memory. */
function valuesOf(index: Index): number[] {
  const evaluator = new Evaluator([], () => NaN);
  const all = variablesOf(index).reduce<Record<string, number>[]>(
    (counters, [name, extent]) =>
      counters.flatMap((one) => Array.from({ length: extent }, (_, value) => ({ ...one, [name]: value }))),
    [{}],
  );
  return all.map((counters) => {
    evaluator.evaluate(counters);
    return evaluator.index(index);
  });
}

function variablesOf({ terms }: Index): (readonly [name: string, extent: number])[] {
  const found = terms.flatMap(({ atom }) => {
    if (atom.kind === "lookup") throw new Error("an index that is read from memory meets what is written");
    return atom.kind === "variable" ? [[atom.name, atom.extent] as const] : variablesOf(atom.of);
  });
  return [...new Map(found)];
}
