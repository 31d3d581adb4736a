import { type Load, lookups, partsOf } from "../plan/expression.js";
import { dependsOn, type Index, type Term } from "../plan/index-algebra.js";
import type { Buffer, LineStore, OwnProduct, Store } from "../plan/plan.js";
import type { FetchedElementText, LineText, ReadText, ResultText } from "./element-text.js";
import { ExpressionText, memoryOf, type Pointed } from "./expression-text.js";
import { computedText, placedText, storedText } from "./job-text.js";
import { vectorLength } from "./tensor-cores.js";

/** What a product does with its elements in CUDA C. */
export interface EpilogueText {
  readonly results: ResultText;
  /** Types of q0, q1, ... */
  readonly types: readonly string[];
  readonly pointers: readonly Pointed[];
}

export function epilogueText(
  { epilogue, sums, lines }: Pick<OwnProduct, "epilogue" | "sums" | "lines">,
  buffers: ReadonlyMap<number, Buffer>,
): EpilogueText {
  const all = [...epilogue, ...sums, ...lines];
  const written = new Set(all.map(({ buffer }) => memoryOf(buffers.get(buffer)!)));
  const text = new ExpressionText(all, buffers, written);
  const storedSum = (side: 0 | 1) => {
    const ofSide = sums.filter((sum) => sum.side === side);
    text.forget();
    return ofSide.length > 0 ? storedText(text, ofSide) : undefined;
  };
  const elements = elementsText(text, epilogue, lines);
  return {
    results: { elements, sums: [storedSum(0), storedSum(1)], lines: linesText(text, epilogue.length, lines) },
    types: text.types,
    pointers: text.pointers,
  };
}

/** What is added up along lines is computed with what is stored, and counted after it. */
function elementsText(
  text: ExpressionText,
  stored: readonly Store[],
  lines: readonly LineStore[],
): FetchedElementText {
  const stores = [...stored, ...lines];
  const plain = { ...computedText(text, stores), store: placedText(text, stored) };
  text.forget();
  // What all rows or all columns share, such as a bias, is in the cache anyway.
  const read = partsOf(stores.map(({ value }) => value)).filter(
    (part): part is Load =>
      part.kind === "load" &&
      text.isFloat(part.buffer) &&
      lookups(part.index).length === 0 &&
      isOfElements(part.index),
  );
  const reads = read.map((part): ReadText => {
    const condition = part.conditions.length > 0 ? text.holds(part.conditions) : undefined;
    return {
      from: `&${text.place(part)}`,
      together: condition ? 1 : neighbours(part.index),
      ...(condition && { condition }),
    };
  });
  const computeFetched = (panel: number) => {
    text.forget();
    for (const [k, part] of read.entries()) text.know(part, `room[${k * panel}u + spot]`);
    return computedText(text, stores).compute;
  };
  return { ...plain, reads, computeFetched };
}

function linesText(text: ExpressionText, before: number, lines: readonly LineStore[]): LineText[] {
  return lines.map((line, k) => ({
    along: line.along,
    length: line.length,
    value: `t${before + k}`,
    store: `${text.place(line)} = value;\n`,
  }));
}

/** Whether an index depends on both the row and the column of an element. */
function isOfElements(index: Index): boolean {
  return ["row", "column"].every((name) => dependsOn(index, name));
}

/** How many neighbours along a row, from a multiple of that number on, lie side by side in memory, as aligned. */
function neighbours({ constant, terms }: Index): 1 | 2 | 4 {
  const isColumn = ({ atom }: Term) => atom.kind === "variable" && atom.name === "column";
  const others = terms.filter((term) => !isColumn(term));
  const isPlain = terms.some((term) => isColumn(term) && term.coefficient === 1);
  if (!isPlain || dependsOn({ terms: others }, "column")) return 1;
  return vectorLength(constant, ...others.map(({ coefficient }) => coefficient));
}
