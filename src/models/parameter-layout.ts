import { concat, reshape, slice } from "../engine/operations.js";
import type { Tensor } from "../engine/program.js";
import type { Shape } from "../engine/shape.js";

/** One weight of a model and where it lies in the flat vector of all its parameters. */
export interface ParameterBlock {
  readonly name: string;
  readonly shape: Shape;
  /** Position of its first number. */
  readonly start: number;
  readonly size: number;
  /** The weights of the model that are joined in this one, where it is not one of them. */
  readonly parts?: ParameterLayout;
}

/**
 * All parameters of a model are one flat vector, its weights are consecutive blocks of it. An optimiser is then a
 * few operations instead of a few per weight, and averaging clients is one product.
 */
export type ParameterLayout = readonly ParameterBlock[];

/** A model's weights by name. */
export type Weights = Readonly<Record<string, Tensor>>;

/** Weights one after another, each in C order. */
export function parameterLayout(
  weights: readonly (readonly [name: string, shape: Shape])[],
): ParameterLayout {
  let start = 0;
  return weights.map(([name, shape]) => {
    const size = shape.reduce((product, length) => product * length, 1);
    start += size;
    return { name, shape, start: start - size, size };
  });
}

/** The model's own weights, of blocks in which some may be joined. */
export const separateWeights = (blocks: ParameterLayout): ParameterLayout =>
  blocks.flatMap((block) => block.parts ?? [block]);

/** Number of parameters of a model. */
export function parameterCount(layout: ParameterLayout): number {
  return layout.reduce((total, { size }) => total + size, 0);
}

/**
 * Weights by name from a tensor [..., parameters]; axes before the last, such as one over clients, stay. Vectors come
 * as rows [..., 1, n], ready to be added to [..., samples, n].
 */
export function weightsOf(parameters: Tensor, layout: ParameterLayout): Weights {
  const leading = parameters.shape.slice(0, -1);
  const entries = layout.map(({ name, shape, start, size }) => {
    const block = slice(parameters, leading.length, start, start + size);
    const row = shape.length === 1 ? [1] : [];
    return [name, reshape(block, [...leading, ...row, ...shape])] as const;
  });
  return Object.fromEntries(entries);
}

/** Weights as one tensor [..., parameters] again; `leading` are the axes before those of a weight. */
export function parametersOf(weights: Weights, leading: Shape = []): Tensor {
  return joined(Object.values(weights), leading);
}

/** Tensors flattened, but for leading axes, and laid end to end. */
export function joined(tensors: readonly Tensor[], leading: Shape = []): Tensor {
  const product = (shape: Shape) => shape.reduce((a, b) => a * b, 1);
  const flat = tensors.map((x) => reshape(x, [...leading, product(x.shape) / product(leading)]));
  return concat(flat, leading.length);
}
