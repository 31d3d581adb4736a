import type { Expression } from "./expression.js";

/**
 * A whole number made of the counters of a loop: `constant` plus coefficients times atoms. Where an element of a tensor
 * lies in memory is such a number, whatever slices, transpositions and reshapes stand between the tensor and memory.
 * Divisions round down.
 */
export interface Index {
  readonly constant: number;
  readonly terms: readonly Term[];
  /** Equal for equal indices. */
  readonly key: string;
}

export interface Term {
  readonly coefficient: number;
  readonly atom: Atom;
}

/** A number from 0 to `extent - 1`. */
export type Atom = { readonly extent: number; readonly key: string } & (
  | { readonly kind: "variable"; readonly name: string }
  | { readonly kind: "quotient" | "remainder"; readonly of: Index; readonly by: number }
  /** A whole number that is read from memory. */
  | { readonly kind: "lookup"; readonly value: Expression }
);

export const ZERO = fixed(0);

export function fixed(value: number): Index {
  return { constant: value, terms: [], key: `${value}` };
}

/** A counter from 0 to `extent - 1`. */
export function variable(name: string, extent: number): Index {
  return extent === 1 ? ZERO : single({ kind: "variable", name, extent, key: `${name}:${extent}` });
}

/** A number from 0 to `extent - 1` that is read from memory. */
export function lookup(value: Expression, extent: number): Index {
  return single({ kind: "lookup", value, extent, key: `look${value.id}` });
}

export function plus(a: Index, b: Index): Index {
  return index(a.constant + b.constant, [...a.terms, ...b.terms]);
}

export function times(a: Index, factor: number): Index {
  return index(
    a.constant * factor,
    a.terms.map(({ coefficient, atom }) => ({ coefficient: coefficient * factor, atom })),
  );
}

/** offset + sum of strides times coordinates. */
export function dot(offset: number, strides: readonly number[], coordinates: readonly Index[]): Index {
  return index(
    coordinates.reduce((sum, { constant }, axis) => sum + strides[axis] * constant, offset),
    coordinates.flatMap(({ terms }, axis) =>
      terms.map(({ coefficient, atom }) => ({ coefficient: coefficient * strides[axis], atom })),
    ),
  );
}

/** The smallest and the largest value. */
export function range({ constant, terms }: Omit<Index, "key">): [low: number, high: number] {
  let [low, high] = [constant, constant];
  for (const { coefficient, atom } of terms) {
    if (coefficient > 0) high += coefficient * (atom.extent - 1);
    else low += coefficient * (atom.extent - 1);
  }
  return [low, high];
}

/** How many different values an index takes at most. */
export function reach(a: Index): number {
  const [low, high] = range(a);
  return a.terms.reduce((product, { atom }) => Math.min(product * atom.extent, high - low + 1), 1);
}

export function quotient(a: Index, by: number): Index {
  return divided(a, by).quotient;
}

export function remainder(a: Index, by: number): Index {
  return divided(a, by).remainder;
}

/** The coordinates in `shape` of the element that comes `flat`-th in row-major order. */
export function coordinatesOf(flat: Index, shape: readonly number[]): Index[] {
  const coordinates: Index[] = [];
  let rest = flat;
  for (let axis = shape.length - 1; axis >= 0; axis--) {
    coordinates.unshift(axis === 0 ? rest : remainder(rest, shape[axis]));
    rest = quotient(rest, shape[axis]);
  }
  if (shape.length > 0 && shape[0] === 1) coordinates[0] = ZERO;
  return coordinates;
}

/** An index with another one in place of a counter, and what `looked` makes of expressions that are read. */
export function substituted(
  a: Index,
  name: string,
  by: Index,
  looked: (value: Expression) => Expression,
): Index {
  const within = (of: Index) => substituted(of, name, by, looked);
  const replaced = (atom: Atom): Index => {
    switch (atom.kind) {
      case "variable":
        return atom.name === name ? by : single(atom);
      case "lookup":
        return lookup(looked(atom.value), atom.extent);
      case "quotient":
        return quotient(within(atom.of), atom.by);
      case "remainder":
        return remainder(within(atom.of), atom.by);
    }
  };
  return dot(
    a.constant,
    a.terms.map(({ coefficient }) => coefficient),
    a.terms.map(({ atom }) => replaced(atom)),
  );
}

/** Whether an index may differ with a counter; one that is read from memory may. */
export function dependsOn({ terms }: Pick<Index, "terms">, name: string): boolean {
  return terms.some(({ atom }) => {
    if (atom.kind === "variable") return atom.name === name;
    return atom.kind === "lookup" || dependsOn(atom.of, name);
  });
}

/** Coefficients of variables, if the index is made of nothing else. */
export function strides(a: Index): ReadonlyMap<string, number> | undefined {
  const found = new Map<string, number>();
  for (const { coefficient, atom } of a.terms) {
    if (atom.kind !== "variable") return undefined;
    found.set(atom.name, coefficient);
  }
  return found;
}

