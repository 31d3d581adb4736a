import type { Fields } from "../datasets/fields.js";
import type { BinMember } from "./bin-pictures.js";
import type { BinModel } from "./bins.js";

/** The samples of a bin with their distances from its centroid, nearest first. Only these samples are read. */
export async function membersByDistance(
  responses: Fields,
  members: readonly number[],
  { mean, scale, centroids }: BinModel,
  bin: number,
): Promise<BinMember[]> {
  const centroid = centroids.subarray(bin * mean.length, (bin + 1) * mean.length);
  const squares = new Map<number, number>();
  for (const sample of members) {
    const values = await responses.read(sample, sample + 1);
    let square = 0;
    for (let i = 0; i < values.length; i++) {
      const difference = (values[i] - mean[i]) / scale - centroid[i];
      square += difference * difference;
    }
    squares.set(sample, square);
  }
  return [...members]
    .sort((a, b) => squares.get(a)! - squares.get(b)! || a - b)
    .map((sample) => ({ sample, distance: Math.sqrt(squares.get(sample)!) }));
}
