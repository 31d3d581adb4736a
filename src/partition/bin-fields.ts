import type { Fields } from "../datasets/fields.js";
import { fieldSize } from "../datasets/fields.js";
import { blocksOf } from "./represented-rows.js";

/** Mean response of every bin in the units of the data; not a number for an empty bin. One pass over the responses. */
export async function binMeans(
  responses: Fields,
  { binOfSample, bins }: { readonly binOfSample: Int32Array; readonly bins: number },
): Promise<readonly Float64Array[]> {
  const size = fieldSize(responses);
  const sums = Array.from({ length: bins }, () => new Float64Array(size));
  const counts = new Int32Array(bins);
  for await (const { start, count, values } of blocksOf(responses))
    for (let row = 0; row < count; row++) {
      const bin = binOfSample[start + row];
      const sum = sums[bin];
      counts[bin]++;
      for (let c = 0, at = row * size; c < size; c++, at++) sum[c] += values[at];
    }
  return sums.map((sum, bin) => sum.map((value) => value / counts[bin]));
}

/**
 * Mean response of every bin, minus the mean of all, over the scale s_u (eq:response-normalization); zero for an empty bin.
 * One pass over the responses, whose sums run in the order of the samples.
 */
export async function meanFields(
  responses: Fields,
  { binOfSample, bins }: { readonly binOfSample: Int32Array; readonly bins: number },
): Promise<Float64Array> {
  const size = fieldSize(responses);
  const sums = new Float64Array(bins * size);
  const counts = new Int32Array(bins);
  let origin: Float64Array | undefined; // sums relative to one response keep their digits
  let squares = 0;
  for await (const { start, count, values } of blocksOf(responses)) {
    origin ??= values.slice(0, size);
    for (let row = 0; row < count; row++) {
      const bin = binOfSample[start + row];
      counts[bin]++;
      for (let c = 0, at = row * size, to = bin * size; c < size; c++, at++, to++) {
        const value = values[at] - origin[c];
        sums[to] += value;
        squares += value * value;
      }
    }
  }
  const mean = new Float64Array(size);
  for (let at = 0; at < sums.length; at++) mean[at % size] += sums[at] / responses.samples;
  const square = mean.reduce((sum, value) => sum + value * value, 0);
  const scale = Math.sqrt(Math.max(0, squares / responses.samples - square)) || 1;
  return sums.map((sum, at) => {
    const own = counts[Math.floor(at / size)];
    return own === 0 ? 0 : (sum / own - mean[at % size]) / scale;
  });
}