/** Quotient and remainder, freed of what is known when the program is compiled. */
function divided(a: Index, by: number): { quotient: Index; remainder: Index } {
  if (by === 1) return { quotient: a, remainder: ZERO };
  const divisible = a.terms.filter(({ coefficient }) => coefficient % by === 0);
  const others = a.terms.filter((term) => !divisible.includes(term));
  // What is left to divide is nowhere negative, also where it falls as a counter grows.
  const least = Math.floor(range({ constant: a.constant, terms: others })[0] / by);
  const whole = index(
    least,
    divisible.map(({ coefficient, atom }) => ({ coefficient: coefficient / by, atom })),
  );
  const rest = index(a.constant - by * least, others);
  const [low, high] = range(rest);
  if (low >= 0 && high < by) return { quotient: whole, remainder: rest };
  const split = highAndLow(rest, by);
  if (split && split.unit > 1) {
    // (unit high + low) divided by unit n, with low below unit, is high divided by n.
    const ofHigh = divided(split.high, by / split.unit);
    return {
      quotient: plus(whole, ofHigh.quotient),
      remainder: plus(times(ofHigh.remainder, split.unit), split.low),
    };
  }
  return {
    quotient: plus(whole, single(quotientAtom(rest, by))),
    remainder: single(remainderAtom(rest, by)),
  };
}

/** An index as unit * high + low with 0 <= low < unit, where unit divides `by`. */
function highAndLow(a: Index, by: number): { unit: number; high: Index; low: Index } | undefined {
  const terms = [...a.terms].sort((s, t) => t.coefficient - s.coefficient);
  let unit = by;
  let best: { unit: number; high: Index; low: Index } | undefined;
  for (let count = 1; count <= terms.length; count++) {
    unit = greatestCommonDivisor(unit, Math.abs(terms[count - 1].coefficient));
    const constant = Math.floor(a.constant / unit);
    const low = index(a.constant - unit * constant, terms.slice(count));
    const [least, most] = range(low);
    if (least >= 0 && most < unit && unit > (best?.unit ?? 1)) {
      const high = terms
        .slice(0, count)
        .map(({ coefficient, atom }) => ({ coefficient: coefficient / unit, atom }));
      best = { unit, high: index(constant, high), low };
    }
  }
  return best;
}

function quotientAtom(of: Index, by: number): Atom {
  const [only] = of.terms;
  if (of.constant === 0 && of.terms.length === 1 && only.coefficient === 1 && only.atom.kind === "quotient")
    return quotientAtom(only.atom.of, only.atom.by * by);
  return {
    kind: "quotient",
    of,
    by,
    extent: Math.floor(range(of)[1] / by) + 1,
    key: `(${of.key})/${by}`,
  };
}

function remainderAtom(of: Index, by: number): Atom {
  return { kind: "remainder", of, by, extent: by, key: `(${of.key})%${by}` };
}

function single(atom: Atom): Index {
  return index(0, [{ coefficient: 1, atom }]);
}

/** Collects equal atoms and puts quotients and remainders of the same division together again. */
function index(constant: number, parts: readonly Term[]): Index {
  const terms = new Map<string, Term>();
  const add = ({ coefficient, atom }: Term) => {
    const total = coefficient + (terms.get(atom.key)?.coefficient ?? 0);
    if (total === 0 || atom.extent === 1) terms.delete(atom.key);
    else terms.set(atom.key, { coefficient: total, atom });
  };
  parts.forEach(add);
  for (let joined = joinable(terms); joined; joined = joinable(terms)) {
    const { coefficient, of, keys } = joined;
    for (const key of keys) terms.delete(key);
    constant += coefficient * of.constant;
    for (const term of of.terms) add({ coefficient: coefficient * term.coefficient, atom: term.atom });
  }
  const sorted = [...terms.values()].sort((s, t) =>
    s.atom.key < t.atom.key ? -1 : s.atom.key > t.atom.key ? 1 : 0,
  );
  const key = [constant, ...sorted.map(({ coefficient, atom }) => `${coefficient}*${atom.key}`)].join("+");
  return { constant, terms: sorted, key };
}

/** Terms c (x mod n) and c n (x div n), which are c x together. */
function joinable(
  terms: ReadonlyMap<string, Term>,
): { coefficient: number; of: Index; keys: readonly string[] } | undefined {
  for (const { coefficient, atom } of terms.values()) {
    if (atom.kind !== "remainder") continue;
    const high = terms.get(quotientAtom(atom.of, atom.by).key);
    if (high?.coefficient === coefficient * atom.by)
      return { coefficient, of: atom.of, keys: [atom.key, high.atom.key] };
  }
  return undefined;
}

function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b);
}
