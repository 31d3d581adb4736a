import { add, concat, matmul, negate, pad, reshape, slice, transpose } from "../engine/operations.js";
import type { Program, Tensor } from "../engine/program.js";
import { choice, type ValuesOf, wholeNumber } from "../options/option.js";
import type { Stream } from "../random/stream.js";
import { type Activation, activate } from "./activation.js";
import { INITIALISERS, type Initialiser, initialValues } from "./initialisers.js";
import { fieldSize, gridWords, type Model } from "./model.js";
import { gridCoordinates, unitAxis } from "./output-points.js";
import { type ParameterLayout, parameterLayout, type Weights } from "./parameter-layout.js";
import { trainedByPredictions } from "./trainable-model.js";
import {
  checkModes,
  fieldsOf,
  frequenciesOf,
  mostModes,
  type TruncatedFourier,
  truncatedFourier,
} from "./truncated-fourier.js";

/** Sizes of a Fourier neural operator on grids of one to three axes. They do not include the grid. */
export interface FnoSizes {
  /** Axes of the grid. */
  readonly dimensions: number;
  /** Channels of an input field, without the coordinates that are added to them. */
  readonly inputs: number;
  /** Channels of the prediction. */
  readonly outputs: number;
  /** Hidden channels; default 32. */
  readonly width?: number;
  /** Fourier modes kept per axis; default 16, 12 or 8 by dimension. All axes but the last keep negative frequencies too. */
  readonly modes?: number;
  /** Spectral layers; 4 by default. */
  readonly layers?: number;
  /** Width of the layer before the last; 128 by default. */
  readonly projection?: number;
  /** Zero padding at the far end of each axis, for fields that are not periodic; default 0. */
  readonly padding?: number;
  /** Default `gelu`. */
  readonly activation?: Activation;
  /** Coordinates of each point as input channels: from 0 to 1 along each axis, or none; default `unit`. */
  readonly coordinates?: Coordinates;
}

export type Coordinates = "unit" | "none";

const DEFAULTS = {
  width: 32,
  layers: 4,
  projection: 128,
  padding: 0,
  activation: "gelu" as Activation,
  coordinates: "unit" as Coordinates,
};
/** By number of axes. */
const MODES: readonly number[] = [16, 12, 8];

const allSizes = (sizes: FnoSizes): Required<FnoSizes> => ({
  modes: MODES[sizes.dimensions - 1],
  ...DEFAULTS,
  ...sizes,
});

const ACTIVATIONS = ["gelu", "relu", "tanh"] as const satisfies readonly Activation[];
const COORDINATES: readonly Coordinates[] = ["unit", "none"];
const size = (help: string, usual: number) => wholeNumber({ help, from: 1, to: 1_000_000, default: usual });

const OPTIONS = {
  width: size("hidden channels", DEFAULTS.width),
  modes: wholeNumber({
    help: "Fourier modes kept per axis, at most what the grid has",
    from: 1,
    to: 1_000_000,
    defaultWords: `${MODES.join(", ")} in one, two and three dimensions, or as many as the grid has`,
  }),
  layers: wholeNumber({
    help: "number of spectral layers",
    from: 1,
    to: 1000,
    default: DEFAULTS.layers,
  }),
  projection: size("width of the layer before the last", DEFAULTS.projection),
  padding: wholeNumber({
    help: "zero padding at the far end of each axis",
    from: 0,
    to: 1_000_000,
    default: DEFAULTS.padding,
  }),
  activation: choice(ACTIVATIONS, { help: "activation function", default: "gelu" }),
  coordinates: choice(COORDINATES, {
    help: "coordinates of each point as input channels, from 0 to 1 along each axis, or none",
    default: DEFAULTS.coordinates,
    later: true,
  }),
  initialiser: choice(INITIALISERS, {
    help: "initial weights at points; spectral weights are uniform in [0, 1/(in out))",
    default: "pytorch",
    later: true,
  }),
};

/**
 * Numbers of the largest activation of samples on a line that are taken together: a step in such parts takes about five
 * sixths of the time. On more axes, parts gain less than it costs to add up the gradients of their many spectral weights.
 */
const TOGETHER = 600_000;

