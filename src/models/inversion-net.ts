import { add, convolve, convolveBack, reshape, slice, tanh } from "../engine/operations.js";
import type { Tensor } from "../engine/program.js";
import { OptionError } from "../errors.js";
import type { Stream } from "../random/stream.js";
import { type Activation, activate } from "./activation.js";
import { likePyTorch } from "./initialisers.js";
import { type Normalisation, normalised } from "./normalisation.js";
import { type ParameterLayout, parameterLayout, type Weights } from "./parameter-layout.js";

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
}

const DEFAULTS = {
  receivers: 70,
  sources: 5,
  channels: [8, 16, 32, 64, 128] as const,
  normalisation: "group" as Normalisation,
  activation: "leaky-relu" as Activation,
};

/** Rows that the layers over both axes take in, and rows and columns that come out before and after the crop. */
const [ROWS, BEFORE_CROP, AFTER_CROP] = [63, 80, 70];

interface Layer {
  readonly name: string;
  readonly kind: "convolution" | "transposed";
  readonly from: number;
  readonly to: number;
  readonly kernel: readonly [number, number];
  readonly strides: readonly [number, number];
  readonly padding: readonly [number, number];
}

/**
 * The layers of InversionNet (Wu and Lin 2019, in the sizes of OpenFWI). Stages halve time alone until about 63 rows
 * are left, three more halve both axes to about 8 x 9, and a kernel of that size leaves one position; transposed
 * convolutions then double it to a picture. A shorter recording needs fewer stages over time alone: the first ones are
 * left out, and the first one that stays reads the traces, with its longer kernel.
 */
function layersOf(sizes: InversionNetSizes): readonly Layer[] {
  const { time, receivers, sources, channels } = { ...DEFAULTS, ...sizes };
  const [d1, d2, d3, d4, d5] = channels;
  const layers: Layer[] = [];
  let from = sources;
  const append = (kind: Layer["kind"], to: number, rest: Pick<Layer, "kernel" | "strides" | "padding">) => {
    layers.push({ name: `layer.${layers.length}`, kind, from, to, ...rest });
    from = to;
  };
  const toFive = { kernel: [5, 5], strides: [2, 2], padding: [0, 0] } as const;
  const doubling = { kernel: [4, 4], strides: [2, 2], padding: [1, 1] } as const;
  const same = { kernel: [3, 3], strides: [1, 1], padding: [1, 1] } as const;
  let [rows, columns] = [time, receivers];
  const halve = (length: number) => Math.ceil(length / 2);
  const halvings = Math.min(4, Math.max(0, Math.round(Math.log2(time / ROWS))));
  [d1, d2, d2, d3].slice(4 - halvings).forEach((to, stage) => {
    const length = stage === 0 ? 7 : 3;
    append("convolution", to, { kernel: [length, 1], strides: [2, 1], padding: [(length - 1) / 2, 0] });
    if (stage > 0) append("convolution", to, { kernel: [3, 1], strides: [1, 1], padding: [1, 0] });
    rows = halve(rows);
  });
  for (const to of [d3, d4, d4]) {
    append("convolution", to, { ...same, strides: [2, 2] });
    append("convolution", to, same);
    [rows, columns] = [halve(rows), halve(columns)];
  }
  if (rows > 2 * 8)
    throw new OptionError(
      `InversionNet takes traces of up to 2000 samples, not ${time}; take every second one`,
    );
  append("convolution", d5, { kernel: [rows, columns], strides: [1, 1], padding: [0, 0] });
  [d5, d4, d3, d2, d1].forEach((to, stage) => {
    append("transposed", to, stage === 0 ? toFive : doubling);
    append("convolution", to, same);
  });
  append("convolution", 1, same);
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

/** Scales one and shifts zero, others as PyTorch draws them. */
export function initialInversionNet(sizes: InversionNetSizes, random: Stream): Float32Array {
  return likePyTorch(inversionNetLayout(sizes), random, ({ name }) => {
    if (name.endsWith(".scale")) return { low: 1, high: 1 };
    return name.endsWith(".shift") ? { low: 0, high: 0 } : undefined;
  });
}

/**
 * Shot gathers [..., samples, sources, time, receivers], scaled to [-1, 1], to velocity maps [..., samples, 1, 70, 70],
 * likewise. Axes before these, over clients say, are those of the weights.
 */
export function inversionNet(weights: Weights, inputs: Tensor, sizes: InversionNetSizes): Tensor {
  const layers = layersOf(sizes);
  let x = inputs;
  layers.forEach((layer, i) => {
    const last = i + 1 === layers.length;
    if (last) x = cropped(x);
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

function cropped(x: Tensor): Tensor {
  const edge = (BEFORE_CROP - AFTER_CROP) / 2;
  return slice(slice(x, -2, edge, BEFORE_CROP - edge), -1, edge, BEFORE_CROP - edge);
}
