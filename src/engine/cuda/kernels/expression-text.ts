import {
  type Condition,
  type Expression,
  type Load,
  type Place,
  partsOf,
} from "../plan/expressions/expression.js";
import { type Index, range } from "../plan/expressions/index-algebra.js";
import type { Buffer } from "../plan/plan.js";
import { ELEMENTWISE_TEXT, floatText } from "./elementwise-text.js";
import type { Vectorized } from "./vectorize.js";

/** An element of a buffer. */
export interface Pointed {
  readonly buffer: number;
  readonly offset: number;
}

/** Indices are computed in 32 bits. */
const LARGEST = 2 ** 31;

/**
 * Expressions in CUDA C. What they read and where they are stored is pointed to by q0, q1, ...; what they are made of
 * is declared as v0, v1, ..., each part once until all is forgotten.
 */
export class ExpressionText {
  readonly pointers: Pointed[] = [];
  /** Types of q0, q1, ... */
  readonly types: string[] = [];
  readonly #buffers: ReadonlyMap<number, Buffer>;
  readonly #names = new Map<number, { readonly name: string; offset: number }>();
  readonly #values = new Map<Expression, string>();
  #declarations = 0;

  /**
   * Makes one pointer for each buffer, to the first element of it among the places that are read and written. Memory that
   * `written` names is written by the same kernel. Pointers may be named by another letter.
   */
  constructor(
    places: readonly Place[],
    buffers: ReadonlyMap<number, Buffer>,
    written: ReadonlySet<string>,
    letter = "q",
  ) {
    this.#buffers = buffers;
    for (const { buffer, index } of places) {
      if (range(index)[1] >= LARGEST) throw new RangeError(`a tensor of more than ${LARGEST} numbers`);
      const known = this.#names.get(buffer);
      if (known) known.offset = Math.min(known.offset, range(index)[0]);
      else {
        const about = buffers.get(buffer)!;
        const type = about.dtype === "int" ? "int" : "float";
        this.types.push(written.has(memoryOf(about)) ? `${type}*` : `const ${type}* __restrict__`);
        this.#names.set(buffer, { name: `${letter}${this.#names.size}`, offset: range(index)[0] });
      }
    }
    for (const [buffer, { offset }] of this.#names) this.pointers.push({ buffer, offset });
  }

  /** Declares all that these expressions are made of and that is not declared yet. */
  declared(roots: readonly Expression[], together: Vectorized["together"] = new Map()): string {
    const lines: string[] = [];
    for (const part of partsOf(roots)) {
      if (this.#values.has(part)) continue;
      if (part.kind === "literal" || part.kind === "product") {
        this.#values.set(part, part.kind === "literal" ? floatText(part.value) : productText(part.place));
        continue;
      }
      const name = `v${this.#declarations++}`;
      const first = together.get(part)?.first;
      if (first) {
        lines.push(`const float4 ${name} = ${this.#fourCode(first)};\n`);
        for (const [one, { first: other, place }] of together)
          if (other === first) this.#values.set(one, `${name}.${"xyzw"[place]}`);
      } else {
        lines.push(`const ${this.#typeOf(part)} ${name} = ${this.#code(part)};\n`);
        this.#values.set(part, name);
      }
    }
    return lines.join("");
  }

  /** What is declared for an expression. */
  value(expression: Expression): string {
    return this.#values.get(expression)!;
  }

  /** From now on an expression has this value. */
  know(expression: Expression, value: string): void {
    this.#values.set(expression, value);
  }

  forget(): void {
    this.#values.clear();
    this.#declarations = 0;
  }

  isFloat(buffer: number): boolean {
    return this.#buffers.get(buffer)!.dtype === "float";
  }

  place({ buffer, index }: Place): string {
    const { name, offset } = this.#names.get(buffer)!;
    return `${name}[${this.#index({ ...index, constant: index.constant - offset })}]`;
  }

  /** Without branches: what many numbers have in common is computed once, and all are read at the same time. */
  holds(conditions: readonly Condition[]): string {
    return conditions
      .map(({ index, low, high }) => {
        const [least, most] = range(index);
        const value = `(int)(${this.#index({ ...index, constant: 0 })}) + ${index.constant}`;
        const bounds = [
          ...(least < low ? [`(${value} >= ${low})`] : []),
          ...(most >= high ? [`(${value} < ${high})`] : []),
        ];
        return `(${bounds.join(" & ")})`;
      })
      .join(" & ");
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
        const value = this.place(part);
        return part.conditions.length === 0 ? value : `${this.holds(part.conditions)} ? ${value} : 0`;
      }
      case "choose":
        return `${this.holds(part.conditions)} ? ${this.#values.get(part.then)} : ${this.#values.get(part.otherwise)}`;
      case "apply": {
        const [x, y = ""] = part.operands.map((operand) => this.#values.get(operand)!);
        return ELEMENTWISE_TEXT[part.name](x, y, floatText(part.slope));
      }
    }
  }

  /** Four numbers from the first one on. */
  #fourCode(first: Load): string {
    const value = `*(const float4*)&${this.place(first)}`;
    return first.conditions.length === 0
      ? value
      : `${this.holds(first.conditions)} ? ${value} : make_float4(0.f, 0.f, 0.f, 0.f)`;
  }

  #index({ constant, terms }: Omit<Index, "key">): string {
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

/** The element of a product, or one of four neighbours. */
function productText(place: number | undefined): string {
  return place === undefined ? "value" : `value.${"xyzw"[place]}`;
}

/** What tells memory apart: buffers that lie in an input, or over another one, are one with it. */
export function memoryOf({ id, location }: Buffer): string {
  if (location.kind === "input") return `input ${location.input}`;
  return `${location.kind === "arena" ? location.within : id}`;
}
