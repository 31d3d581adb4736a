import { gather } from "../engine/operations.js";
import {
  branchValues,
  combine,
  type DeepOnetSizes,
  deepOnetLayout,
  trainingBlocks,
  trunkValues,
  withOnes,
} from "../models/deeponet.js";
import { glorotNormal } from "../models/initialisers.js";
import { deepOnetGradients } from "./deeponet-gradients.js";
import type { Operator, Training, TrainingSamples } from "./operator.js";
import { tileColumns, tilesOf } from "./tiles.js";

/** A DeepONet with all output points of a task, points x coordinates. */
export function deepOnetOperator(sizes: DeepOnetSizes, points: Float32Array): Operator {
  const layout = deepOnetLayout(sizes);
  const count = points.length / sizes.coordinates;
  return {
    architecture: { name: "deeponet", ...sizes },
    layout,
    activation: count,
    anySamples: true,
    initial: (random) => glorotNormal(layout, random),
    predict: (weights, inputs) =>
      combine({
        branch: branchValues(weights, inputs, sizes),
        trunk: trunkValues(weights, inputs.program.constant(points, [count, sizes.coordinates]), sizes),
        bias: weights.bias,
      }),
    training: (samples) => deepOnetTraining(sizes, points, samples),
  };
}

/** Inputs and points end with a one, so that first layers are one product; responses are cut into tiles of points. */
function deepOnetTraining(
  sizes: DeepOnetSizes,
  coordinates: Float32Array,
  { samples, inputs, responses }: TrainingSamples,
): Training {
  const points = withOnes(coordinates, sizes.coordinates);
  const columns = sizes.coordinates + 1;
  const count = points.length / columns;
  const tiles = tilesOf(count, sizes.width);
  const parts = tileColumns(responses, count, tiles).map((values, tile) => {
    const { start, end } = tiles[tile];
    return {
      [`responses ${tile}`]: { values, shape: [samples, end - start] },
      [`points ${tile}`]: {
        values: points.subarray(start * columns, end * columns),
        shape: [end - start, columns],
      },
    };
  });
  return {
    blocks: trainingBlocks(deepOnetLayout(sizes)),
    data: {
      inputs: { values: withOnes(inputs, sizes.sensors), shape: [samples, sizes.sensors + 1] },
      ...Object.assign({}, ...parts),
    },
    manyClients: true,
    gradients(weights, data, chosen, shares) {
      const batch = {
        inputs: gather(data.inputs, chosen),
        tiles: tiles.map((_, tile) => ({
          points: data[`points ${tile}`],
          responses: gather(data[`responses ${tile}`], chosen),
        })),
        weights: shares,
      };
      return deepOnetGradients(weights, batch, sizes);
    },
  };
}
