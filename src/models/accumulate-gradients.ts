import { add, concat, convolveKernel, reshape, slice } from "../engine/operations.js";
import type { Application, Tensor } from "../engine/program.js";
import type { Shape } from "../engine/shape.js";
import { elements } from "../numerics/shape.js";
import { joined } from "./parameter-layout.js";

/**
 * Sums lists of gradients, entry by entry: those of the parts of a batch. What a part gives is joined into one tensor
 * first, which makes ONNX Runtime finish one part, in the cache, before it begins the next. The gradient of a kernel
 * that is larger than the fields it comes from is not added up: the fields are collected, and it is computed once.
 *
 * @param leading axes before those of the gradients, over clients; none by default
 */
export function accumulateGradients(
  parts: readonly (readonly Tensor[])[],
  leading: Shape = [],
): readonly Tensor[] {
  if (parts.length === 1) return parts[0];
  const late = parts[0].map((_, i) => parts.every((part) => largeKernel(part[i])));
  const given = parts.map((part) => [
    ...part.filter((_, i) => !late[i]),
    ...part.flatMap((entry, i) => (late[i] ? largeKernel(entry)!.operands : [])),
  ]);
  const added = late.filter((later) => !later).length;
  const count = total(given[0].slice(0, added)) / elements(leading);
  const whole = given.map((tensors) => joined(tensors, leading));
  const sums = split(
    whole.map((vector) => slice(vector, -1, 0, count)).reduce(add),
    given[0].slice(0, added),
    leading,
  );
  const fields = whole.map((vector, part) => {
    const tensors = given[part].slice(added);
    return tensors.length === 0
      ? []
      : split(slice(vector, -1, count, vector.shape.at(-1)!), tensors, leading);
  });
  const summed = sums.values();
  const collected = fields[0]
    .map((_, i) =>
      concat(
        fields.map((tensors) => tensors[i]),
        leading.length,
      ),
    )
    .values();
  return parts[0].map((entry, i) => {
    if (!late[i]) return summed.next().value!;
    const { size, ...sliding } = largeKernel(entry)!.attributes;
    return convolveKernel(collected.next().value!, collected.next().value!, size, sliding);
  });
}

/** The gradient of a kernel, if it has more elements than what it is computed from. */
function largeKernel({ program, id, shape }: Tensor): Application<"convolveKernel"> | undefined {
  const node = program.nodes[id];
  if (node.kind !== "operation" || node.operation !== "convolveKernel") return undefined;
  return elements(shape) > total(node.operands) ? node : undefined;
}

const total = (tensors: readonly Tensor[]): number =>
  tensors.reduce((count, { shape }) => count + elements(shape), 0);

/** Vectors as tensors of these shapes, one after another. */
function split(vectors: Tensor, like: readonly Tensor[], leading: Shape): Tensor[] {
  let end = 0;
  return like.map(({ shape }) => {
    const size = elements(shape) / elements(leading);
    end += size;
    return reshape(slice(vectors, -1, end - size, end), shape);
  });
}
