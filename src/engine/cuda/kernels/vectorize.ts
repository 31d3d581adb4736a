import { type Expression, Expressions, type Load, substitution } from "../plan/expressions/expression.js";
import { dot, fixed, type Index, plus, reach, variable } from "../plan/expressions/index-algebra.js";
import { loadsOf, type Store } from "../plan/plan.js";

/** The counter of four neighbouring elements, in CUDA C. */
export const FOUR = "f";

/** What a thread does with four neighbours along a counter. */
export interface Vectorized {
  /** Of each of the four. */
  readonly elements: readonly Elements[];
  /** Whether what is stored of the four, each at a time, lies side by side. */
  readonly areTogether: readonly boolean[];
  /** Numbers that are read together: the first one of four, and the place of each among them. */
  readonly together: ReadonlyMap<Expression, { readonly first: Load; readonly place: number }>;
  /** What becomes of an expression for each of the four. */
  of(expression: Expression): readonly Expression[];
}

export interface Elements {
  readonly sums: readonly Store[];
  readonly stores: readonly Store[];
}

/** Elements along a counter that is a multiple of four, `size` with those along other counters. */
export interface Neighbours extends Elements {
  readonly counter: string;
  readonly extent: number;
  readonly size: number;
  /** Which four of them a thread has, in place of FOUR. */
  readonly four?: Index;
  /** Whether a buffer has numbers that can be read four at a time. */
  readonly isFloat: (buffer: number) => boolean;
  /** Whether they are taken four at a time even if they must be moved one by one. */
  readonly anyway?: boolean;
}

/** A number that comes from so many times fewer than there are elements is in the cache. */
const FEW = 8;

/**
 * The same for four neighbours at a time, if all that is stored of them, and all that is read of large tensors for them,
 * is either the same for the four or lies side by side, so that it is moved with one instruction.
 */
export function vectorize({
  sums,
  stores,
  counter,
  extent,
  size,
  four = variable(FOUR, extent / 4),
  isFloat,
  anyway = false,
}: Neighbours): Vectorized | undefined {
  if (extent % 4 !== 0) return undefined;
  const expressions = new Expressions();
  const places = [0, 1, 2, 3].map((place) =>
    substitution(expressions, counter, dot(place, [4], [four]), place),
  );
  const elements = places.map(({ index, of }) => {
    const moved = ({ buffer, index: at, value }: Store) => ({ buffer, index: index(at), value: of(value) });
    return { sums: sums.map(moved), stores: stores.map(moved) };
  });
  const areTogether = stores.map((_, k) => lieSideBySide(elements.map((one) => one.stores[k].index)));
  if (!anyway && areTogether.includes(false)) return undefined;
  const together = new Map<Expression, { first: Load; place: number }>();
  for (const load of loadsOf([...sums, ...stores])) {
    const four = places.map(({ of }) => of(load) as Load);
    const [first, ...others] = four;
    if (others.every((other) => other === first)) continue;
    const alike = others.every((other) => conditionsOf(other) === conditionsOf(first));
    if (alike && isFloat(load.buffer) && lieSideBySide(four.map(({ index }) => index)))
      four.forEach((one, place) => {
        together.set(one, { first, place });
      });
    else if (!anyway && FEW * reach(load.index) > size) return undefined;
  }
  return { elements, areTogether, together, of: (expression) => places.map(({ of }) => of(expression)) };
}

const conditionsOf = ({ conditions }: Load): string =>
  conditions.map(({ index, low, high }) => `${low}<=${index.key}<${high}`).join();

/** Whether four numbers follow each other, the first one at a multiple of four. */
function lieSideBySide([first, ...others]: readonly Index[]): boolean {
  const isAligned = first.constant % 4 === 0 && first.terms.every(({ coefficient }) => coefficient % 4 === 0);
  return isAligned && others.every(({ key }, i) => key === plus(first, fixed(i + 1)).key);
}
