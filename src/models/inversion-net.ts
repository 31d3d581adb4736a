import { add, convolve, convolveBack, reshape, slice, tanh } from "../engine/operations.js";
import type { Tensor } from "../engine/program.js";
import { DataError } from "../errors.js";
import { choice, type ValuesOf, wholeNumber } from "../options/option.js";
import type { Stream } from "../random/stream.js";
import { type Activation, activate } from "./activation.js";
import { INITIALISERS, type Initialiser, initialValues } from "./initialisers.js";
import { fieldSize, gridWords, type Model } from "./model.js";
import { type Normalisation, normalised } from "./normalisation.js";
import { type ParameterLayout, parameterLayout, type Weights } from "./parameter-layout.js";
import { trainedByPredictions } from "./trainable-model.js";

/** Sizes of an InversionNet. */
export interface InversionNetSizes {
  /** Samples of a trace in time: 1000 as recorded, 500, 250 or 125 if only every second, fourth or eighth is taken. */
  readonly time: number;
  /** Traces of a shot; 70 by default. */
  readonly receivers?: number;
  /** Shots, the channels of an input; 5 by default. */
  readonly sources?: number;
  /** Channels from the first layers to the bottleneck; 8, 16, 32, 64, 128 by default, a quarter of the original's. */
  readonly channels?: readonly [number, number, number, number, number];
  /** `group` by default. */
  readonly normalisation?: Normalisation;
  /** Default `leaky-relu`; the last layer always has `tanh`. */
  readonly activation?: Activation;
  /** Rows and columns of a predicted map; 70 x 70 by default. */
  readonly map?: readonly [number, number];
  /** Channels of a map; 1 by default. */
  readonly outputs?: number;
}

const DEFAULTS = {
  receivers: 70,
  sources: 5,
  channels: [8, 16, 32, 64, 128] as const,
  normalisation: "group" as Normalisation,
  activation: "leaky-relu" as Activation,
  map: [70, 70] as const,
  outputs: 1,
};

const ACTIVATIONS = ["leaky-relu", "tanh", "gelu"] as const satisfies readonly Activation[];

const OPTIONS = {
  width: wholeNumber({
    help: "channels of the first layers; deeper layers have up to 16 times as many",
    from: 1,
    to: 1_000_000,
    default: 8,
  }),
  // Batch normalisation is left to the library: samples that fill up a batch would count in its statistics.
  normalisation: choice(["none", "group"], { help: "normalisation between layers", default: "group" }),
  activation: choice(ACTIVATIONS, {
    help: "activation function; the last layer has tanh",
    default: "leaky-relu",
  }),
  initialiser: choice(INITIALISERS, { help: "initial weights", default: "pytorch", later: true }),
};

/**
 * Numbers of a layer for all samples that are taken together. With more the cache holds less of them; with fewer there
 * are more operations to start.
 */
const TOGETHER = 1_200_000;

/** InversionNet-lite: recordings [sources, time, receivers] to maps with values from -1 to 1. */
export const inversionNet: Model = {
  title: "InversionNet-lite",
  summary: "recordings (sources, time, receivers) to maps with values from -1 to 1",
  options: OPTIONS,
  training: { batch: 16, normalise: "none" },
  refuses({ inputs, responses }) {
    if (inputs.grid.length !== 2)
      return `takes recordings of sources x times x receivers; these inputs have ${inputs.channels} x ${inputs.grid.join(" x ")} numbers`;
    return responses.grid.length === 2
      ? undefined
      : `predicts maps of rows x columns; these responses are on ${gridWords(responses.grid)}`;
  },
  build({ inputs, responses }, given = {}) {
    const { width = 8, normalisation = "group", activation, initialiser } = given as InversionNetOptions;
    const { channels: sources } = inputs;
    const [time, receivers] = inputs.grid;
    const [rows, columns] = responses.grid;
    const outputs = responses.channels;
    const channels = [width, 2 * width, 4 * width, 8 * width, 16 * width] as const;
    const chosen = activation && { activation };
    const sizes: InversionNetSizes = {
      ...{ sources, time, receivers, normalisation, channels, map: [rows, columns], outputs, ...chosen },
    };
    const [height, breadth] = beforeCrop([rows, columns]);
    const parts = {
      architecture: {
        ...{ name: "inversion-net", sources, time, receivers, width, normalisation, ...chosen },
        ...(rows === DEFAULTS.map[0] && columns === DEFAULTS.map[1] ? {} : { rows, columns }),
        ...(outputs !== DEFAULTS.outputs && { outputs }),
        ...(initialiser && initialiser !== "pytorch" && { initialiser }),
      },
      layout: inversionNetLayout(sizes),
      // The first layer's, at half the time samples, or the last one's is the largest.
      activation: Math.max(width * (time / 2) * receivers, lastWidth(sizes) * height * breadth),
      initial: (random: Stream) => initialInversionNet(sizes, random, initialiser),
      predict: (weights: Weights, recordings: Tensor) => {
        const samples = recordings.shape.slice(0, -1);
        const gathers = reshape(recordings, [...samples, sources, time, receivers]);
        const map = predictInversionNet(weights, gathers, sizes);
        return reshape(map, [...samples, fieldSize(responses)]);
      },
    };
    // Statistics of a batch need the whole batch.
    const together = Math.max(1, Math.floor(TOGETHER / parts.activation));
    return trainedByPredictions(parts, normalisation === "batch" ? undefined : together);
  },
  /** It ends with a hyperbolic tangent. */
  checkResponses(responses) {
    const beyond = responses.find((value) => !(Math.abs(value) <= 1.001));
    if (beyond !== undefined)
      throw new DataError(
        `InversionNet predicts values from -1 to 1, but the responses contain ${beyond}: ` +
          "import them without --raw, and leave out --normalise",
      );
  },
};

