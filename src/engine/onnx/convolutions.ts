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
 * For each element of the kernel, the part of the fields that it meets times the results. (Laying the parts side by
 * side for one product takes up to twice as long, `Conv` with axes swapped and dilated by the strides seven times.)
 */
export function encodeKernelGradient(
  graph: OnnxGraph,
  inputs: readonly string[],
  { strides, padding }: Sliding,
  operands: readonly Tensor[],
  [to, from, height, width]: Shape,
  extensions: boolean,
): string {
  const [field, results] = operands.map(({ shape }) => shape);
  const [samples, , rows, columns] = results;
  const places = rows * columns;
  const shaped = (name: string, shape: readonly number[]) => graph.node("Reshape", [name, graph.ints(shape)]);
  const whole = field[2] === height && field[3] === width && padding.every((zeros) => zeros === 0);
  if (whole) {
    const x = shaped(inputs[0], [samples, from * height * width]);
    const y = shaped(inputs[1], [samples, to]);
    return shaped(graph.node("Gemm", [y, x], { transA: true }), [to, from, height, width]);
  }
  // Samples are summed by the product if they lie behind the channels; on small planes moving them there is cheaper.
  const behind = height * width * to * from > places * (to + from);
  const [x, y] = behind
    ? inputs.map((name) => graph.node("Transpose", [name], { perm: [1, 0, 2, 3] }))
    : inputs;
  const flat = (name: string, channels: number) =>
    shaped(name, behind ? [channels, samples * places] : [samples, channels, places]);
  const left = flat(y, to);
  const padded = padding.every((zeros) => zeros === 0)
    ? x
    : graph.node("Pad", [x, graph.ints(bothSides(padding)), "", graph.ints([2, 3])]);
  const elements = Array.from({ length: height * width }, (_, at) => {
    const start = [Math.floor(at / width), at % width];
    const end = [start[0] + strides[0] * (rows - 1) + 1, start[1] + strides[1] * (columns - 1) + 1];
    const bounds = [start, end, [2, 3], strides].map((values) => graph.ints(values));
    const right = flat(graph.node("Slice", [padded, ...bounds]), from);
    if (behind) return graph.node("Gemm", [left, right], { transB: true });
    const each = extensions
      ? graph.node("FusedMatMul", [left, right], { transB: true }, EXTENSIONS)
      : graph.node("MatMul", [left, graph.node("Transpose", [right], { perm: [0, 2, 1] })]);
    return graph.node("ReduceSum", [each, graph.ints([0])], { keepdims: 0 });
  });
  const all = elements.length === 1 ? elements[0] : graph.node("Concat", elements, { axis: 0 });
  const ordered = graph.node("Transpose", [shaped(all, [height * width, to, from])], { perm: [1, 2, 0] });
  return shaped(ordered, [to, from, height, width]);
}
