import {
  type Condition,
  type Expression,
  lookups,
  partsOf,
} from "../../../../src/engine/cuda/plan/expressions/expression.js";
import type { Atom, Index } from "../../../../src/engine/cuda/plan/expressions/index-algebra.js";
import type { Store } from "../../../../src/engine/cuda/plan/plan.js";
import { erf } from "../../../../src/numerics/error-function.js";

/** Evaluates the expressions of a job for given counters. */
export class Evaluator {
  readonly #parts: readonly Expression[];
  readonly #values: number[] = [];
  readonly #load: (buffer: number, at: number) => number;
  #counters: Readonly<Record<string, number>> = {};
  #product = NaN;

  constructor(stores: readonly Store[], load: (buffer: number, at: number) => number) {
    this.#parts = partsOf(stores.flatMap(({ value, index }) => [value, ...lookups(index)]));
    this.#load = load;
  }

  /** In an epilogue with the element of the product. */
  evaluate(counters: Readonly<Record<string, number>>, product = NaN): void {
    this.#counters = counters;
    this.#product = product;
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
      case "product":
        return this.#product;
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
