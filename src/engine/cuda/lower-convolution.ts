import { elements } from "../../files/element-type.js";
import type { Sliding } from "../convolution.js";
import type { Shape } from "../shape.js";
import type { Cutting, GraphWriter, Node } from "./graph.js";

/** A convolution, or its transpose as a map of fields or of kernels, by products with the patches of the field. */
export function lowerConvolution(
  graph: GraphWriter,
  operation: "convolve" | "convolveBack" | "convolveKernel",
  x: Node,
  y: Node,
  { strides, padding }: Sliding,
  shape: Shape,
): Node {
  const flat = (node: Node) =>
    graph.reshape(node, [node.shape[0], node.shape[1], elements(node.shape.slice(2))]);
  switch (operation) {
    case "convolve": {
      const kernel = matrix(graph, y);
      const patches = patchesOf(graph, x, { strides, padding, kernel: planeOf(y.shape) }, planeOf(shape));
      return graph.reshape(graph.matmul(kernel, patches), shape);
    }
    case "convolveBack": {
      const columns = graph.matmul(graph.swapped(matrix(graph, y)), flat(x));
      return overlapped(
        graph,
        columns,
        { strides, padding, kernel: planeOf(y.shape) },
        shape,
        planeOf(x.shape),
      );
    }
    case "convolveKernel": {
      const patches = patchesOf(graph, x, { strides, padding, kernel: planeOf(shape) }, planeOf(y.shape));
      const products = graph.matmul(flat(y), graph.swapped(patches));
      const summed = products.shape[0] === 1 ? products : graph.sum(products, [0]);
      return graph.reshape(summed, shape);
    }
  }
}

/** A kernel as [out, in x height x width]. */
function matrix(graph: GraphWriter, kernel: Node): Node {
  return graph.reshape(kernel, [kernel.shape[0], elements(kernel.shape.slice(1))]);
}

/** Patches of fields as [samples, in x height x width, places]. */
function patchesOf(graph: GraphWriter, x: Node, cutting: Cutting, places: readonly [number, number]): Node {
  const [samples, channels, rows, columns] = x.shape;
  const matrices = [samples, channels * elements(cutting.kernel), elements(places)];
  if (isWhole(cutting, [rows, columns])) return graph.reshape(x, matrices);
  const patches = graph.apply(
    { name: "patches", ...cutting },
    [x],
    [samples, channels, ...cutting.kernel, ...places],
  );
  return graph.reshape(patches, matrices);
}

/** The transpose of `patchesOf`: what all patches say of each point of a field, added up. */
function overlapped(
  graph: GraphWriter,
  patches: Node,
  cutting: Cutting,
  shape: Shape,
  places: readonly [number, number],
): Node {
  if (isWhole(cutting, planeOf(shape))) return graph.reshape(patches, shape);
  const apart = graph.reshape(patches, [shape[0], shape[1], ...cutting.kernel, ...places]);
  return graph.apply({ name: "overlap", ...cutting }, [apart], shape);
}

/** Whether the only patch is the field itself, or each patch one point of it. */
function isWhole({ kernel, strides, padding }: Cutting, field: readonly [number, number]): boolean {
  const plain = padding[0] === 0 && padding[1] === 0;
  const point = elements(kernel) === 1 && elements(strides) === 1;
  return plain && (point || (kernel[0] === field[0] && kernel[1] === field[1]));
}

const planeOf = (shape: Shape): [number, number] => [shape[2], shape[3]];
