import { elements } from "../../../../numerics/shape.js";
import { leadingOf, planeOf, type Sliding } from "../../../convolution.js";
import type { Shape } from "../../../shape.js";
import { vectorLength } from "../expressions/vector-length.js";
import { type Cutting, type GraphWriter, isAnchor, type Node } from "./graph.js";
import {
  divided,
  divisionOf,
  isSmall,
  lowerProduct,
  type ProductOptions,
  partCount,
  partialProducts,
  tilesOf,
  unrolled,
} from "./lower-product.js";

/** Tiles of results that a multiprocessor should have to compute, of small kernels and of others. */
const TILES = { small: 10, other: 6 } as const;
/** Parts of a field, and places of each at least. */
const LIMITS = {
  small: { most: 64, shortest: 512 },
  other: { most: 16, shortest: 512 },
} as const;
/** How many times the numbers of a kernel its transpose may have, the rest of them zeros. */
const MORE = 1.5;

/**
 * A convolution, or its transpose as a map of fields or of kernels, by products with the patches of the field. Clients,
 * if there are several, are one more axis of the products' batch.
 */
export function lowerConvolution(
  graph: GraphWriter,
  operation: "convolve" | "convolveBack" | "convolveKernel",
  x: Node,
  y: Node,
  { strides, padding }: Sliding,
  shape: Shape,
  options: ProductOptions,
): Node {
  const { processors = 132 } = options;
  switch (operation) {
    case "convolve": {
      const patches = patchesOf(graph, x, { strides, padding, kernel: planeOf(y.shape) }, planeOf(shape));
      const product = isOfOnePlace(patches)
        ? withSamplesAsRows(graph, patches, y, true, options)
        : graph.matmul(forAllSamples(graph, y), patches);
      return graph.reshape(product, shape);
    }
    case "convolveBack": {
      const places = flat(graph, x);
      const cutting = { strides, padding, kernel: planeOf(y.shape) };
      const isOfFew = y.shape.at(-4)! <= (options.shortInner ?? 4) || isOfOnePlace(places);
      if (!isOfFew && !isWhole(cutting, planeOf(shape)) && isWorthReversing(cutting))
        return reversedConvolution(graph, x, y, cutting, shape);
      const columns = isOfOnePlace(places)
        ? withSamplesAsRows(graph, places, y, false, options)
        : columnsOf(graph, forAllSamples(graph, y), places, options);
      return overlapped(graph, columns, cutting, shape, planeOf(x.shape));
    }
    case "convolveKernel": {
      const cutting = { strides, padding, kernel: planeOf(shape) };
      const patches = patchesOf(graph, x, cutting, planeOf(y.shape));
      return graph.reshape(summedProducts(graph, flat(graph, y), patches, processors), shape);
    }
  }
}

/** Fields, or kernels, with each plane as a row: [..., samples, channels, places]. */
function flat(graph: GraphWriter, x: Node): Node {
  return graph.reshape(x, [...x.shape.slice(0, -2), elements(planeOf(x.shape))]);
}

/** Kernels as matrices [..., 1, out, in x height x width], or [out, ...] where there is but one client. */
function forAllSamples(graph: GraphWriter, kernel: Node): Node {
  const leading = leadingOf(kernel.shape);
  const [out, ...one] = kernel.shape.slice(-4);
  return graph.reshape(kernel, [...leading, ...(leading.length > 0 ? [1] : []), out, elements(one)]);
}

/** Whether columns [..., samples, n, places] are those of one place: its samples could be rows of one matrix. */
const isOfOnePlace = (columns: Node): boolean => columns.shape.at(-1) === 1;

/**
 * Columns [..., samples, n, 1] times kernels as matrices, or as their transposes: one product for all samples. Parts of
 * a long sum are added up once and for all, since fields enter much that is computed where it is used.
 */
