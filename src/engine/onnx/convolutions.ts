import { elements } from "../../numerics/shape.js";
import type { Sliding } from "../convolution.js";
import type { Shape } from "../shape.js";
import {
  betterInBlocks,
  blockedConvolution,
  kernelInBlocks,
  turnedKernel,
  turnedKernelInBlocks,
} from "./blocked-convolution.js";
import { blockedKernelGradient } from "./blocked-kernel-gradient.js";
import type { Place } from "./encoding.js";
import { EXTENSIONS, type OnnxGraph } from "./graph.js";
import { kernelGradientByRows } from "./rows-as-channels.js";

const bothSides = ([rows, columns]: readonly [number, number]): number[] => [rows, columns, rows, columns];

/** Whether kernels of this shape cover a whole field, so that a convolution is a product of matrices. */
const covers = ([, , height, width]: Shape, field: Shape, { padding }: Sliding): boolean =>
  field[2] === height && field[3] === width && padding.every((zeros) => zeros === 0);

export function encodeConvolution(
  graph: OnnxGraph,
  [x, kernel]: readonly string[],
  sliding: Sliding,
  [field, kernelShape]: readonly Shape[],
  block: number,
): string {
  const [to, ...one] = kernelShape;
  if (covers(kernelShape, field, sliding)) {
    const operands = [
      graph.reshape(x, [field[0], elements(one)]),
      graph.reshape(kernel, [to, elements(one)]),
    ];
    return graph.reshape(graph.node("Gemm", operands, { transB: true }), [field[0], to, 1, 1]);
  }
  if (betterInBlocks(kernelShape, elements(sliding.strides), block)) {
    const inBlocks = kernelInBlocks(graph, kernel, kernelShape, block);
    return blockedConvolution(graph, x, inBlocks, kernelShape, sliding, block);
  }
  const { strides, padding } = sliding;
  return graph.node("Conv", [x, kernel], { strides: [...strides], pads: bothSides(padding) });
}

/**
 * A kernel that moves by single places is turned around, which makes its transpose a convolution again: faster, since
 * nothing has to be added up in memory. Else rows and columns at the far ends that no place of the kernel reaches are
 * zero.
 */
export function encodeTransposedConvolution(
  graph: OnnxGraph,
  [y, kernel]: readonly string[],
  sliding: Sliding,
  kernelShape: Shape,
  shape: Shape,
  block: number,
): string {
  const [to, from, height, width] = kernelShape;
  const { strides, padding } = sliding;
  if (covers(kernelShape, shape, sliding)) {
    const size = elements(shape.slice(1));
    const operands = [graph.reshape(y, [shape[0], to]), graph.reshape(kernel, [to, size])];
    return graph.reshape(graph.node("Gemm", operands), shape);
  }
  if (strides.every((stride) => stride === 1)) {
    const around: Sliding = { strides, padding: [height - 1 - padding[0], width - 1 - padding[1]] };
    const turnedShape = [from, to, height, width];
    if (around.padding.every((zeros) => zeros >= 0)) {
      if (!betterInBlocks(turnedShape, 1, block)) {
        return graph.node("Conv", [y, turnedKernel(graph, kernel)], { pads: bothSides(around.padding) });
      }
      const turned = turnedKernelInBlocks(graph, kernel, kernelShape, block);
      return blockedConvolution(graph, y, turned, turnedShape, around, block);
    }
  }
  const beyond = [height, width].map(
    (length, axis) => (shape[2 + axis] + 2 * padding[axis] - length) % strides[axis],
  );
  return graph.node("ConvTranspose", [y, kernel], {
    strides: [...strides],
    pads: bothSides(padding),
    output_padding: beyond,
  });
}

/**
 * For each column of the kernel, the parts of the fields that its elements meet, laid side by side, times the results.
 * `Gather` copies whole rows, which is as fast as copying gets, and long products of few channels are faster the more
 * rows they have. (One product an element takes up to twice as long, `Conv` with axes swapped and dilated by the strides
 * seven times.)
 */
