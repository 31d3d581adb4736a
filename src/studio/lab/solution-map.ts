import { type Fields, fieldSize } from "../../datasets/fields.js";
import type { BinModel } from "../../partition/bins.js";
import { chosenRepresentation } from "../../partition/representations.js";
import type { MapView } from "./lab.js";
import { letOthers } from "./patient-threads.js";

/** Coordinates of samples along the two principal components of all responses. */
export interface MappedSamples {
  /** Two numbers for each sample, in the units of the responses. */
  readonly points: Float64Array;
  readonly explained: readonly [number, number];
  /** Where a field lies on the map. */
  place(field: (at: number) => number): readonly [number, number];
}

/** The map of the responses. It does not depend on bins; the same responses have the same map everywhere. */
export async function mapResponses(responses: Fields): Promise<MappedSamples> {
  const size = fieldSize(responses);
  const count = Math.min(2, responses.samples - 1, size);
  if (count < 1) return flatMap(responses.samples);
  const { entry } = chosenRepresentation("pca:2");
  const represented = { responses: patient(responses), parameter: count };
  const kept = await entry.fit!(represented);
  const rows = await entry.rows(represented, kept).read(0, responses.samples);
  const points = new Float64Array(2 * responses.samples);
  for (let i = 0; i < responses.samples; i++)
    for (let k = 0; k < count; k++) points[2 * i + k] = rows[i * count + k];
  const { mean, components, variances, total_variance: total } = kept;
  const share = (k: number) => (k < count && total.values[0] > 0 ? variances.values[k] / total.values[0] : 0);
  const along = (field: (at: number) => number, k: number) => {
    let sum = 0;
    if (k < count)
      for (let c = 0, at = k * size; c < size; c++, at++)
        sum += (field(c) - mean.values[c]) * components.values[at];
    return sum;
  };
  return {
    points,
    explained: [share(0), share(1)],
    place: (field) => [along(field, 0), along(field, 1)],
  };
}

/** Samples and centroids in normalised units, as distances between bins are. */
export function mapView(map: MappedSamples, { bins, mean, scale, centroids }: BinModel): MapView {
  const places = Array.from({ length: bins }, (_, bin) =>
    map.place((at) => mean[at] + scale * centroids[bin * mean.length + at]),
  );
  return {
    points: map.points.map((value) => value / scale),
    centroids: Float64Array.from(places.flat(), (value) => value / scale),
    explained: map.explained,
  };
}

const flatMap = (samples: number): MappedSamples => ({
  points: new Float64Array(2 * samples),
  explained: [0, 0],
  place: () => [0, 0],
});

/** Fields whose reader lets messages be answered between two blocks. */
const patient = (fields: Fields): Fields => ({
  ...fields,
  read: async (start, end) => {
    await letOthers();
    return fields.read(start, end);
  },
});