function withSamplesAsRows(
  graph: GraphWriter,
  columns: Node,
  kernel: Node,
  transposeB: boolean,
  options: ProductOptions,
): Node {
  const rows = graph.reshape(columns, columns.shape.slice(0, -1));
  const [out, ...one] = kernel.shape.slice(-4);
  const matrices = graph.reshape(kernel, [...leadingOf(kernel.shape), out, elements(one)]);
  const shape = [...rows.shape.slice(0, -1), transposeB ? out : elements(one)];
  const right = transposeB ? graph.swapped(matrices) : matrices;
  const parts = divisionOf(rows.shape, right.shape, shape, options);
  if (parts > 1) return graph.sum(partialProducts(graph, rows, right, shape, parts), [shape.length - 2]);
  return lowerProduct(graph, rows, matrices, { transposeA: false, transposeB }, shape, options);
}

/**
 * What kernels make of each place, as columns: those of few channels are computed where they overlap, unless that would
 * be for each of them what overlapping others takes.
 */
function columnsOf(
  graph: GraphWriter,
  kernels: Node,
  places: Node,
  { shortInner = 4 }: ProductOptions,
): Node {
  const [channels] = kernels.shape.slice(-2);
  const turned = graph.swapped(kernels);
  return channels <= shortInner && !isOverlapped(places)
    ? unrolled(graph, turned, places)
    : graph.matmul(turned, places);
}

/** Whether columns overlap in what is computed where a node is used. */
function isOverlapped(node: Node, visited = new Set<Node>()): boolean {
  if (node.operation.name === "overlap") return true;
  if (isAnchor(node) || visited.has(node)) return false;
  visited.add(node);
  return node.operands.some((operand) => isOverlapped(operand, visited));
}

/**
 * How the transpose of a convolution meets the results along an axis: the point s a + r of a field, r = 0, ..., s - 1, with
 * result a + e by the kernel's element r + padding - s e, for `taps` successive values of e.
 */
function meetings({ kernel, strides, padding }: Cutting, axis: 0 | 1) {
  const [first, last] = [padding[axis] - kernel[axis] + 1, padding[axis] + strides[axis] - 1];
  const [from, to] = [Math.ceil(first / strides[axis]), Math.floor(last / strides[axis])];
  return { taps: to - from + 1, zeros: 0 - from, before: strides[axis] * to - padding[axis] };
}

/** Whether the kernel of `reversedConvolution` has few zeros that the convolution's own has not. */
function isWorthReversing(cutting: Cutting): boolean {
  const along = ([0, 1] as const).map((axis) => meetings(cutting, axis));
  const size = elements(along.map(({ taps }) => taps)) * elements(cutting.strides);
  return along.every(({ zeros }) => zeros >= 0) && size <= MORE * elements(cutting.kernel);
}

/**
 * The transpose of a convolution as one that moves by single places, with the kernel turned around and a channel for
 * each of the points between two places: they lie where they belong, and need not be added up of all patches.
 */
function reversedConvolution(
  graph: GraphWriter,
  y: Node,
  kernel: Node,
  cutting: Cutting,
  shape: Shape,
): Node {
  const { strides } = cutting;
  const [rows, columns] = ([0, 1] as const).map((axis) => meetings(cutting, axis));
  const size = planeOf(shape).map((length, axis) => Math.ceil(length / strides[axis])) as [number, number];
  const rank = kernel.shape.length;
  const leading = leadingOf(kernel.shape);
  const [out, into] = kernel.shape.slice(-4);
  // [..., out, in, taps, points, taps, points]
  const high = graph.pad(kernel, rank - 2, rows.before, rows.taps * strides[0]);
  const wide = graph.pad(high, rank - 1, columns.before, columns.taps * strides[1]);
  const apart = graph.reshape(wide, [...leading, out, into, rows.taps, strides[0], columns.taps, strides[1]]);
  const turned = graph.reverse(apart, [rank - 2, rank]);
  const ordered = graph.transpose(turned, [
    ...leading.keys(),
    ...[1, 3, 5, 0, 2, 4].map((i) => rank - 4 + i),
  ]);
  const kernels = graph.reshape(ordered, [
    ...leading,
    into * elements(strides),
    out,
    rows.taps,
    columns.taps,
  ]);
  const back: Cutting = {
    kernel: [rows.taps, columns.taps],
    strides: [1, 1],
    padding: [rows.zeros, columns.zeros],
  };
  const product = graph.matmul(forAllSamples(graph, kernels), patchesOf(graph, y, back, size));
  // [..., samples, in, points, points, places, places]
  const points = graph.reshape(product, [...shape.slice(0, -3), into, ...strides, ...size]);
  const before = shape.length - 2;
  const laid = graph.transpose(points, [
    ...shape.slice(0, -2).keys(),
    ...[2, 0, 3, 1].map((i) => before + i),
  ]);
  const fields = graph.reshape(laid, [...shape.slice(0, -2), size[0] * strides[0], size[1] * strides[1]]);
  return planeOf(shape).reduce((x, length, axis) => graph.slice(x, before + axis, 0, length), fields);
}

