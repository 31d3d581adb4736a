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
 * For each element of the kernel, the part of the fields that it meets times the results there. Zeros around the fields
 * are left out instead of multiplied. (Laying the parts side by side for one product takes twice as long, `Conv` with
 * axes swapped and dilated by the strides seven times.)
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
  const samples = field[0];
  const whole = samePlane(field, [0, 0, height, width]) && samePlane(results, [0, 0, 1, 1]);
  if (whole) {
    const [x, y] = inputs.map((name, i) =>
      graph.node("Reshape", [name, graph.ints([samples, i === 0 ? from * height * width : to])]),
    );
    return graph.node("Reshape", [
      graph.node("Gemm", [y, x], { transA: true }),
      graph.ints([to, from, height, width]),
    ]);
  }
  // Samples are summed by the product if they lie behind the channels; on small planes moving them there is cheaper.
  const behind = height * width * to * from > results[2] * results[3] * (to + from);
  const [x, y] = behind
    ? inputs.map((name) => graph.node("Transpose", [name], { perm: [1, 0, 2, 3] }))
    : inputs;
  const product = (left: string, right: string): string => {
    if (behind) return graph.node("Gemm", [left, right], { transB: true });
    const each = extensions
      ? graph.node("FusedMatMul", [left, right], { transB: true }, EXTENSIONS)
      : graph.node("MatMul", [left, graph.node("Transpose", [right], { perm: [0, 2, 1] })]);
    return graph.node("ReduceSum", [each, graph.ints([0])], { keepdims: 0 });
  };
  const elements = Array.from({ length: height * width }, (_, at) => {
    const ranges = [Math.floor(at / width), at % width].map((offset, axis) =>
      meeting(offset - padding[axis], strides[axis], field[2 + axis], results[2 + axis]),
    );
    const places = ranges[0].length * ranges[1].length;
    if (places === 0) return graph.zeros([to, from]);
    const part = (name: string, channels: number, plane: Shape, of: "field" | "results"): string => {
      const shape = behind ? [channels, samples * places] : [samples, channels, places];
      return graph.node("Reshape", [planePart(graph, name, plane, ranges, of), graph.ints(shape)]);
    };
    return product(part(y, to, results, "results"), part(x, from, field, "field"));
  });
  const all = elements.length === 1 ? elements[0] : graph.node("Concat", elements, { axis: 0 });
  const apart = graph.node("Reshape", [all, graph.ints([height * width, to, from])]);
  return graph.node("Reshape", [
    graph.node("Transpose", [apart], { perm: [1, 2, 0] }),
    graph.ints([to, from, height, width]),
  ]);
}

const samePlane = (a: Shape, b: Shape): boolean => a[2] === b[2] && a[3] === b[3];

/** Along one axis, the results that an element of the kernel contributes to, and what it meets there. */
interface Meeting {
  readonly length: number;
  readonly results: { readonly start: number; readonly step: number };
  readonly field: { readonly start: number; readonly step: number };
}

/** An element at `offset` from the kernel's first place meets field[stride t + offset] for result t. */
function meeting(offset: number, stride: number, field: number, results: number): Meeting {
  const first = Math.max(0, Math.ceil(-offset / stride));
  const end = Math.min(results, Math.floor((field - 1 - offset) / stride) + 1);
  return {
    length: Math.max(0, end - first),
    results: { start: first, step: 1 },
    field: { start: first * stride + offset, step: stride },
  };
}

/** The rows and columns that meet, or the fields themselves if it is all of them. */
function planePart(
  graph: OnnxGraph,
  name: string,
  shape: Shape,
  meetings: readonly Meeting[],
  of: "field" | "results",
): string {
  const axes = [0, 1].filter((axis) => meetings[axis].length < shape[2 + axis]);
  if (axes.length === 0) return name;
  const ints = (value: (meeting: Meeting) => number) => graph.ints(axes.map((axis) => value(meetings[axis])));
  return graph.node("Slice", [
    name,
    ints((one) => one[of].start),
    ints((one) => one[of].start + (one.length - 1) * one[of].step + 1),
    graph.ints(axes.map((axis) => axis + 2)),
    ints((one) => one[of].step),
  ]);
}
