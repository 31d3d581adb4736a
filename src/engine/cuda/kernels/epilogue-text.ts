import { type Load, lookups, partsOf } from "../plan/expressions/expression.js";
import {
  dependsOn,
  dot,
  type Index,
  substituted,
  type Term,
  variable,
} from "../plan/expressions/index-algebra.js";
import { vectorLength } from "../plan/expressions/vector-length.js";
import { type Buffer, type LineStore, type OwnProduct, placesOf } from "../plan/plan.js";
import type { FetchedElementText, LineText, ReadText, ResultText } from "./element-text.js";
import { ExpressionText, memoryOf, type Pointed } from "./expression-text.js";
import { computedText, storedText, vectorizedText } from "./job-text.js";
import { vectorize } from "./vectorize.js";

/** A product with what becomes of its elements. */
type Finished = Pick<OwnProduct, "rows" | "columns" | "batch" | "epilogue" | "sums" | "lines">;

/** What a product does with its elements in CUDA C. */
export interface EpilogueText {
  readonly results: ResultText;
  /** Types of q0, q1, ... */
  readonly types: readonly string[];
  readonly pointers: readonly Pointed[];
}

/** The text of an epilogue, whose pointers are named by a letter and a number. */
export function epilogueText(
  product: Finished,
  buffers: ReadonlyMap<number, Buffer>,
  letter = "q",
): EpilogueText {
  const { epilogue, sums, lines } = product;
  const all = [...epilogue, ...sums, ...lines];
  const written = new Set(all.map(({ buffer }) => memoryOf(buffers.get(buffer)!)));
  const text = new ExpressionText(placesOf(all), buffers, written, letter);
  const storedSum = (side: 0 | 1) => {
    const ofSide = sums.filter((sum) => sum.side === side);
    text.forget();
    return ofSide.length > 0 ? storedText(text, ofSide) : undefined;
  };
  const elements = elementsText(text, product);
  return {
    results: { elements, sums: [storedSum(0), storedSum(1)], lines: linesText(text, lines) },
    types: text.types,
    pointers: text.pointers,
  };
}

/** What is added up along lines is computed with what is stored, where elements are taken four at a time. */
function elementsText(text: ExpressionText, product: Finished): FetchedElementText {
  const { epilogue: stores, lines } = product;
  const plain = computedText(text, stores);
  text.forget();
  // What all rows or all columns share, such as a bias, or four neighbours, is in the cache anyway.
  const read = partsOf([...stores, ...lines].map(({ value }) => value)).filter(
    (part): part is Load =>
      part.kind === "load" &&
      text.isFloat(part.buffer) &&
      lookups(part.index).length === 0 &&
      isOfElements(part.index) &&
      !isOfFours(part.index, product.columns),
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
  const vectors = inFoursOfRows(text, product, read);
  return { ...plain, reads, computeFetched, ...(vectors && { vectors }) };
}

/** What becomes of four neighbours along a row, where they are moved with one instruction, or added up. */
function inFoursOfRows(
  text: ExpressionText,
  { rows, columns, batch, epilogue: stores, lines }: Finished,
  read: readonly Load[],
): FetchedElementText["vectors"] {
  const vectors = vectorize({
    sums: lines,
    stores,
    counter: "column",
    extent: columns,
    size: batch * rows * columns,
    isFloat: (buffer) => text.isFloat(buffer),
    anyway: lines.length > 0,
  });
  if (!vectors) return undefined;
  const textOf = () =>
    vectorizedText(text, vectors, "", (values, k) => lineText(lines[k], `line${k}`, values));
  text.forget();
  const plain = textOf();
  const computeFetched = (panel: number) => {
    text.forget();
    const fetched = read.map((part, k) => {
      vectors.of(part).forEach((one, place) => {
        text.know(one, `r${k}.${"xyzw"[place]}`);
      });
      return `const float4 r${k} = *(const float4*)&room[${k * panel}u + spot];\n`;
    });
    return fetched.join("") + textOf().compute;
  };
  return { ...plain, computeFetched };
}

function linesText(text: ExpressionText, lines: readonly LineStore[]): LineText[] {
  return lines.map((line, k) => ({
    along: line.along,
    length: line.length,
    name: `line${k}`,
    store: `${text.place(line)} = value;\n`,
  }));
}

/** Adds four neighbours to the sums of their columns, or up for that of their row. */
function lineText({ along }: LineStore, name: string, values: readonly string[]): string {
  const [x, y, z, w] = values;
  return along === "row"
    ? `${name}[part] = (${x} + ${y}) + (${z} + ${w});\n`
    : values.map((value, e) => `${name}.${"xyzw"[e]} += ${value};\n`).join("");
}

/** Whether an index depends on both the row and the column of an element. */
function isOfElements(index: Index): boolean {
  return ["row", "column"].every((name) => dependsOn(index, name));
}

/** Whether an index is the same for four neighbours along a row, from a multiple of four on. */
function isOfFours(index: Index, columns: number): boolean {
  if (columns % 4 !== 0) return false;
  const four = variable("f", columns / 4);
  const [first, ...others] = [0, 1, 2, 3].map((place) =>
    substituted(index, "column", dot(place, [4], [four]), (value) => value),
  );
  return others.every(({ key }) => key === first.key);
}

/** How many neighbours along a row, from a multiple of that number on, lie side by side in memory, as aligned. */
function neighbours({ constant, terms }: Index): 1 | 2 | 4 {
  const isColumn = ({ atom }: Term) => atom.kind === "variable" && atom.name === "column";
  const others = terms.filter((term) => !isColumn(term));
  const isPlain = terms.some((term) => isColumn(term) && term.coefficient === 1);
  if (!isPlain || dependsOn({ terms: others }, "column")) return 1;
  return vectorLength(constant, ...others.map(({ coefficient }) => coefficient));
}
