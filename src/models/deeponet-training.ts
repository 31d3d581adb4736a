import { gather } from "../engine/operations.js";
import { deepOnetGradients } from "./deeponet-gradients.js";
import {
  copyRows,
  type DeepOnetSizes,
  deepOnetLayout,
  latentOf,
  outputsOf,
  trainingBlocks,
  withOnes,
} from "./deeponet-network.js";
import { copyColumns, tileColumns, tilesOf } from "./point-tiles.js";
import type { Training, TrainingOptions, TrainingSamples } from "./trainable-model.js";

/** How a DeepONet learns from samples at all output points, points x coordinates. */
export function deepOnetTraining(
  sizes: DeepOnetSizes,
  points: Float32Array,
  samples: TrainingSamples,
  { largeKernels = false }: TrainingOptions = {},
): Training {
  return (largeKernels ? untiledTraining : tiledTraining)(sizes, points, samples);
}

/** Inputs and points end with a one, so that first layers are one product; responses are cut into tiles of points. */
function tiledTraining(
  sizes: DeepOnetSizes,
  coordinates: Float32Array,
  { samples, inputs, responses }: TrainingSamples,
): Training {
  const points = withOnes(coordinates, sizes.coordinates);
  const columns = sizes.coordinates + 1;
  const count = points.length / columns;
  const outputs = outputsOf(sizes);
  const tiles = tilesOf(count, Math.max(sizes.width, outputs * latentOf(sizes)));
  const columnsOf = tileColumns(responses, count, tiles);
  const parts = columnsOf.map((values, tile) => {
    const { start, end } = tiles[tile];
    return {
      [`responses ${tile}`]: { values, shape: [samples, outputs * (end - start)] },
      [`points ${tile}`]: {
        values: points.subarray(start * columns, end * columns),
        shape: [end - start, columns],
      },
    };
  });
  const ownInputs = withOnes(inputs, sizes.sensors);
  return {
    blocks: trainingBlocks(deepOnetLayout(sizes)),
    data: {
      inputs: { values: ownInputs, shape: [samples, sizes.sensors + 1] },
      ...Object.assign({}, ...parts),
    },
    replace(others) {
      copyRows(others.inputs, sizes.sensors, ownInputs, sizes.sensors + 1);
      copyColumns(others.responses, count, tiles, columnsOf);
    },
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

/** Points of large grids are filled up to a multiple of this, which products on a GPU are made for. */
const POINT_STEP = 128;
const LARGE_GRID = 1024;

/** All points at once. Those that fill up a large grid are zero, and so is what they contribute to the gradient. */
function untiledTraining(
  sizes: DeepOnetSizes,
  coordinates: Float32Array,
  { samples, inputs, responses }: TrainingSamples,
): Training {
  const columns = sizes.coordinates + 1;
  const count = coordinates.length / sizes.coordinates;
  const filled = count < LARGE_GRID ? count : Math.ceil(count / POINT_STEP) * POINT_STEP;
  const points = new Float32Array(filled * columns);
  points.set(withOnes(coordinates, sizes.coordinates));
  const outputs = outputsOf(sizes);
  const mask = widened(new Float32Array(outputs * count).fill(1), outputs, filled);
  const ownInputs = withOnes(inputs, sizes.sensors);
  const ownResponses = widened(responses, outputs * samples, filled);
  return {
    blocks: trainingBlocks(deepOnetLayout(sizes)),
    data: {
      inputs: { values: ownInputs, shape: [samples, sizes.sensors + 1] },
      points: { values: points, shape: [filled, columns] },
      responses: { values: ownResponses, shape: [samples, outputs * filled] },
      ...(filled === count ? {} : { mask: { values: mask, shape: [outputs * filled] } }),
    },
    replace(others) {
      copyRows(others.inputs, sizes.sensors, ownInputs, sizes.sensors + 1);
      copyRows(others.responses, count, ownResponses, filled);
    },
    gradients(weights, data, chosen, shares) {
      const tile = {
        points: data.points,
        responses: gather(data.responses, chosen),
        ...(data.mask ? { counted: { mask: data.mask, points: count } } : {}),
      };
      const batch = { inputs: gather(data.inputs, chosen), tiles: [tile], weights: shares };
      return deepOnetGradients(weights, batch, sizes);
    },
  };
}

/** Rows with zeros behind them up to a number of columns; the values themselves if they have as many. */
function widened(values: Float32Array, rows: number, columns: number): Float32Array {
  const before = values.length / rows;
  if (before === columns) return values;
  const result = new Float32Array(rows * columns);
  copyRows(values, before, result, columns);
  return result;
}
