import { choice, type ValuesOf, wholeNumber } from "../options/option.js";
import type { Activation } from "./activation.js";
import { type DeepOnetSizes, deepOnetLayout, predictDeepOnet, type TrunkOutput } from "./deeponet-network.js";
import { deepOnetTraining } from "./deeponet-training.js";
import { INITIALISERS, type Initialiser, initialValues } from "./initialisers.js";
import { fieldSize, type Model } from "./model.js";
import { outputPoints } from "./output-points.js";
import type { TrainableModel } from "./trainable-model.js";

const ACTIVATIONS = ["relu", "tanh", "gelu"] as const satisfies readonly Activation[];
const TRUNK_OUTPUTS: readonly TrunkOutput[] = ["activation", "relu", "none"];

const OPTIONS = {
  width: wholeNumber({ help: "width of each layer", from: 1, to: 1_000_000, default: 64 }),
  depth: wholeNumber({ help: "number of linear layers of branch and trunk", from: 1, to: 1000, default: 3 }),
  activation: choice(ACTIVATIONS, { help: "activation function", default: "relu" }),
  latent: wholeNumber({
    help: "dimension of the final dot product of each output channel",
    from: 1,
    to: 1_000_000,
    defaultWords: "the width",
    later: true,
  }),
  trunk_output: choice(TRUNK_OUTPUTS, {
    help: "what follows the trunk's last layer; activation is that of the other layers",
    default: "activation",
    later: true,
  }),
  initialiser: choice(INITIALISERS, {
    help: "initial weights: Glorot's normal ones with biases of zero, or PyTorch's uniform ones",
    default: "glorot-normal",
    later: true,
  }),
};

/** A DeepONet from inputs of any shape, taken as a list of sensors, to responses at any points. */
export const deeponet: Model = {
  title: "DeepONet",
  summary: "inputs of any shape to responses at any points",
  options: OPTIONS,
  training: { batch: 64, normalise: "standard" },
  refuses: () => undefined,
  build(shapes, given = {}) {
    const options = given as Partial<ValuesOf<typeof OPTIONS>>;
    const points = outputPoints(shapes);
    const { channels } = shapes.responses;
    const sizes: DeepOnetSizes = {
      sensors: fieldSize(shapes.inputs),
      coordinates: points.dimensions,
      width: options.width ?? OPTIONS.width.default,
      depth: options.depth ?? OPTIONS.depth.default,
      ...(options.activation && { activation: options.activation }),
      ...(channels > 1 && { outputs: channels }),
      ...(options.latent && { latent: options.latent }),
      ...(options.trunk_output && { trunkOutput: options.trunk_output }),
    };
    return trainableDeepOnet(sizes, points.values, options.initialiser);
  },
};

/** A DeepONet of these sizes at these output points, points x coordinates. */
export function trainableDeepOnet(
  sizes: DeepOnetSizes,
  points: Float32Array,
  initialiser: Initialiser = "glorot-normal",
): TrainableModel {
  const layout = deepOnetLayout(sizes);
  const count = points.length / sizes.coordinates;
  const { trunkOutput = "activation", latent, outputs, ...first } = sizes;
  return {
    architecture: {
      name: "deeponet",
      ...first,
      ...(outputs !== undefined && { outputs }),
      ...(latent !== undefined && latent !== sizes.width && { latent }),
      ...(trunkOutput !== "activation" && { trunk_output: trunkOutput }),
      ...(initialiser !== "glorot-normal" && { initialiser }),
    },
    layout,
    activation: count * (outputs ?? 1),
    gradientRows: Infinity,
    anySamples: true,
    // The bias of an output, which belongs to no layer, starts at zero.
    initial: (random) =>
      initialValues(layout, random, initialiser, ({ name }) =>
        name === "bias" ? { low: 0, high: 0 } : undefined,
      ),
    predict: (weights, inputs) =>
      predictDeepOnet(weights, inputs, inputs.program.constant(points, [count, sizes.coordinates]), sizes),
    training: (samples, options) => deepOnetTraining(sizes, points, samples, options),
  };
}
