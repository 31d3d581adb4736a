import type { FederatedProblem } from "../../src/federation/federated-problem.js";
import { type DeepOnetSizes, deepOnetLayout } from "../../src/models/deeponet.js";
import { normal } from "../../src/random/normal.js";
import { stream } from "../../src/random/stream.js";

/** Random data of an odd shape for clients of the given sizes; nothing is measured of the partition. */
export function smallProblem(
  clientSizes: readonly number[],
  {
    sizes = { sensors: 5, coordinates: 2, width: 6, depth: 2 },
    points = 7,
  }: { sizes?: DeepOnetSizes; points?: number } = {},
): FederatedProblem {
  const total = clientSizes.reduce((a, b) => a + b, 0);
  const samples = (name: string, count: number) => ({
    samples: count,
    inputs: random(name, "inputs", count * sizes.sensors),
    responses: random(name, "responses", count * points),
  });
  let next = 0;
  return {
    train: samples("train", total),
    test: samples("test", 9),
    points: random("points", "coordinates", points * sizes.coordinates),
    clientIndices: clientSizes.map((size) => Int32Array.from({ length: size }, () => next++)),
    weights: Float64Array.from(clientSizes, (size) => size / total),
    sizes,
    layout: deepOnetLayout(sizes),
    measured: undefined as never,
  };
}

function random(...name: [string, string, number]): Float32Array {
  const draws = stream(7, ...name);
  return Float32Array.from({ length: name[2] }, () => normal(draws));
}
