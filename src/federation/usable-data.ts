import { type Fields, FLOAT32_MAX, fieldSize, type LabelledFields, positionOf } from "../datasets/fields.js";
import type { Split } from "../datasets/generate.js";
import { DataError } from "../errors.js";
import { slicesOf } from "./samples/slices.js";
import { type FieldScale, isIdentity, type Scaling } from "./scaling.js";

/** Decimal digits of float32: 24 bits. */
const DIGITS = 24 * Math.log10(2);
/** Digits that the differences between samples should keep. */
const FEWEST_DIGITS = 3;
/** The smallest root mean square that a model can learn from or come near, since it starts from numbers of about 1. */
const SMALLEST = 1e-6;
/** The largest ones: gradients are products of inputs and responses, and Adam squares them in float32. */
const LARGEST = { inputs: 1e6, responses: 1e10 };

const NAMES: Readonly<Record<Split, string>> = { train: "training", test: "test" };

/**
 * Refuses data that no model can be trained on or measured with: numbers that are not finite or beyond float32, arrays
 * of zeros, and scales that are extreme once the data are normalised. Returns warnings about arrays whose samples
 * differ by so little beside their mean that float32 keeps few digits of the difference.
 *
 * @param source the file, or what else the data are of
 */
export async function checkData(
  data: Readonly<Record<Split, LabelledFields>>,
  scaling: Scaling,
  source: string,
): Promise<string[]> {
  const warnings: string[] = [];
  for (const split of ["train", "test"] as const) {
    for (const kind of ["inputs", "responses"] as const) {
      const fields = data[split][kind];
      const what = `the ${NAMES[split]} ${kind} of ${source}`;
      const numbers = numberCheck(what, fields);
      const squares = squareSums(fieldSize(fields), scaling[kind]);
      const positions = split === "train" ? positionSums(fieldSize(fields)) : undefined;
      for await (const { start, values } of slicesOf(fields)) {
        numbers.take(start, values);
        squares.take(values);
        positions?.take(values);
      }
      numbers.end();
      checkSize(what, squares.roots(), scaling[kind], LARGEST[kind]);
      if (positions) warnings.push(...lostDigits(what, fields, positions, scaling[kind]));
    }
  }
  return warnings;
}

/** Refuses slices with a number that is not finite or beyond float32, and in the end nothing but zeros. */
function numberCheck(what: string, fields: Fields) {
  const size = fieldSize(fields);
  let areZero = true;
  return {
    take(start: number, values: Float32Array | Float64Array): void {
      for (let i = 0; i < values.length; i++) {
        if (!(Math.abs(values[i]) <= FLOAT32_MAX)) {
          const position = positionOf(fields, i % size).join(", ");
          const place = `sample ${start + Math.floor(i / size)}, position [${position}]`;
          const beyond = Number.isFinite(values[i])
            ? `, which exceeds float32's range (up to ${FLOAT32_MAX.toExponential(1)}): use a larger unit`
            : ": values must be finite";
          throw new DataError(`${what} have ${values[i]} in ${place}${beyond}`);
        }
        if (values[i] !== 0) areZero = false;
      }
    },
    end(): void {
      if (areZero) throw new DataError(`${what} are all 0: there is nothing to learn or to measure`);
    },
  };
}

/** Root mean squares of numbers, in units of their scale. */
interface RootMeanSquares {
  /** As they are given. */
  readonly given: number;
  /** As the model takes them, less the offset. */
  readonly taken: number;
}

function squareSums(size: number, scales: FieldScale) {
  const length = size / scales.length;
  let count = 0;
  let given = 0;
  let taken = 0;
  return {
    take(values: Float32Array | Float64Array): void {
      count += values.length;
      for (let at = 0; at < values.length; at += length) {
        const { offset, scale } = scales[(at / length) % scales.length];
        for (let i = at; i < at + length; i++) {
          given += (values[i] / scale) ** 2;
          taken += ((values[i] - offset) / scale) ** 2;
        }
      }
    },
    roots: (): RootMeanSquares => ({ given: Math.sqrt(given / count), taken: Math.sqrt(taken / count) }),
  };
}

/** Refuses numbers that are too large for a model, and those that are too small for its relative error. */
function checkSize(
  what: string,
  { given, taken }: RootMeanSquares,
  scales: FieldScale,
  largest: number,
): void {
  if (given >= SMALLEST && taken <= largest) return;
  const found = (taken > largest ? taken : given).toExponential(1);
  throw new DataError(
    isIdentity(scales)
      ? `${what} have a root mean square of ${found}, but models expect values of about 1: normalise them ` +
          "(--normalise standard), or use another unit"
      : `${what} have a root mean square of ${found} standard deviations of the training set: they do not belong to the same data`,
  );
}

/** A warning if the samples keep few digits beside their mean sample; of channels with scales of their own, the worst. */
function lostDigits(what: string, fields: Fields, positions: PositionSums, scales: FieldScale): string[] {
  const size = fieldSize(fields);
  const length = size / scales.length;
  // Numbers that are stored in float32 have lost their digits already; those in float64 lose them once they are scaled.
  const isRounded = fields.dtype === "float32";
  const [worst] = scales
    .map(({ offset }, channel) => {
      const range = [channel * length, (channel + 1) * length] as const;
      return aboutTheMean(positions, fields.samples, range, isRounded ? 0 : offset);
    })
    .filter(({ spread }) => spread > 0)
    .sort((a, b) => a.spread / a.mean - b.spread / b.mean);
  if (worst === undefined) return [];
  const { mean, spread } = worst;
  const digits = DIGITS + Math.log10(spread / mean);
  if (digits >= FEWEST_DIGITS) return [];
  const kept = Math.max(0, Math.floor(digits));
  const remedy =
    !isRounded && isIdentity(scales)
      ? "normalise them (--normalise standard), or subtract their mean"
      : "subtract their mean before you store them";
  return [
    `${what} differ by about ${spread.toPrecision(2)} around a mean of ${mean.toPrecision(2)}: ` +
      `float32 keeps ${kept} of ${Math.floor(DIGITS)} digits of the differences; ${remedy}`,
  ];
}

/** Sums over samples at each position, of differences from the first sample: these keep their digits. */
interface PositionSums {
  readonly first: ArrayLike<number>;
  readonly sums: Float64Array;
  readonly squares: Float64Array;
}

function positionSums(size: number): PositionSums & { take(values: Float32Array | Float64Array): void } {
  const first = new Float64Array(size);
  const sums = new Float64Array(size);
  const squares = new Float64Array(size);
  let isFirst = true;
  return {
    first,
    sums,
    squares,
    take(values) {
      if (isFirst) first.set(values.subarray(0, size));
      isFirst = false;
      for (let at = 0; at < values.length; at += size)
        for (let j = 0; j < size; j++) {
          const difference = values[at + j] - first[j];
          sums[j] += difference;
          squares[j] += difference * difference;
        }
    },
  };
}

/** Root mean squares of the mean sample, less an offset, and of the samples around it, at some positions. */
function aboutTheMean(
  { first, sums, squares }: PositionSums,
  samples: number,
  [start, end]: readonly [number, number],
  offset: number,
): { readonly mean: number; readonly spread: number } {
  let mean = 0;
  let spread = 0;
  for (let j = start; j < end; j++) {
    mean += (first[j] - offset + sums[j] / samples) ** 2;
    spread += Math.max(0, squares[j] / samples - (sums[j] / samples) ** 2);
  }
  const count = end - start;
  return { mean: Math.sqrt(mean / count), spread: Math.sqrt(spread / count) };
}