/** A Fourier neural operator between fields on one grid of one to three axes. */
export const fno: Model = {
  title: "FNO",
  summary: "fields to fields on the same regular grid of one to three axes",
  options: OPTIONS,
  training: { batch: 16, normalise: "channels" },
  refuses({ inputs, responses, points }) {
    const { grid } = responses;
    if (inputs.grid.join() !== grid.join())
      return `takes inputs and responses on one grid; these are on ${inputs.grid.join(" x ")} and ${grid.join(" x ")}`;
    if (grid.length < 1 || grid.length > MODES.length)
      return `takes grids of one to ${MODES.length} axes; this one has ${grid.length}`;
    if (points && points.dimensions !== grid.length)
      return `takes a regular grid; these are ${grid.join(" x ")} points with ${points.dimensions} coordinates each`;
    return mostModes(grid) < 1
      ? `takes axes of at least two points; this grid has ${gridWords(grid)}`
      : undefined;
  },
  build({ inputs, responses }, given = {}) {
    const options = given as Partial<ValuesOf<typeof OPTIONS>>;
    const { activation: between, coordinates, initialiser } = options;
    const { grid } = inputs;
    const padding = options.padding ?? DEFAULTS.padding;
    if (options.modes !== undefined) checkModes(grid, options.modes, padding);
    const most = mostModes(grid.map((length) => length + padding));
    const recorded = {
      width: options.width ?? DEFAULTS.width,
      modes: options.modes ?? Math.min(MODES[grid.length - 1], most),
      layers: options.layers ?? DEFAULTS.layers,
      projection: options.projection ?? DEFAULTS.projection,
      padding,
      ...(between && { activation: between }),
      ...(coordinates === "none" && { coordinates }),
    };
    const channels = { inputs: inputs.channels, outputs: responses.channels };
    const sizes: FnoSizes = { dimensions: grid.length, ...recorded, ...channels };
    const chosen = initialiser && initialiser !== "pytorch" && { initialiser };
    const activation = Math.max(recorded.width, recorded.projection) * fieldSize({ channels: 1, grid });
    const together = grid.length === 1 ? Math.max(1, Math.floor(TOGETHER / activation)) : undefined;
    const parts = {
      architecture: { name: `fno${grid.length}d`, ...recorded, ...chosen, ...channels },
      layout: fnoLayout(sizes),
      activation,
      initial: (random: Stream) => initialFno(sizes, random, initialiser),
      predict: (weights: Weights, fields: Tensor) => {
        const samples = fields.shape.slice(0, -1);
        const prediction = predictFno(
          weights,
          reshape(fields, [...samples, inputs.channels, ...grid]),
          sizes,
        );
        return reshape(prediction, [...samples, fieldSize(responses)]);
      },
    };
    return trainedByPredictions(parts, together);
  },
};

/**
 * Weights `lift.weight` [in + coordinates, width]; for each layer `spectral.0.real` and `spectral.0.imaginary`
 * [frequencies, in, out], `local.0.weight` [in, out]; `projection.weight`, `output.weight`; and their biases.
 * Frequencies come in C order of the axes: 0, ..., modes - 1, and but for the last axis then -modes, ..., -1.
 */
export function fnoLayout(sizes: FnoSizes): ParameterLayout {
  const { dimensions, inputs, outputs, width, modes, layers, projection } = allSizes(sizes);
  const affine = (name: string, from: number, to: number) => [
    [`${name}.weight`, [from, to]] as const,
    [`${name}.bias`, [to]] as const,
  ];
  const frequencies = [(2 * modes) ** (dimensions - 1) * modes, width, width];
  return parameterLayout([
    ...affine("lift", inputs + coordinatesOf(sizes), width),
    ...Array.from({ length: layers }, (_, layer) => [
      [`spectral.${layer}.real`, frequencies] as const,
      [`spectral.${layer}.imaginary`, frequencies] as const,
      ...affine(`local.${layer}`, width, width),
    ]).flat(),
    ...affine("projection", width, projection),
    ...affine("output", projection, outputs),
  ]);
}

/** Coordinates that a point brings as channels. */
const coordinatesOf = ({ coordinates, dimensions }: FnoSizes): number =>
  coordinates === "none" ? 0 : dimensions;

/** Spectral weights uniform in [0, 1 / (in out)), as Li et al. draw them, others as PyTorch draws them unless told otherwise. */
export function initialFno(
  sizes: FnoSizes,
  random: Stream,
  initialiser: Initialiser = "pytorch",
): Float32Array {
  return initialValues(fnoLayout(sizes), random, initialiser, ({ name, shape }) =>
    name.startsWith("spectral") ? { low: 0, high: 1 / (shape[1] * shape[2]) } : undefined,
  );
}

/**
 * A Fourier neural operator (Li et al. 2021): inputs [..., samples, channels, ...grid] to a prediction of the same grid.
 * Layers add a product with each kept frequency to one at each point; an activation after all layers but the last.
 * Axes before these, over clients say, are those of the weights.
 *
 * Within, fields are [..., ...grid, samples, channels]: transforms, mixing of frequencies and layers at points are then
 * products of matrices as they lie in memory.
 */
