import type { Lines } from "../plan/fusion/line-sums.js";

/**
 * What becomes of several elements of a product, in CUDA C: all are computed before any is stored, since a store may be
 * to memory that the compiler cannot tell from what is read, and would hold up the reads behind it. `value`, `n` (the
 * matrix), `row`, `column` and `part`, which counts them, are variables; v0, v1, ... and t0, t1, ... are names of its own,
 * and so are those of its pointers, a letter and a number.
 */
export interface ElementText {
  /** Declares room for what is computed of so many elements. */
  declare(count: number): string;
  readonly compute: string;
  readonly store: string;
}

/** Elements of which all that is read can be fetched beforehand, to wait for memory while something else is done. */
export interface FetchedElementText extends FetchableText {
  readonly reads: readonly ReadText[];
  /**
   * The same of four neighbours along a row, the `f`-th four of it: `value` is a float4. Undefined where they cannot be
   * moved with one instruction, unless they are added up along lines.
   */
  readonly vectors?: FetchableText;
}

export interface FetchableText extends ElementText {
  /** Like `compute`, where the k-th number that is read of element `spot` is in `room[k * panel + spot]`. */
  computeFetched(panel: number): string;
}

/** A number that is read for an element. */
export interface ReadText {
  /** Its address. */
  readonly from: string;
  /** Whether it is read, and not zero. */
  readonly condition?: string;
  /** Elements side by side in a row, from a multiple of this number on, for which it lies side by side as well. */
  readonly together: 1 | 2 | 4;
}

/** All that a product's kernel leaves behind. */
export interface ResultText {
  readonly elements: FetchedElementText;
  /**
   * Stores `value`, the sum of the left factor's row, or of the right factor's column, in the n-th matrix; undefined where
   * it is not asked for.
   */
  readonly sums: readonly [left: string | undefined, right: string | undefined];
  readonly lines: readonly LineText[];
}

/**
 * A sum along lines of what is computed of elements: `name` is a float4 with the sums of a thread's four columns, or an
 * array with what each of its fours adds to its row; `store` stores `value`, the sum.
 */
export interface LineText extends Lines {
  readonly name: string;
  readonly store: string;
}

/** Where elements are that `part` counts: declarations, and whether there is one. */
interface Place {
  readonly place?: string;
  readonly condition?: string;
}

/** Statements that are carried out for each of `count` elements. */
export function forEach(count: number, body: string, { place = "", condition }: Place = {}): string {
  const guarded = condition ? `if (${condition}) {\n${indented(body)}}\n` : body;
  return `#pragma unroll\nfor (unsigned part = 0; part < ${count}u; part++) {\n${indented(place + guarded)}}\n`;
}

/** All that becomes of `count` elements; `value` declares the product's where they have one. */
export function eachOf(
  count: number,
  { declare, compute, store }: ElementText,
  { value = "", ...place }: Place & { readonly value?: string },
): string {
  return declare(count) + forEach(count, value + compute, place) + forEach(count, store, place);
}

export function indented(code: string): string {
  return code.replace(/^(?=[^\n])/gm, "  ");
}
