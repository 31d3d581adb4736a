import { add, concat, matmul, negate, pad, reshape, slice, transpose } from "../engine/operations.js";
import type { Program, Tensor } from "../engine/program.js";
import type { Stream } from "../random/stream.js";
import { type Activation, activate } from "./activation.js";
import { likePyTorch } from "./initialisers.js";
import { type ParameterLayout, parameterLayout, type Weights } from "./parameter-layout.js";
import { fieldsOf, frequenciesOf, type TruncatedFourier, truncatedFourier } from "./truncated-fourier.js";

/** Sizes of a Fourier neural operator on 2-D grids. They do not include the grid. */
export interface Fno2dSizes {
  /** Channels of an input field, without the two coordinates that are added to them. */
  readonly inputs: number;
  /** Channels of the prediction. */
  readonly outputs: number;
  /** Hidden channels; default 32. */
  readonly width?: number;
  /** Fourier modes kept per axis; default 12. The first axis keeps negative frequencies too. */
  readonly modes?: number;
  /** Spectral layers; 4 by default. */
  readonly layers?: number;
  /** Width of the layer before the last; 128 by default. */
  readonly projection?: number;
  /** Zero padding at the far end of both axes, for fields that are not periodic; default 0. */
  readonly padding?: number;
  /** Default `gelu`. */
  readonly activation?: Activation;
}

const DEFAULTS = {
  width: 32,
  modes: 12,
  layers: 4,
  projection: 128,
  padding: 0,
  activation: "gelu" as Activation,
};

/**
 * Weights `lift.weight` [in + 2, width]; for each layer `spectral.0.real` and `spectral.0.imaginary`
 * [frequencies, in, out], `local.0.weight` [in, out]; `projection.weight`, `output.weight`; and their biases.
 * Frequencies (kx, ky) come row after row, kx = 0, ..., modes - 1, -modes, ..., -1.
 */
export function fno2dLayout(sizes: Fno2dSizes): ParameterLayout {
  const { inputs, outputs, width, modes, layers, projection } = { ...DEFAULTS, ...sizes };
  const affine = (name: string, from: number, to: number) => [
    [`${name}.weight`, [from, to]] as const,
    [`${name}.bias`, [to]] as const,
  ];
  const frequencies = [2 * modes * modes, width, width];
  return parameterLayout([
    ...affine("lift", inputs + 2, width),
    ...Array.from({ length: layers }, (_, layer) => [
      [`spectral.${layer}.real`, frequencies] as const,
      [`spectral.${layer}.imaginary`, frequencies] as const,
      ...affine(`local.${layer}`, width, width),
    ]).flat(),
    ...affine("projection", width, projection),
    ...affine("output", projection, outputs),
  ]);
}

/** Spectral weights uniform in [0, 1 / (in out)), as Li et al. draw them, others as PyTorch draws them. */
export function initialFno2d(sizes: Fno2dSizes, random: Stream): Float32Array {
  return likePyTorch(fno2dLayout(sizes), random, ({ name, shape }) =>
    name.startsWith("spectral") ? { low: 0, high: 1 / (shape[1] * shape[2]) } : undefined,
  );
}

/**
 * A Fourier neural operator (Li et al. 2021): inputs [..., samples, channels, rows, columns] to a prediction of the same
 * grid. Layers add a product with each kept frequency to one at each point; an activation after all layers but the last.
 * Axes before these, over clients say, are those of the weights.
 *
 * Within, fields are [..., rows, columns, samples, channels]: transforms, mixing of frequencies and layers at points are
 * then products of matrices as they lie in memory.
 */
export function fno2d(weights: Weights, inputs: Tensor, sizes: Fno2dSizes): Tensor {
  const { outputs, width, modes, layers, padding, activation } = { ...DEFAULTS, ...sizes };
  const leading = inputs.shape.slice(0, -4);
  const [samples, , rows, columns] = inputs.shape.slice(-4);
  const grid = [rows + padding, columns + padding] as const;
  const fourier = truncatedFourier(inputs.program, grid, modes);
  const onGrid = (x: Tensor): Tensor => reshape(x, [...leading, ...grid, samples * width]);

  let given = lifted(weights, inputs, fourier, padding);
  let x = inputs;
  for (let layer = 0; layer < layers; layer++) {
    if (layer > 0) given = fieldInputs(x, bySample(frequenciesOf(fourier, onGrid(x)), samples));
    const local = given.times(weights[`local.${layer}.weight`]);
    const spectral = fieldsOf(fourier, mixed(weights, layer, given.frequencies));
    const sum = add(add(local, reshape(spectral, local.shape)), weights[`local.${layer}.bias`]);
    x = layer + 1 < layers ? activate(sum, activation) : sum;
  }
  x = reshape(cropped(onGrid(x), rows, columns), [...leading, rows * columns * samples, width]);
  const projected = add(matmul(x, weights["projection.weight"]), weights["projection.bias"]);
  const prediction = add(
    matmul(activate(projected, activation), weights["output.weight"]),
    weights["output.bias"],
  );
  return transpose(reshape(prediction, [...leading, rows, columns, samples, outputs]), [2, 3, 0, 1]);
}