export function encodeKernelGradient(
  graph: OnnxGraph,
  inputs: readonly string[],
  sliding: Sliding,
  [field, results]: readonly Shape[],
  kernelShape: Shape,
  { extensions, block }: Pick<Place, "extensions" | "block">,
): string {
  const { strides, padding } = sliding;
  const [to, from, height, width] = kernelShape;
  const [samples, , rows, columns] = results;
  const places = rows * columns;
  if (covers(kernelShape, field, sliding)) {
    const x = graph.reshape(inputs[0], [samples, from * height * width]);
    const y = graph.reshape(inputs[1], [samples, to]);
    return graph.reshape(graph.node("Gemm", [y, x], { transA: true }), kernelShape);
  }
  const shapes = [field, results];
  const inBlocks =
    block > 1 ? blockedKernelGradient(graph, inputs, sliding, shapes, kernelShape, block) : undefined;
  if (inBlocks !== undefined) return inBlocks;
  // Samples are summed by the product if they lie behind the channels; on small planes moving them there is cheaper.
  const behind = height * width * to * from >= places * (to + from);
  const byRows = behind
    ? undefined
    : kernelGradientByRows(graph, inputs, sliding, shapes, kernelShape, block, (...given) =>
        encodeKernelGradient(graph, ...given, { extensions, block: 1 }),
      );
  if (byRows !== undefined) return byRows;
  const [x, y] = behind
    ? inputs.map((name) => graph.node("Transpose", [name], { perm: [1, 0, 2, 3] }))
    : inputs;
  const padded = padding.every((zeros) => zeros === 0)
    ? x
    : graph.node("Pad", [x, graph.ints(bothSides(padding)), "", graph.ints([2, 3])]);
  const fieldRows = field[2] + 2 * padding[0];
  const met = metRows(graph, height, rows, strides[0], behind ? samples : 1, fieldRows);
  const product = (column: string): string => {
    if (behind) {
      const parts = graph.node("Gather", [graph.reshape(column, [from, samples * fieldRows, columns]), met], {
        axis: 1,
      });
      const operands = [
        graph.reshape(parts, [from * height, samples * places]),
        graph.reshape(y, [to, samples * places]),
      ];
      return graph.node("Gemm", operands, { transB: true });
    }
    const parts = graph.reshape(graph.node("Gather", [column, met], { axis: 2 }), [
      samples,
      from * height,
      places,
    ]);
    const right = graph.reshape(y, [samples, to, places]);
    const each = extensions
      ? graph.node("FusedMatMul", [parts, right], { transB: true }, EXTENSIONS)
      : graph.node("MatMul", [parts, graph.node("Transpose", [right], { perm: [0, 2, 1] })]);
    return graph.node("ReduceSum", [each, graph.ints([0])], { keepdims: 0 });
  };
  const products = Array.from({ length: width }, (_, start) => {
    const bounds = [[start], [start + strides[1] * (columns - 1) + 1], [3], [strides[1]]];
    return product(
      columns === field[3] + 2 * padding[1]
        ? padded
        : graph.node("Slice", [padded, ...bounds.map((at) => graph.ints(at))]),
    );
  });
  const all = products.length === 1 ? products[0] : graph.node("Concat", products, { axis: 0 });
  return graph.node("Transpose", [graph.reshape(all, [width, from, height, to])], { perm: [3, 1, 2, 0] });
}

/** For each row of a kernel the rows of the fields that it meets, with the fields of several samples one below another. */
function metRows(
  graph: OnnxGraph,
  height: number,
  rows: number,
  stride: number,
  samples: number,
  fieldRows: number,
): string {
  const met = Array.from({ length: height * samples * rows }, (_, at) => {
    const [row, sample, start] = [
      at % rows,
      Math.floor(at / rows) % samples,
      Math.floor(at / (rows * samples)),
    ];
    return sample * fieldRows + start + row * stride;
  });
  return graph.once(`rows ${met}`, () =>
    graph.constant(BigInt64Array.from(met, BigInt), [height, samples * rows]),
  );
}
