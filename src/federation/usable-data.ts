import { type Fields, FLOAT32_MAX, fieldSize, type LabelledFields, positionOf } from "../datasets/fields.js";
import type { Split } from "../datasets/generate.js";
import { DataError } from "../errors.js";
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
      const values = await fields.read(0, fields.samples);
      const what = `the ${NAMES[split]} ${kind} of ${source}`;
      checkNumbers(what, fields, values);
      checkSize(what, values, fieldSize(fields), scaling[kind], LARGEST[kind]);
      if (split === "train") warnings.push(...lostDigits(what, fields, values, scaling[kind]));
    }
  }
  return warnings;
}

function checkNumbers(what: string, fields: Fields, values: Float32Array | Float64Array): void {
  let areZero = true;
  for (let i = 0; i < values.length; i++) {
    if (!(Math.abs(values[i]) <= FLOAT32_MAX)) {
      const size = fieldSize(fields);
      const place = `sample ${Math.floor(i / size)}, position [${positionOf(fields, i % size).join(", ")}]`;
      const beyond = Number.isFinite(values[i])
        ? `, which exceeds float32's range (up to ${FLOAT32_MAX.toExponential(1)}): give them in a larger unit`
        : ": numbers must be finite";
      throw new DataError(`${what} have ${values[i]} in ${place}${beyond}`);
    }
    if (values[i] !== 0) areZero = false;
  }
  if (areZero) throw new DataError(`${what} are all 0: there is nothing to learn or to measure`);
}

/** Refuses numbers that are too large for a model, and those that are too small for its relative error. */
function checkSize(
  what: string,
  values: Float32Array | Float64Array,
  size: number,
  scales: FieldScale,
  largest: number,
): void {
  const length = size / scales.length;
  let given = 0; // sum of squares in units of the scale
  let taken = 0; // the same as the model takes them, less the offset
  for (let at = 0; at < values.length; at += length) {
    const { offset, scale } = scales[(at / length) % scales.length];
    for (let i = at; i < at + length; i++) {
      given += (values[i] / scale) ** 2;
      taken += ((values[i] - offset) / scale) ** 2;
    }
  }
  const [small, large] = [given, taken].map((sum) => Math.sqrt(sum / values.length));
  if (small >= SMALLEST && large <= largest) return;
  const found = (large > largest ? large : small).toExponential(1);
  throw new DataError(
    isIdentity(scales)
      ? `${what} have a root mean square of ${found}, and models start from numbers of about 1: normalise them ` +
          "(--normalise standard), or give them in another unit"
      : `${what} have a root mean square of ${found} standard deviations of the training set: they are not of its kind`,
  );
}

/** A warning if the samples keep few digits beside their mean sample; of channels with scales of their own, the worst. */
function lostDigits(
  what: string,
  fields: Fields,
  values: Float32Array | Float64Array,
  scales: FieldScale,
): string[] {
  const size = fieldSize(fields);
  const length = size / scales.length;
  // Numbers that are stored in float32 have lost their digits already; those in float64 lose them once they are scaled.
  const isRounded = fields.dtype === "float32";
  const [worst] = scales
    .map(({ offset }, channel) => {
      const range = [channel * length, (channel + 1) * length] as const;
      return aboutTheMean(values, size, range, isRounded ? 0 : offset);
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
      : "store them less their mean";
  return [
    `${what} differ by about ${spread.toPrecision(2)} around a mean of ${mean.toPrecision(2)}: of the differences ` +
      `float32 keeps ${kept} of ${Math.floor(DIGITS)} digits; ${remedy}`,
  ];
}

/** Root mean squares of the mean sample, less an offset, and of the samples around it, at some positions. */
function aboutTheMean(
  values: Float32Array | Float64Array,
  size: number,
  [start, end]: readonly [number, number],
  offset: number,
): { readonly mean: number; readonly spread: number } {
  const samples = values.length / size;
  let mean = 0;
  let spread = 0;
  for (let j = start; j < end; j++) {
    const first = values[j]; // sums of differences from one sample keep their digits
    let sum = 0;
    let squares = 0;
    for (let i = j; i < values.length; i += size) {
      const difference = values[i] - first;
      sum += difference;
      squares += difference * difference;
    }
    mean += (first - offset + sum / samples) ** 2;
    spread += Math.max(0, squares / samples - (sum / samples) ** 2);
  }
  const count = end - start;
  return { mean: Math.sqrt(mean / count), spread: Math.sqrt(spread / count) };
}
