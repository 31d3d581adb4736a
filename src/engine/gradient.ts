import { add, concat, vjp } from "./operations.js";
import type { Program, Tensor } from "./program.js";
import { formatShape, ShapeError, sameShape } from "./shape.js";

/**
 * Gradients of y with respect to tensors that it depends on, by reverse-mode differentiation. They are tensors of
 * the same program, so gradients of gradients work: the product of the Hessian with v is
 * `gradient(g, [x], v)` for `[g] = gradient(y, [x])`.
 *
 * y has one element, or `seed` has the shape of y: the gradients are then those of sum(seed * y).
 */
export function gradient(y: Tensor, wrt: readonly Tensor[], seed?: Tensor): Tensor[] {
  const { program } = y;
  if (seed === undefined && y.shape.some((length) => length !== 1))
    throw new ShapeError(`gradient of a tensor of shape ${formatShape(y.shape)} needs a seed of that shape`);
  if (seed !== undefined && !sameShape(seed.shape, y.shape))
    throw new ShapeError(
      `gradient of shape ${formatShape(y.shape)} cannot take a seed of ${formatShape(seed.shape)}`,
    );

  const depends = dependents(program, wrt, y.id);
  const arrived = new Map<number, Tensor[]>([[y.id, [seed ?? program.constant(1, y.shape)]]]);
  const wanted = new Map<number, Tensor>();
  for (let id = y.id; id >= 0; id--) {
    const parts = arrived.get(id);
    if (!parts || !depends.has(id)) continue;
    const g = total(program, parts);
    wanted.set(id, g);
    const node = program.nodes[id];
    if (node.kind !== "operation") continue;
    const gradients = vjp(node, program.tensor(id), g);
    node.operands.forEach((operand, i) => {
      const part = gradients[i];
      if (part && depends.has(operand.id))
        arrived.set(operand.id, [...(arrived.get(operand.id) ?? []), part]);
    });
  }
  return wrt.map((x) => wanted.get(x.id) ?? program.constant(0, x.shape));
}

/** The tensors up to `last` that depend on any of `sources`, these included. */
function dependents(program: Program, sources: readonly Tensor[], last: number): Set<number> {
  const depends = new Set(sources.map(({ id }) => id));
  for (let id = 0; id <= last; id++) {
    const node = program.nodes[id];
    if (node.kind === "operation" && node.operands.some((operand) => depends.has(operand.id)))
      depends.add(id);
  }
  return depends;
}

/** The sum of what arrived. Gradients of slices that tile an axis are laid side by side instead of padded and added. */
function total(program: Program, parts: readonly Tensor[]): Tensor {
  return tiled(program, parts) ?? parts.reduce(add);
}

function tiled(program: Program, parts: readonly Tensor[]): Tensor | undefined {
  const pads = parts
    .map(({ id }) => program.nodes[id])
    .map((node) => (node.kind === "operation" && node.operation === "pad" ? node : undefined));
  const first = pads[0];
  if (parts.length < 2 || !first || !pads.every((node) => node?.attributes.axis === first.attributes.axis))
    return undefined;
  const { axis } = first.attributes;
  const tiles = pads.map((node) => node!).sort((a, b) => a.attributes.before - b.attributes.before);
  let end = 0;
  for (const { attributes, operands } of tiles) {
    if (attributes.before !== end) return undefined;
    end += operands[0].shape[axis];
  }
  return end === parts[0].shape[axis]
    ? concat(
        tiles.map(({ operands }) => operands[0]),
        axis,
      )
    : undefined;
}
