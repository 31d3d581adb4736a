import type { Split } from "../../datasets/dataset.js";
import { type Measured, measuredOf } from "../drawn-sample.js";
import type { LabData, SampleView } from "./lab.js";
import { letOthers } from "./patient-threads.js";

/** What the values of a quantity span. */
export interface ValueRange {
  readonly low: number;
  readonly high: number;
  /** What most of them span: colours are for these, and a few extremes have the colour of the end. */
  readonly most: readonly [low: number, high: number];
  /** Size up to which most of them lie. */
  readonly reach: number;
}

/** What the values of data span, by quantity. */
export interface RangesView {
  readonly ranges: Readonly<Record<string, ValueRange>>;
  /** How many samples were looked at, and how many there are. */
  readonly looked: number;
  readonly samples: number;
  /** Whether some samples were passed over that are still to be made. */
  readonly isPartial: boolean;
}

export const NO_RANGES: RangesView = { ranges: {}, looked: 0, samples: 0, isPartial: false };

/** Numbers that are looked at, and milliseconds after which those that are there must do. */
const MOST_NUMBERS = 1 << 23;
const PATIENCE = 300;

/** Values of a quantity that are kept to find what most of them span. */
const KEPT = 1 << 16;
/** Share of the values that are most, unless a figure cuts off more. */
const MOST = 0.998;

/** What the samples of a half span: all of them where they are few or small, else some, evenly spread. */
export async function rangesOf(
  data: LabData,
  half: Split,
  channel: string,
  facts: Parameters<typeof measuredOf>[0],
): Promise<RangesView> {
  const fields = data[half];
  if (!fields) return NO_RANGES;
  const { samples } = fields.responses;
  const size = [fields.inputs, fields.responses].reduce(
    (sum, stack) => sum + (stack?.shape.reduce((a, b) => a * b, 1) ?? 0),
    0,
  );
  const count = Math.min(samples, Math.max(1, Math.floor(MOST_NUMBERS / size)));
  const found = new Map<string, Spanned>();
  const began = performance.now();
  let [looked, passed] = [0, 0];
  for (let i = 0; i < count; i++) {
    const sample = count === samples ? i : Math.floor((i * samples) / count);
    const isLate = performance.now() - began > PATIENCE;
    if (isLate && looked > 0 && data.has?.(half, sample) === false) {
      passed++;
      continue;
    }
    if (i % 8 === 0) await letOthers();
    const [input, response] = await Promise.all([
      fields.inputs?.read(sample, sample + 1),
      fields.responses.read(sample, sample + 1),
    ]);
    const view: SampleView = { ...(input && { input }), response };
    for (const one of measuredOf(facts, view, channel)) span(found, one, KEPT / count);
    looked++;
  }
  return {
    ranges: Object.fromEntries([...found].map(([quantity, spanned]) => [quantity, rangeOf(spanned)])),
    looked,
    samples,
    isPartial: passed > 0,
  };
}

interface Spanned {
  low: number;
  high: number;
  readonly share: number;
  readonly kept: number[];
}

function span(found: Map<string, Spanned>, { quantity, values, share }: Measured, keep: number): void {
  const spanned = found.get(quantity) ?? { low: Infinity, high: -Infinity, share: share ?? MOST, kept: [] };
  const step = Math.max(1, Math.floor(values.length / Math.max(1, keep)));
  for (let i = 0; i < values.length; i++) {
    const value = values[i];
    if (!Number.isFinite(value)) continue;
    if (value < spanned.low) spanned.low = value;
    if (value > spanned.high) spanned.high = value;
    if (i % step === 0) spanned.kept.push(value);
  }
  found.set(quantity, spanned);
}

function rangeOf({ low, high, share, kept }: Spanned): ValueRange {
  if (low > high) return { low: 0, high: 0, most: [0, 0], reach: 0 };
  const sorted = Float64Array.from(kept).sort();
  const sizes = sorted.map(Math.abs).sort();
  const at = (values: Float64Array, part: number) => values[Math.round(part * (values.length - 1))];
  return {
    low,
    high,
    most: [at(sorted, 1 - share), at(sorted, share)],
    reach: at(sizes, share) || Math.max(-low, high),
  };
}
