import type { Sliding } from "../convolution.js";
import type { Tensor } from "../program.js";
import type { Shape } from "../shape.js";
import { EXTENSIONS, type OnnxGraph } from "./graph.js";

const bothSides = ([rows, columns]: readonly [number, number]): number[] => [rows, columns, rows, columns];

export function encodeConvolution(
  graph: OnnxGraph,
  x: string,
  kernel: string,
  { strides, padding }: Sliding,
): string {
  return graph.node("Conv", [x, kernel], { strides: [...strides], pads: bothSides(padding) });
}

/** Rows and columns at the far ends that no place of the kernel reaches are zero. */
export function encodeTransposedConvolution(
  graph: OnnxGraph,
  y: string,
  kernel: string,
  { strides, padding }: Sliding,
  kernelShape: Shape,
  shape: Shape,
): string {
  const beyond = [0, 1].map(
    (axis) => (shape[2 + axis] + 2 * padding[axis] - kernelShape[2 + axis]) % strides[axis],
  );
  return graph.node("ConvTranspose", [y, kernel], {
    strides: [...strides],
    pads: bothSides(padding),
    output_padding: beyond,
  });
}

/**
 * For each element of the kernel, the part of the field that it meets; all of them side by side times the results are
 * one product a sample. (`Conv` with axes swapped and dilated by the strides computes the same, much slower.)
 */
export function encodeKernelGradient(
  graph: OnnxGraph,
  x: string,
  y: string,
  { strides, padding }: Sliding,
  [, results]: readonly Tensor[],
  [outputs, inputs, height, width]: Shape,
  extensions: boolean,
): string {
  const [samples, , rows, columns] = results.shape;
  const places = rows * columns;
  const padded =
    padding[0] === 0 && padding[1] === 0
      ? x
      : graph.node("Pad", [x, graph.ints(bothSides(padding)), "", graph.ints([2, 3])]);
  const met = Array.from({ length: height * width }, (_, at) => {
    const start = [Math.floor(at / width), at % width];
    const end = [start[0] + strides[0] * (rows - 1) + 1, start[1] + strides[1] * (columns - 1) + 1];
    return graph.node("Slice", [
      padded,
      graph.ints(start),
      graph.ints(end),
      graph.ints([2, 3]),
      graph.ints(strides),
    ]);
  });
  const flat = (name: string, channels: number) =>
    graph.node("Reshape", [name, graph.ints([samples, channels, places])]);
  const side = met.length === 1 ? met[0] : graph.node("Concat", met, { axis: 1 });
  const left = flat(y, outputs);
  const right = flat(side, met.length * inputs);
  const product = extensions
    ? graph.node("FusedMatMul", [left, right], { transB: true }, EXTENSIONS)
    : graph.node("MatMul", [left, graph.node("Transpose", [right], { perm: [0, 2, 1] })]);
  const total = graph.node("ReduceSum", [product, graph.ints([0])], { keepdims: 0 });
  const apart = graph.node("Reshape", [total, graph.ints([outputs, height * width, inputs])]);
  const ordered = graph.node("Transpose", [apart], { perm: [0, 2, 1] });
  return graph.node("Reshape", [ordered, graph.ints([outputs, inputs, height, width])]);
}
