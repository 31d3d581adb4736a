import type { Federation } from "../../src/federation/federation.js";
import { UNSCALED } from "../../src/federation/scaling.js";
import { trainableDeepOnet } from "../../src/models/deeponet.js";
import type { DeepOnetSizes } from "../../src/models/deeponet-network.js";
import { normal } from "../../src/random/normal.js";
import { stream } from "../../src/random/stream.js";

/** A DeepONet's problem with what loops need to know of it. */
export interface SmallProblem extends Federation {
  readonly sizes: DeepOnetSizes;
  readonly points: Float32Array;
}

/** Random data of an odd shape for clients of the given sizes; nothing is measured of the partition. */
export function smallProblem(
  clientSizes: readonly number[],
  {
    sizes = { sensors: 5, coordinates: 2, width: 6, depth: 2 },
    points = 7,
    seed = 7,
  }: { sizes?: DeepOnetSizes; points?: number; seed?: number } = {},
): SmallProblem {
  const total = clientSizes.reduce((a, b) => a + b, 0);
  const samples = (name: string, count: number) => ({
    samples: count,
    inputs: random(seed, name, "inputs", count * sizes.sensors),
    responses: random(seed, name, "responses", count * points),
  });
  const train = samples("train", total);
  const coordinates = random(7, "points", "coordinates", points * sizes.coordinates);
  const operator = trainableDeepOnet(sizes, coordinates);
  let next = 0;
  return {
    train,
    test: samples("test", 9),
    points: coordinates,
    clientIndices: clientSizes.map((size) => Int32Array.from({ length: size }, () => next++)),
    weights: Float64Array.from(clientSizes, (size) => size / total),
    sizes,
    operator,
    scaling: UNSCALED,
    inputShape: [sizes.sensors],
    responseShape: [points],
    shapes: { inputs: { channels: 1, grid: [sizes.sensors] }, responses: { channels: 1, grid: [points] } },
    description: {},
    origin: "simulated",
    training: operator.training(train),
    measured: undefined as never,
  };
}

function random(seed: number, ...name: [string, string, number]): Float32Array {
  const draws = stream(seed, ...name);
  return Float32Array.from({ length: name[2] }, () => normal(draws));
}
