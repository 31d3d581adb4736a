import type { FetchableText, FetchedElementText } from "../element-text.js";
import { every, WARP } from "../tensor-cores.js";

/** Lines that are staged at a time, at least. */
const FEWEST_LINES = 8;
/** Elements, or fours of them, that a thread may treat at a time. */
const AT_ONCE = [8, 7, 9, 10, 11, 12, 13] as const;
const FOURS_AT_ONCE = [4, 3, 2, 1] as const;

/** How the threads of a warp treat the results of a strip that are staged: some at a time, in turns. */
export interface Treatment {
  readonly text: FetchableText;
  readonly type: "float" | "float4";
  readonly turns: number;
  readonly atOnce: number;
  /** Declares where the `part`-th ones of a turn are: `below` and `along` in the stage, `spot`, `row` and `column`. */
  readonly place: string;
  /** Whether there are any. */
  readonly condition: string | undefined;
  /** Vectors of a line, and lines that the threads have side by side. */
  readonly ofLine: number;
  readonly abreast: number;
}

/** Lines of so many neighbours, of which some are staged, and all that a strip has. */
interface Staged {
  readonly line: number;
  readonly stageLines: number;
  readonly panel: number;
  /** The first row and the first column of the strip, in CUDA C. */
  readonly down: string;
  readonly beside: string;
  /** Whether an element is one of the product, in CUDA C. */
  readonly inside: string;
}

export function treatment(elements: FetchedElementText, staged: Staged): Treatment {
  return elements.vectors ? inVectors(elements.vectors, staged) : inSingles(elements, staged);
}

/** How many fours a line has, and how many lines a warp has a thread for each four of, of those that are staged. */
export function foursOf(line: number): Pick<Treatment, "ofLine" | "abreast"> {
  const ofLine = line / 4;
  return { ofLine, abreast: Math.min(FEWEST_LINES, Math.floor(WARP / ofLine)) };
}

/** Where in such lines a thread's fours are, in CUDA C, which `count` counts: threads keep to their columns. */
export function fourText(
  line: number,
  count: string,
): { readonly below: string; readonly along: string; readonly exists: string | undefined } {
  const { ofLine, abreast } = foursOf(line);
  return {
    below: abreast === 1 ? count : `${count} * ${abreast}u + lane / ${ofLine}u`,
    along: abreast === 1 ? "4u * lane" : `4u * (lane % ${ofLine}u)`,
    exists: abreast * ofLine === WARP ? undefined : `lane < ${abreast * ofLine}u`,
  };
}

/** What is the same for all elements of a column is read once. */
function inVectors(
  text: FetchableText,
  { line, stageLines, panel, down, beside, inside }: Staged,
): Treatment {
  const { ofLine, abreast } = foursOf(line);
  const count = Math.ceil(stageLines / abreast);
  const atOnce = atOnceOf(count, FOURS_AT_ONCE);
  const turns = Math.ceil(count / atOnce);
  const { below, along, exists } = fourText(line, `(turn * ${atOnce}u + part)`);
  return {
    text,
    type: "float4",
    turns,
    atOnce,
    place: `const unsigned below = ${below}, along = ${along};
const unsigned spot = (chunk * ${stageLines}u + below) * ${line}u + along;
const unsigned row = ${down} + chunk * ${stageLines}u + below, column = ${beside} + along, f = column / 4u;
`,
    condition: conditionOf(
      exists,
      turns * atOnce * abreast === stageLines ? undefined : `below < ${stageLines}u`,
      panel % (stageLines * line) === 0 ? undefined : `spot < ${panel}u`,
      inside,
    ),
    ofLine,
    abreast,
  };
}

function inSingles(
  text: FetchableText,
  { line, stageLines, panel, down, beside, inside }: Staged,
): Treatment {
  const count = stageLines * line;
  const atOnce = atOnceOf(count / WARP, AT_ONCE);
  const width = WARP * atOnce;
  return {
    text,
    type: "float",
    turns: Math.ceil(count / width),
    atOnce,
    place: `const unsigned at = turn * ${width}u + ${WARP}u * part + lane, spot = chunk * ${count}u + at;
const unsigned below = at / ${line}u, along = at % ${line}u;
const unsigned row = ${down} + chunk * ${stageLines}u + below, column = ${beside} + along;
`,
    condition: conditionOf(
      count % width === 0 ? undefined : `at < ${count}u`,
      panel % count === 0 ? undefined : `spot < ${panel}u`,
      inside,
    ),
    ...foursOf(line),
  };
}

function conditionOf(...conditions: readonly (string | undefined)[]): string | undefined {
  const all = every(...conditions.filter((one) => one !== "true"));
  return all === "true" ? undefined : all;
}

/** How many a thread treats at a time: as many as leave the fewest idle in the last turn. */
function atOnceOf(count: number, sizes: readonly number[]): number {
  const idle = (size: number) => Math.ceil(count / size) * size - count;
  return sizes.reduce((best, size) => (idle(size) < idle(best) ? size : best));
}
