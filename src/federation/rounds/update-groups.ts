import { reshape, slice } from "../../engine/operations.js";
import type { Tensor } from "../../engine/program.js";
import type { Shape } from "../../engine/shape.js";
import {
  joined,
  type ParameterLayout,
  parameterCount,
  type Weights,
  weightsOf,
} from "../../models/parameter-layout.js";

/**
 * The blocks of a model that an optimiser updates together. A large weight is updated alone, since it then stays in
 * the cache from operation to operation; small ones are laid end to end, since an operation costs a microsecond
 * however little it does.
 */
export type UpdateGroups = readonly ParameterLayout[];

/** Blocks below this many numbers are small. */
const SMALL = 1024;

/** The groups of a model; all of it is one for a backend that prefers large kernels. */
export function updateGroups(blocks: ParameterLayout, { prefersLargeKernels = false } = {}): UpdateGroups {
  if (prefersLargeKernels) return [blocks];
  const large = blocks.filter(({ size }) => size >= SMALL);
  const small = blocks.filter(({ size }) => size < SMALL);
  return [...large.map((block) => [block]), ...(small.length > 0 ? [small] : [])];
}

/** Weights as one tensor a group, small ones as a row; `leading` are the axes before those of a weight. */
export function intoGroups(weights: Weights, groups: UpdateGroups, leading: Shape): Tensor[] {
  return groups.map((blocks) =>
    blocks.length === 1
      ? weights[blocks[0].name]
      : joined(
          blocks.map(({ name }) => weights[name]),
          [...leading, 1],
        ),
  );
}

/** The weights that `intoGroups` put together; vectors are rows, as in `weightsOf`. */
export function fromGroups(tensors: readonly Tensor[], groups: UpdateGroups, leading: Shape): Weights {
  const entries = groups.flatMap((blocks, group) => {
    if (blocks.length === 1) return [[blocks[0].name, tensors[group]] as const];
    let end = 0;
    return blocks.map(({ name, shape, size }) => {
      end += size;
      const part = slice(tensors[group], leading.length + 1, end - size, end);
      const row = shape.length === 1 ? [1] : [];
      return [name, reshape(part, [...leading, ...row, ...shape])] as const;
    });
  });
  return Object.fromEntries(entries);
}

/** The groups of a tensor of all parameters, [...leading, parameters]. */
export function groupsOf(
  parameters: Tensor,
  blocks: ParameterLayout,
  groups: UpdateGroups,
  leading: Shape,
): Tensor[] {
  return groups[0] === blocks && blocks.length > 1
    ? [reshape(parameters, [...leading, 1, parameterCount(blocks)])]
    : intoGroups(weightsOf(parameters, blocks), groups, leading);
}

/** All parameters as one tensor again, [...leading, parameters]. */
export function withoutGroups(
  tensors: readonly Tensor[],
  blocks: ParameterLayout,
  groups: UpdateGroups,
  leading: Shape,
): Tensor {
  if (groups[0] === blocks) return reshape(tensors[0], [...leading, parameterCount(blocks)]);
  const weights = fromGroups(tensors, groups, leading);
  return joined(
    blocks.map(({ name }) => weights[name]),
    leading,
  );
}