type InversionNetOptions = Partial<Omit<ValuesOf<typeof OPTIONS>, "normalisation">> & {
  readonly normalisation?: Normalisation;
};

/** Rows after the stages over time alone, about; and rows and columns that the bottleneck's kernel may have. */
const ROWS = 63;
const LARGEST_KERNEL = 16;
/** Largest side of the picture that the first transposed convolution makes. */
const FIRST_PICTURE = 8;

interface Layer {
  readonly name: string;
  readonly kind: "convolution" | "transposed";
  readonly from: number;
  readonly to: number;
  readonly kernel: readonly [number, number];
  readonly strides: readonly [number, number];
  readonly padding: readonly [number, number];
}

const halve = (length: number) => Math.ceil(length / 2);

/** Times that a length is halved before the three stages over both axes: at least so often, more for a small kernel. */
function halvingsOf(length: number, least: number): number {
  let halvings = least;
  while (Math.ceil(length / 2 ** (halvings + 3)) > LARGEST_KERNEL) halvings++;
  return halvings;
}

/** Times that the first picture is doubled to cover a map. */
function doublingsOf([rows, columns]: readonly [number, number]): number {
  return Math.max(0, Math.ceil(Math.log2(Math.max(rows, columns) / FIRST_PICTURE)));
}

/** Rows and columns of the first picture. */
function firstPicture(map: readonly [number, number]): readonly [number, number] {
  const factor = 2 ** doublingsOf(map);
  return [Math.ceil(map[0] / factor), Math.ceil(map[1] / factor)];
}

/** Rows and columns that the last transposed convolution makes. */
function beforeCrop(map: readonly [number, number]): readonly [number, number] {
  const [rows, columns] = firstPicture(map);
  const factor = 2 ** doublingsOf(map);
  return [rows * factor, columns * factor];
}

/** Channels of each picture, from the first one on. */
function pictureChannels(sizes: InversionNetSizes): readonly number[] {
  const { channels, map } = { ...DEFAULTS, ...sizes };
  const [d1, d2, d3, d4, d5] = channels;
  return Array.from({ length: doublingsOf(map) + 1 }, (_, stage) => [d5, d4, d3, d2][stage] ?? d1);
}

const lastWidth = (sizes: InversionNetSizes): number => pictureChannels(sizes).at(-1)!;

/**
 * The layers of InversionNet (Wu and Lin 2019, in the sizes of OpenFWI). Stages halve time alone until about 63 rows
 * are left, three more halve both axes to about 8 x 9, and a kernel of that size leaves one position; transposed
 * convolutions then double it to a picture that covers the map. A shorter recording needs fewer stages over time alone:
 * the first ones are left out, and the first one that stays reads the traces, with its longer kernel. A longer one, or one
 * of more than 128 receivers, has more of them.
 */
