import type { Shape } from "../shape.js";
import { BLOCKED, type OnnxGraph } from "./graph.js";

/*
 * ONNX Runtime's fastest convolutions want channels in blocks that fill a vector register: fields
 * [samples, channels / block, rows, columns, block], under the shape that they have without blocks.
 */

export const transposed = (graph: OnnxGraph, name: string, shape: Shape, perm: Shape): string =>
  graph.node("Transpose", [graph.reshape(name, shape)], { perm });

/** Positions `start` to `end - 1` of an axis. */
export const cut = (graph: OnnxGraph, name: string, axis: number, start: number, end: number): string =>
  graph.node("Slice", [name, ...[start, end, axis].map((value) => graph.ints([value]))]);

/** The values along some axes, last ones first. */
export function reversed(graph: OnnxGraph, name: string, axes: readonly number[]): string {
  const bounds = [-1, -(2 ** 31)].map((value) => graph.ints(axes.map(() => value)));
  return graph.node("Slice", [name, ...bounds, graph.ints(axes), graph.ints(axes.map(() => -1))]);
}

/** The number of channels, filled up to whole blocks. */
export const wholeBlocks = (channels: number, block: number): number => block * Math.ceil(channels / block);

/** Fields with their channels, a multiple of four, in blocks of which the last is filled up with zeros. */
export const intoBlocks = (graph: OnnxGraph, fields: string): string =>
  graph.once(`${fields} in blocks`, () => graph.node("ReorderInput", [fields], {}, BLOCKED));

export const outOfBlocks = (graph: OnnxGraph, fields: string, channels: number): string =>
  graph.node("ReorderOutput", [fields], { channels }, BLOCKED);