/** What a layer is given: fields, of which it takes products with weights at every point and some frequencies. */
interface LayerInputs {
  /** [..., points x samples, out] */
  times(weight: Tensor): Tensor;
  /** [..., frequencies, 2 parts x samples, width] */
  readonly frequencies: Tensor;
}

/** Fields [..., points x samples, width] as they are. */
function fieldInputs(x: Tensor, frequencies: Tensor): LayerInputs {
  return { times: (weight) => matmul(x, weight), frequencies };
}

/**
 * Input channels and the coordinates of each point, lifted to the model's width, and zeros around. Lifting is linear, and
 * so is all that the first layer does before its activation: products with the lift's weights are taken last, of
 * frequencies, or first, with those of the layer. The lifted fields, many times as large as the inputs, are never made.
 */
function lifted(weights: Weights, inputs: Tensor, fourier: TruncatedFourier, padding: number): LayerInputs {
  const leading = inputs.shape.slice(0, -4);
  const [samples, channels, rows, columns] = inputs.shape.slice(-4);
  const weight = weights["lift.weight"];
  const [from, width] = weight.shape.slice(-2);
  const grid = [rows + padding, columns + padding] as const;
  const points = grid[0] * grid[1];
  const values = padded(transpose(inputs, [2, 3, 0, 1]), padding);
  const places = padded(placesOf(inputs.program, rows, columns), padding);
  const byValue = slice(weight, -2, 0, channels);
  const bias = reshape(weights["lift.bias"], [...weight.shape.slice(0, -2), 1, width]);
  const byPlace = concat([slice(weight, -2, channels, from), bias], -2);
  /** The same of all samples beside what each has. */
  const sum = (ofValues: Tensor, ofPlaces: Tensor, out: number): Tensor => {
    const count = ofValues.shape.at(-2)! / samples;
    const each = reshape(ofValues, [...leading, count, samples, out]);
    const all = reshape(ofPlaces, [...leading, count, 1, out]);
    return reshape(add(each, all), [...leading, count * samples, out]);
  };
  const ofValues = frequenciesOf(fourier, reshape(values, [...leading, ...grid, samples * channels]));
  const ofPlaces = frequenciesOf(fourier, reshape(places, [...grid, PLACE]));
  const [count, parts] = ofPlaces.shape;
  const frequencies = sum(
    matmul(reshape(ofValues, [...leading, count * parts * samples, channels]), byValue),
    matmul(reshape(ofPlaces, [count * parts, PLACE]), byPlace),
    width,
  );
  return {
    times: (local) =>
      sum(
        matmul(reshape(values, [...leading, points * samples, channels]), matmul(byValue, local)),
        matmul(reshape(places, [points, PLACE]), matmul(byPlace, local)),
        local.shape.at(-1)!,
      ),
    frequencies: reshape(frequencies, [...leading, count, parts * samples, width]),
  };
}

/** Numbers of a place: its coordinates, and one for the bias. */
const PLACE = 3;

/** Row and column of each point [rows, columns, 1, 3], both from 0 to 1, and one. */
function placesOf(program: Program, rows: number, columns: number): Tensor {
  const values = new Float64Array(rows * columns * PLACE);
  for (let point = 0; point < rows * columns; point++)
    values.set(
      [Math.floor(point / columns) / Math.max(1, rows - 1), (point % columns) / Math.max(1, columns - 1), 1],
      PLACE * point,
    );
  return program.constant(values, [rows, columns, 1, PLACE]);
}

/** Frequencies [..., count, parts, samples x width] with a row for each sample. */
function bySample(frequencies: Tensor, samples: number): Tensor {
  const [count, parts, n] = frequencies.shape.slice(-3);
  return reshape(frequencies, [...frequencies.shape.slice(0, -3), count, parts * samples, n / samples]);
}

/** Frequencies [..., count, 2 parts x samples, in], each times its own complex matrix: [..., count, 2, samples x out]. */
function mixed(weights: Weights, layer: number, frequencies: Tensor): Tensor {
  const leading = frequencies.shape.slice(0, -3);
  const [count, both] = frequencies.shape.slice(-3);
  const samples = both / 2;
  const [real, imaginary] = [0, 1].map((part) =>
    slice(frequencies, -2, part * samples, (part + 1) * samples),
  );
  const timesI = concat([negate(imaginary), real], -2);
  const products = add(
    matmul(frequencies, weights[`spectral.${layer}.real`]),
    matmul(timesI, weights[`spectral.${layer}.imaginary`]),
  );
  return reshape(products, [...leading, count, 2, samples * products.shape.at(-1)!]);
}

/** Zeros behind the rows and columns of [..., rows, columns, samples, n]. */
function padded(x: Tensor, padding: number): Tensor {
  return pad(pad(x, -4, 0, padding), -3, 0, padding);
}

/** The first rows and columns of [..., rows, columns, n]. */
function cropped(x: Tensor, rows: number, columns: number): Tensor {
  return slice(slice(x, -3, 0, rows), -2, 0, columns);
}