function layersOf(sizes: InversionNetSizes): readonly Layer[] {
  const { time, receivers, sources, channels, map, outputs } = { ...DEFAULTS, ...sizes };
  const [d1, d2, d3, d4, d5] = channels;
  const layers: Layer[] = [];
  let from = sources;
  const append = (kind: Layer["kind"], to: number, rest: Pick<Layer, "kernel" | "strides" | "padding">) => {
    layers.push({ name: `layer.${layers.length}`, kind, from, to, ...rest });
    from = to;
  };
  const doubling = { kernel: [4, 4], strides: [2, 2], padding: [1, 1] } as const;
  const same = { kernel: [3, 3], strides: [1, 1], padding: [1, 1] } as const;
  let [rows, columns] = [time, receivers];
  const usual = Math.min(4, Math.max(0, Math.round(Math.log2(time / ROWS))));
  const halvings = halvingsOf(time, usual);
  const more = Array<number>(Math.max(0, halvings - 4)).fill(d1);
  [...more, ...[d1, d2, d2, d3].slice(Math.max(0, 4 - halvings))].forEach((to, stage) => {
    const length = stage === 0 ? 7 : 3;
    append("convolution", to, { kernel: [length, 1], strides: [2, 1], padding: [(length - 1) / 2, 0] });
    if (stage > 0) append("convolution", to, { kernel: [3, 1], strides: [1, 1], padding: [1, 0] });
    rows = halve(rows);
  });
  for (let stage = halvingsOf(receivers, 0); stage > 0; stage--) {
    append("convolution", d3, { kernel: [1, 3], strides: [1, 2], padding: [0, 1] });
    columns = halve(columns);
  }
  for (const to of [d3, d4, d4]) {
    append("convolution", to, { ...same, strides: [2, 2] });
    append("convolution", to, same);
    [rows, columns] = [halve(rows), halve(columns)];
  }
  append("convolution", d5, { kernel: [rows, columns], strides: [1, 1], padding: [0, 0] });
  pictureChannels(sizes).forEach((to, stage) => {
    const first = { kernel: firstPicture(map), strides: [2, 2], padding: [0, 0] } as const;
    append("transposed", to, stage === 0 ? first : doubling);
    append("convolution", to, same);
  });
  append("convolution", outputs, same);
  return layers;
}

/**
 * Weights `layer.0.weight` [out, in, height, width] ([in, out, ...] of a transposed convolution), followed by
 * `layer.0.scale` and `layer.0.shift` [out] where the layer is normalised, else by `layer.0.bias` [out]. The last layer
 * is never normalised: that would take the mean velocity out of every prediction.
 */
export function inversionNetLayout(sizes: InversionNetSizes): ParameterLayout {
  const layers = layersOf(sizes);
  return parameterLayout(
    layers.flatMap(({ name, kind, from, to, kernel }, i) => [
      [`${name}.weight`, [...(kind === "convolution" ? [to, from] : [from, to]), ...kernel]] as const,
      ...(normalisationOf(sizes, i, layers.length) === "none" ? ["bias"] : ["scale", "shift"]).map(
        (part) => [`${name}.${part}`, [to]] as const,
      ),
    ]),
  );
}

/** Scales one and shifts zero, others as PyTorch draws them unless told otherwise. */
export function initialInversionNet(
  sizes: InversionNetSizes,
  random: Stream,
  initialiser: Initialiser = "pytorch",
): Float32Array {
  return initialValues(inversionNetLayout(sizes), random, initialiser, ({ name }) => {
    if (name.endsWith(".scale")) return { low: 1, high: 1 };
    return name.endsWith(".shift") ? { low: 0, high: 0 } : undefined;
  });
}

/**
 * Shot gathers [..., samples, sources, time, receivers], scaled to [-1, 1], to maps [..., samples, channels, rows, columns],
 * likewise. Axes before these, over clients say, are those of the weights.
 */
export function predictInversionNet(weights: Weights, inputs: Tensor, sizes: InversionNetSizes): Tensor {
  const layers = layersOf(sizes);
  let x = inputs;
  layers.forEach((layer, i) => {
    const last = i + 1 === layers.length;
    if (last) x = cropped(x, sizes.map ?? DEFAULTS.map);
    const y = convolved(weights[`${layer.name}.weight`], x, layer);
    const part = (name: string) => weights[`${layer.name}.${name}`];
    const kind = normalisationOf(sizes, i, layers.length);
    const adjusted =
      kind === "none"
        ? add(y, reshape(part("bias"), [...part("bias").shape, 1, 1]))
        : normalised(y, kind, part("scale"), part("shift"));
    x = last ? tanh(adjusted) : activate(adjusted, sizes.activation ?? DEFAULTS.activation);
  });
  return x;
}

function normalisationOf(sizes: InversionNetSizes, layer: number, layers: number): Normalisation {
  return layer + 1 === layers ? "none" : (sizes.normalisation ?? DEFAULTS.normalisation);
}

function convolved(weight: Tensor, x: Tensor, { kind, kernel, strides, padding }: Layer): Tensor {
  if (kind === "convolution") return convolve(x, weight, { strides, padding });
  const size = (axis: 0 | 1) =>
    (x.shape.at(axis - 2)! - 1) * strides[axis] - 2 * padding[axis] + kernel[axis];
  return convolveBack(x, weight, [size(0), size(1)], { strides, padding });
}

/** The middle of [..., rows, columns] that the map covers. */
function cropped(x: Tensor, [rows, columns]: readonly [number, number]): Tensor {
  const [top, left] = [Math.floor((x.shape.at(-2)! - rows) / 2), Math.floor((x.shape.at(-1)! - columns) / 2)];
  return slice(slice(x, -2, top, top + rows), -1, left, left + columns);
}