/**
 * y [..., samples, out, places] times patches [..., samples, n, places], summed over samples and places. Few samples have
 * the places in parts, so that every multiprocessor has work.
 */
function summedProducts(graph: GraphWriter, y: Node, patches: Node, processors: number): Node {
  const [samples, out, places] = y.shape.slice(-3);
  if (places === 1) {
    const rows = (x: Node) => graph.reshape(x, x.shape.slice(0, -1));
    return graph.matmul(graph.swapped(rows(y)), rows(patches));
  }
  const one = patches.shape.at(-2)!;
  const size = isSmall(out, one) ? "small" : "other";
  const tiles = elements(y.shape.slice(0, -2)) * tilesOf(out, one);
  // Parts begin as aligned as all of it.
  const limits = { ...LIMITS[size], aligned: vectorLength(places) };
  const parts = partCount(places, (TILES[size] * processors) / tiles, limits);
  const rank = y.shape.length;
  const products =
    parts === 1
      ? graph.matmul(y, graph.swapped(patches))
      : graph.matmul(
          graph.swapped(divided(graph, graph.swapped(y), parts)),
          divided(graph, graph.swapped(patches), parts),
        );
  const axes = [...(samples === 1 ? [] : [rank - 3]), ...(parts === 1 ? [] : [rank - 2])];
  if (axes.length === 0) return products;
  const sum = graph.sum(products, axes);
  return parts === 1 ? sum : graph.reshape(sum, [...sum.shape.slice(0, -3), ...sum.shape.slice(-2)]);
}

/** Patches of fields as [..., samples, in x height x width, places]. */
function patchesOf(graph: GraphWriter, x: Node, cutting: Cutting, places: readonly [number, number]): Node {
  const [channels, ...plane] = x.shape.slice(-3);
  const samples = x.shape.slice(0, -3);
  const matrices = [...samples, channels * elements(cutting.kernel), elements(places)];
  if (isWhole(cutting, plane) && elements(matrices) === elements(x.shape)) return graph.reshape(x, matrices);
  const all = graph.reshape(x, [elements(samples), channels, ...plane]);
  const shape = [elements(samples), channels, ...cutting.kernel, ...places];
  return graph.reshape(graph.apply({ name: "patches", ...cutting }, [all], shape), matrices);
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
  const [channels, ...plane] = shape.slice(-3);
  const samples = elements(shape.slice(0, -3));
  const apart = graph.reshape(patches, [samples, channels, ...cutting.kernel, ...places]);
  const fields = graph.apply({ name: "overlap", ...cutting }, [apart], [samples, channels, ...plane]);
  return graph.reshape(fields, shape);
}

/** Whether the only patch is the field itself, or each patch one point of it. */
function isWhole({ kernel, strides, padding }: Cutting, field: readonly number[]): boolean {
  const plain = padding[0] === 0 && padding[1] === 0;
  const point = elements(kernel) === 1 && elements(strides) === 1;
  return plain && (point || (kernel[0] === field[0] && kernel[1] === field[1]));
}
