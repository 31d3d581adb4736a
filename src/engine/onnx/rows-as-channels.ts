import type { Sliding } from "../convolution.js";
import type { Shape } from "../shape.js";
import { transposed } from "./channel-blocks.js";
import type { OnnxGraph } from "./graph.js";

/** Blocks of columns that a product of matrices computes at once. */
const AT_ONCE = 2;

/** Writes the gradient of a kernel, of a shape, from fields and results. */
type KernelGradient = (
  inputs: readonly string[],
  sliding: Sliding,
  shapes: readonly Shape[],
  kernelShape: Shape,
) => string;

/**
 * The gradient of a kernel whose results have few channels, which leave most of a product of matrices empty:
 * neighbouring rows of the results count as channels of their own. The kernel then moves by that many rows more and is
 * longer by the distance from the first of them to the last, so that less of the fields is copied for it; each of these
 * channels has its part of the gradient at another place within it. Undefined where rows do not come out even.
 */
export function kernelGradientByRows(
  graph: OnnxGraph,
  [x, y]: readonly string[],
  { strides: [stride, across], padding }: Sliding,
  [field, [samples, to, rows, columns]]: readonly Shape[],
  [, from, height, width]: Shape,
  block: number,
  gradient: KernelGradient,
): string | undefined {
  const count = (AT_ONCE * block) / to;
  if (to >= block || !Number.isInteger(count) || rows % count !== 0) return undefined;
  const results = [samples, count * to, rows / count, columns];
  const channels = transposed(graph, y, [samples, to, rows / count, count, columns], [0, 3, 1, 2, 4]);
  const longer = height + (count - 1) * stride;
  const all = gradient(
    [x, graph.reshape(channels, results)],
    { strides: [count * stride, across], padding },
    [field, results],
    [count * to, from, longer, width],
  );
  const byRow = graph.reshape(all, [count, to * from, longer, width]);
  const parts = Array.from({ length: count }, (_, row) => {
    const start = row * stride;
    const bounds = [
      [row, start],
      [row + 1, start + height],
      [0, 2],
    ];
    return graph.node("Slice", [byRow, ...bounds.map((at) => graph.ints(at))]);
  });
  return graph.reshape(graph.node("Sum", parts), [to, from, height, width]);
}
