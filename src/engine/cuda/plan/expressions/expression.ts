import type { ElementwiseName } from "../../../program.js";
import { type Index, range, substituted } from "./index-algebra.js";

/** An index lies from `low` to `high - 1`. */
export interface Condition {
  readonly index: Index;
  readonly low: number;
  readonly high: number;
}

/** Where something lies: a buffer of the plan and the number of an element in it. */
export interface Place {
  readonly buffer: number;
  readonly index: Index;
}

/** One number of a kernel, made of others. Equal expressions are one object: a kernel computes them once. */
export type Expression = { readonly id: number } & (
  | { readonly kind: "literal"; readonly value: number }
  /** The element that a product has just computed, of which this is the epilogue, or one of four by its place. */
  | { readonly kind: "product"; readonly place?: number }
  /** Read from memory where all conditions hold, zero elsewhere. */
  | ({ readonly kind: "load"; readonly conditions: readonly Condition[] } & Place)
  | {
      readonly kind: "apply";
      readonly name: ElementwiseName;
      readonly operands: readonly Expression[];
      /** Of `leakyRelu` and `leakySlope`. */
      readonly slope: number;
    }
  | {
      readonly kind: "choose";
      readonly conditions: readonly Condition[];
      readonly then: Expression;
      readonly otherwise: Expression;
    }
);

export type Load = Extract<Expression, { kind: "load" }>;

/** Makes expressions, each but once. */
export class Expressions {
  readonly #made = new Map<string, Expression>();

  literal(value: number): Expression {
    return this.#make(`literal ${Object.is(value, -0) ? "-0" : value}`, { kind: "literal", value });
  }

  product(place?: number): Expression {
    return this.#make(`product ${place}`, { kind: "product", ...(place !== undefined && { place }) });
  }

  load(place: Place, conditions: readonly Condition[]): Expression {
    const key = `load ${place.buffer} ${place.index.key} ${conditions.map(keyOf)}`;
    return this.#make(key, { kind: "load", ...place, conditions });
  }

  apply(name: ElementwiseName, operands: readonly Expression[], slope = 0): Expression {
    const key = `${name} ${slope} ${operands.map(({ id }) => id)}`;
    return this.#make(key, { kind: "apply", name, operands, slope });
  }

  /** One of two, of which neither needs to make sense where it is not chosen. */
  choose(conditions: readonly Condition[], then: Expression, otherwise: Expression): Expression {
    const open = conditions.filter((condition) => truth(condition) === undefined);
    if (conditions.some((condition) => truth(condition) === false)) return otherwise;
    if (open.length === 0 || then === otherwise) return then;
    if (isZero(otherwise) && vanishes(then, open)) return then;
    const key = `choose ${open.map(keyOf)} ${then.id} ${otherwise.id}`;
    return this.#make(key, { kind: "choose", conditions: open, then, otherwise });
  }

  #make(key: string, parts: Parts): Expression {
    const known = this.#made.get(key) ?? { id: this.#made.size, ...parts };
    this.#made.set(key, known);
    return known;
  }
}

type Parts = Expression extends infer E ? (E extends Expression ? Omit<E, "id"> : never) : never;

const isZero = (expression: Expression): boolean =>
  expression.kind === "literal" && Object.is(expression.value, 0);

/** Whether an expression is zero wherever one of some conditions does not hold. */
function vanishes(expression: Expression, conditions: readonly Condition[]): boolean {
  if (expression.kind === "load") return includes(expression.conditions, conditions);
  const isProduct = expression.kind === "apply" && expression.name === "multiply";
  return isProduct && expression.operands.every((operand) => vanishes(operand, conditions));
}

function includes(conditions: readonly Condition[], some: readonly Condition[]): boolean {
  const known = new Set(conditions.map(keyOf));
  return some.every((condition) => known.has(keyOf(condition)));
}

/** Conditions with one more, if it can fail. */
export function alsoIf(conditions: readonly Condition[], condition: Condition): readonly Condition[] {
  if (truth(condition) || conditions.some((known) => keyOf(known) === keyOf(condition))) return conditions;
  return [...conditions, condition];
}

/** All that an expression is made of, itself last, each part once. */
export function partsOf(roots: readonly Expression[]): Expression[] {
  const found = new Set<Expression>();
  const visit = (expression: Expression) => {
    if (found.has(expression)) return;
    for (const child of childrenOf(expression)) visit(child);
    found.add(expression);
  };
  roots.forEach(visit);
  return [...found];
}

/**
 * What writes expressions anew with another index in place of a counter, and elements of products by their `place`. Equal
 * ones stay one, also of several of these.
 */
export function substitution(
  expressions: Expressions,
  name: string,
  by: Index,
  place?: number,
): { index(a: Index): Index; of(expression: Expression): Expression } {
  const known = new Map<Expression, Expression>();
  const index = (a: Index) => substituted(a, name, by, of);
  const conditions = (all: readonly Condition[]) => all.map((one) => ({ ...one, index: index(one.index) }));
  const of = (expression: Expression): Expression => {
    const found = known.get(expression) ?? anew(expression);
    known.set(expression, found);
    return found;
  };
  const anew = (expression: Expression): Expression => {
    switch (expression.kind) {
      case "literal":
        return expressions.literal(expression.value);
      case "product":
        return expressions.product(place);
      case "load":
        return expressions.load(
          { buffer: expression.buffer, index: index(expression.index) },
          conditions(expression.conditions).reduce<readonly Condition[]>(alsoIf, []),
        );
      case "apply":
        return expressions.apply(expression.name, expression.operands.map(of), expression.slope);
      case "choose":
        return expressions.choose(
          conditions(expression.conditions),
          of(expression.then),
          of(expression.otherwise),
        );
    }
  };
  return { index, of };
}

function childrenOf(expression: Expression): readonly Expression[] {
  switch (expression.kind) {
    case "literal":
    case "product":
      return [];
    case "load":
      return [...lookups(expression.index), ...expression.conditions.flatMap(({ index }) => lookups(index))];
    case "apply":
      return expression.operands;
    case "choose":
      return [
        ...expression.conditions.flatMap(({ index }) => lookups(index)),
        expression.then,
        expression.otherwise,
      ];
  }
}

/** The numbers that an index reads from memory. */
export function lookups({ terms }: Index): Expression[] {
  return terms.flatMap(({ atom }) => {
    if (atom.kind === "lookup") return [atom.value];
    return atom.kind === "variable" ? [] : lookups(atom.of);
  });
}

/** Whether a condition always holds or never; undefined where it depends. */
function truth({ index, low, high }: Condition): boolean | undefined {
  const [least, most] = range(index);
  if (least >= low && most < high) return true;
  return most < low || least >= high ? false : undefined;
}

const keyOf = ({ index, low, high }: Condition): string => `${low}<=${index.key}<${high}`;
