import { add, concat, matmul, pad, reshape, slice, subtract, transpose } from "../engine/operations.js";
import type { Program, Tensor } from "../engine/program.js";
import type { Stream } from "../random/stream.js";
import { type Activation, activate } from "./activation.js";
import { likePyTorch } from "./initialisers.js";
import { type ParameterLayout, parameterLayout, type Weights } from "./parameter-layout.js";
import { fieldsOf, frequenciesOf, type TruncatedFourier, truncatedFourier } from "./truncated-fourier.js";

/** What a Fourier neural operator on plane grids is made of. The grid itself is none of its sizes. */
export interface Fno2dSizes {
  /** Channels of an input field, without the two coordinates that are added to them. */
  readonly inputs: number;
  /** Channels of the prediction. */
  readonly outputs: number;
  /** Channels within; 32 by default. */
  readonly width?: number;
  /** Frequencies kept of each axis; 12 by default. Of the first axis negative ones are kept as well. */
  readonly modes?: number;
  /** Spectral layers; 4 by default. */
  readonly layers?: number;
  /** Width of the layer before the last; 128 by default. */
  readonly projection?: number;
  /** Zeros behind the far ends of both axes, for fields that are not periodic; 0 by default. */
  readonly padding?: number;
  /** `gelu` unless told otherwise. */
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
  const points = grid[0] * grid[1];
  const fourier = truncatedFourier(inputs.program, grid, modes);
  const onGrid = (x: Tensor): Tensor => reshape(x, [...leading, ...grid, samples * width]);

  let x = reshape(padded(lifted(weights, inputs), padding), [...leading, points * samples, width]);
  for (let layer = 0; layer < layers; layer++) {
    const local = matmul(x, weights[`local.${layer}.weight`]);
    const spectral = mixed(weights, layer, fourier, onGrid(x), samples);
    const sum = add(add(local, reshape(spectral, x.shape)), weights[`local.${layer}.bias`]);
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

/** Input channels and the coordinates of each point, mixed into [..., rows, columns, samples, width]. */
function lifted(weights: Weights, inputs: Tensor): Tensor {
  const leading = inputs.shape.slice(0, -4);
  const [samples, channels, rows, columns] = inputs.shape.slice(-4);
  const weight = weights["lift.weight"];
  const width = weight.shape.at(-1)!;
  const points = rows * columns;
  const values = reshape(transpose(inputs, [2, 3, 0, 1]), [...leading, points * samples, channels]);
  const fromValues = matmul(values, slice(weight, -2, 0, channels));
  const fromPlace = add(
    matmul(coordinates(inputs.program, rows, columns), slice(weight, -2, channels, channels + 2)),
    weights["lift.bias"],
  );
  const sum = add(
    reshape(fromValues, [...leading, points, samples, width]),
    reshape(fromPlace, [...leading, points, 1, width]),
  );
  return reshape(sum, [...leading, rows, columns, samples, width]);
}

/** Row and column of each point [rows x columns, 2], both from 0 to 1. */
function coordinates(program: Program, rows: number, columns: number): Tensor {
  const values = new Float64Array(rows * columns * 2);
  for (let point = 0; point < rows * columns; point++) {
    values[2 * point] = Math.floor(point / columns) / Math.max(1, rows - 1);
    values[2 * point + 1] = (point % columns) / Math.max(1, columns - 1);
  }
  return program.constant(values, [rows * columns, 2]);
}

/** Each kept frequency of fields [..., rows, columns, samples x width] times its own complex matrix [in, out]. */
function mixed(
  weights: Weights,
  layer: number,
  fourier: TruncatedFourier,
  fields: Tensor,
  samples: number,
): Tensor {
  const frequencies = frequenciesOf(fourier, fields);
  const leading = frequencies.shape.slice(0, -3);
  const [count, , n] = frequencies.shape.slice(-3);
  const parts = reshape(frequencies, [...leading, count, 2 * samples, n / samples]);
  const byReal = matmul(parts, weights[`spectral.${layer}.real`]);
  const byImaginary = matmul(parts, weights[`spectral.${layer}.imaginary`]);
  const part = (x: Tensor, which: 0 | 1): Tensor => slice(x, -2, which * samples, (which + 1) * samples);
  const products = concat(
    [subtract(part(byReal, 0), part(byImaginary, 1)), add(part(byReal, 1), part(byImaginary, 0))],
    -2,
  );
  return fieldsOf(fourier, reshape(products, frequencies.shape));
}

/** Zeros behind the rows and columns of [..., rows, columns, samples, width]. */
function padded(x: Tensor, padding: number): Tensor {
  return pad(pad(x, -4, 0, padding), -3, 0, padding);
}

/** The first rows and columns of [..., rows, columns, n]. */
function cropped(x: Tensor, rows: number, columns: number): Tensor {
  return slice(slice(x, -3, 0, rows), -2, 0, columns);
}