export function predictFno(weights: Weights, inputs: Tensor, sizes: FnoSizes): Tensor {
  const { dimensions, outputs, width, modes, layers, padding, activation } = allSizes(sizes);
  const leading = inputs.shape.slice(0, -(dimensions + 2));
  const samples = inputs.shape[leading.length];
  const ofData = inputs.shape.slice(-dimensions);
  const grid = ofData.map((length) => length + padding);
  const fourier = truncatedFourier(inputs.program, grid, modes);
  const onGrid = (x: Tensor): Tensor => reshape(x, [...leading, ...grid, samples * width]);

  let given = lifted(weights, inputs, fourier, sizes);
  let x = inputs;
  for (let layer = 0; layer < layers; layer++) {
    if (layer > 0) given = fieldInputs(x, bySample(frequenciesOf(fourier, onGrid(x)), samples));
    const local = given.times(weights[`local.${layer}.weight`]);
    const spectral = fieldsOf(fourier, mixed(weights, layer, given.frequencies));
    const sum = add(add(local, reshape(spectral, local.shape)), weights[`local.${layer}.bias`]);
    x = layer + 1 < layers ? activate(sum, activation) : sum;
  }
  const points = ofData.reduce((product, length) => product * length, 1);
  x = reshape(cropped(onGrid(x), ofData), [...leading, points * samples, width]);
  const projected = add(matmul(x, weights["projection.weight"]), weights["projection.bias"]);
  const prediction = add(
    matmul(activate(projected, activation), weights["output.weight"]),
    weights["output.bias"],
  );
  const axes = ofData.map((_, axis) => axis);
  return transpose(reshape(prediction, [...leading, ...ofData, samples, outputs]), [
    dimensions,
    dimensions + 1,
    ...axes,
  ]);
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
function lifted(weights: Weights, inputs: Tensor, fourier: TruncatedFourier, sizes: FnoSizes): LayerInputs {
  const { dimensions, padding } = allSizes(sizes);
  const leading = inputs.shape.slice(0, -(dimensions + 2));
  const [samples, channels, ...ofData] = inputs.shape.slice(-(dimensions + 2));
  const weight = weights["lift.weight"];
  const [from, width] = weight.shape.slice(-2);
  const { grid } = fourier;
  const points = grid.reduce((product, length) => product * length, 1);
  const axes = ofData.map((_, axis) => axis);
  const values = padded(transpose(inputs, [...axes.map((axis) => axis + 2), 0, 1]), padding, dimensions);
  const places = padded(placesOf(inputs.program, ofData, sizes), padding, dimensions);
  const place = places.shape.at(-1)!;
  const byValue = slice(weight, -2, 0, channels);
  const bias = reshape(weights["lift.bias"], [...weight.shape.slice(0, -2), 1, width]);
  const byPlace = place > 1 ? concat([slice(weight, -2, channels, from), bias], -2) : bias;
  /** The same of all samples beside what each has. */
  const sum = (ofValues: Tensor, ofPlaces: Tensor, out: number): Tensor => {
    const count = ofValues.shape.at(-2)! / samples;
    const each = reshape(ofValues, [...leading, count, samples, out]);
    const all = reshape(ofPlaces, [...leading, count, 1, out]);
    return reshape(add(each, all), [...leading, count * samples, out]);
  };
  const ofValues = frequenciesOf(fourier, reshape(values, [...leading, ...grid, samples * channels]));
  const ofPlaces = frequenciesOf(fourier, reshape(places, [...grid, place]));
  const [count, parts] = ofPlaces.shape;
  const frequencies = sum(
    matmul(reshape(ofValues, [...leading, count * parts * samples, channels]), byValue),
    matmul(reshape(ofPlaces, [count * parts, place]), byPlace),
    width,
  );
  return {
    times: (local) =>
      sum(
        matmul(reshape(values, [...leading, points * samples, channels]), matmul(byValue, local)),
        matmul(reshape(places, [points, place]), matmul(byPlace, local)),
        local.shape.at(-1)!,
      ),
    frequencies: reshape(frequencies, [...leading, count, parts * samples, width]),
  };
}

/** Coordinates of each point [...grid, 1, coordinates + 1], from 0 to 1 along each axis, and a one for the bias. */
function placesOf(program: Program, grid: readonly number[], sizes: FnoSizes): Tensor {
  const count = coordinatesOf(sizes) + 1;
  const points = grid.reduce((product, length) => product * length, 1);
  const values =
    count === 1 ? new Float64Array(points).fill(1) : gridCoordinates([...grid.map(unitAxis), [1]]);
  return program.constant(values, [...grid, 1, count]);
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

/** Zeros behind each axis of the grid of [..., ...grid, samples, n]. */
function padded(x: Tensor, padding: number, dimensions: number): Tensor {
  let y = x;
  for (let axis = -dimensions; axis < 0; axis++) y = pad(y, axis - 2, 0, padding);
  return y;
}

/** The first points of each axis of the grid of [..., ...grid, n]. */
function cropped(x: Tensor, grid: readonly number[]): Tensor {
  return grid.reduce((y, length, axis) => slice(y, axis - grid.length - 1, 0, length), x);
}
