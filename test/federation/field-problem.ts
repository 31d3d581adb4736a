import type { Federation } from "../../src/federation/federation.js";
import { UNSCALED } from "../../src/federation/scaling.js";
import type { TrainableModel } from "../../src/models/trainable-model.js";
import { elements } from "../../src/numerics/shape.js";
import { normal } from "../../src/random/normal.js";
import { stream } from "../../src/random/stream.js";
import type { FieldShapes } from "../models/build-on-grid.js";

/** Clients of some sizes whose responses are the numbers of the inputs, over and over, tanh'd; nothing is measured of them. */
export function fieldProblem(
  operator: TrainableModel,
  { inputShape, responseShape }: FieldShapes,
  clientSizes: readonly number[] = [3, 5],
  seed = 3,
): Federation {
  const random = stream(seed, "fields");
  const [size, points] = [elements(inputShape), elements(responseShape)];
  const samples = (count: number) => {
    const inputs = Float32Array.from({ length: count * size }, () => normal(random));
    const responses = Float32Array.from({ length: count * points }, (_, i) =>
      Math.tanh(inputs[Math.floor(i / points) * size + ((i % points) % size)]),
    );
    return { samples: count, inputs, responses };
  };
  const total = clientSizes.reduce((a, b) => a + b, 0);
  const train = samples(total);
  let next = 0;
  return {
    train,
    test: samples(4),
    scaling: UNSCALED,
    inputShape,
    responseShape,
    shapes: { inputs: { channels: 1, grid: inputShape }, responses: { channels: 1, grid: responseShape } },
    description: {},
    origin: "simulated",
    operator,
    clientIndices: clientSizes.map((size) => Int32Array.from({ length: size }, () => next++)),
    weights: Float64Array.from(clientSizes, (size) => size / total),
    training: operator.training(train),
    measured: undefined as never,
  };
}
