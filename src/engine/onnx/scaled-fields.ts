import type { Application, Tensor } from "../program.js";
import { type Shape, sameShape } from "../shape.js";
import type { Fusion, Within } from "./fusion.js";
import { EXTENSIONS, type OnnxAttributes, type OnnxGraph } from "./graph.js";

/** Fields [samples, channels, rows, columns] times a number each, in a product that is used once. */
interface Scaled {
  readonly product: Tensor;
  readonly fields: Tensor;
  readonly scale: Tensor;
}

/**
 * Fields scaled and shifted, each by numbers of its own: what batch normalisation does with statistics that are given.
 * Another summand, as the gradient of a normalisation has it, is added afterwards.
 *
 * @param pointwise whether ONNX Runtime's `FusedConv` may be used: a summand that is scaled itself is then scaled and
 * added in one pass
 */
export function scaledAndShifted(sum: Tensor, within: Within, pointwise: boolean): Fusion | undefined {
  const found = scaledSum(sum, within);
  if (!found) return undefined;
  const { shift, other } = found;
  const also = pointwise && other ? scaled(other, sum.shape, within) : undefined;
  return {
    within: also ? [...found.within, also.product] : found.within,
    encode(graph, nameOf) {
      const one = normalised(graph, [found.fields, found.scale, shift].map(nameOf), sum.shape);
      if (also) return fusedConvolution(graph, [also.fields, also.scale].map(nameOf), sum.shape, ["", one]);
      return other ? graph.node("Add", [nameOf(other), one]) : one;
    },
  };
}

/** Fields scaled, shifted and put through a leaky ReLU, as most layers end, in one pass. */
export function scaledAndActivated(
  { operands: [x], attributes: { slope } }: Application<"leakyRelu">,
  within: Within,
): Fusion | undefined {
  const found = within(x, "add") && scaledSum(x, within);
  if (!found || found.other) return undefined;
  const activation = { activation: "LeakyRelu", activation_params: { floats: [slope] } };
  return {
    within: [x, ...found.within],
    encode(graph, nameOf) {
      const shift = graph.reshape(nameOf(found.shift), [fieldsOf(x.shape)]);
      const operands = [found.fields, found.scale].map(nameOf);
      return fusedConvolution(graph, operands, x.shape, [shift], activation);
    },
  };
}

/** What a sum is made of if it is scaled fields plus a shift, plus other fields if there are any. */
function scaledSum(sum: Tensor, within: Within) {
  const node = sum.program.nodes[sum.id];
  if (node.kind !== "operation" || node.operation !== "add" || sum.shape.length !== 4) return undefined;
  const [left, shift] = node.operands;
  if (!isPerField(shift, sum.shape)) return undefined;
  const nested = within(left, "add");
  // What has a shift of its own is scaled and shifted already.
  const summands = nested?.operands.every((one) => !isPerField(one, sum.shape)) ? nested.operands : [left];
  for (const summand of summands) {
    const found = scaled(summand, sum.shape, within);
    const other = summands.find((one) => one !== summand);
    if (found) return { ...found, shift, other, within: other ? [left, summand] : [left] };
  }
  return undefined;
}

function scaled(product: Tensor, shape: Shape, within: Within): Scaled | undefined {
  const node = sameShape(product.shape, shape) ? within(product, "multiply") : undefined;
  const fields = node?.operands.find((operand) => sameShape(operand.shape, shape));
  const scale = node?.operands.find((operand) => isPerField(operand, shape));
  return fields && scale && { product, fields, scale };
}

/** Whether a tensor has one number for each field, and fields have more. */
function isPerField(tensor: Tensor, shape: Shape): boolean {
  const one = [...shape.slice(0, 2), 1, 1];
  return sameShape(tensor.shape, one) && !sameShape(one, shape);
}

const fieldsOf = ([samples, channels]: Shape): number => samples * channels;

function normalised(graph: OnnxGraph, [fields, scale, shift]: readonly string[], shape: Shape): string {
  const count = fieldsOf(shape);
  const numbers = [
    graph.reshape(scale, [count]),
    graph.reshape(shift, [count]),
    graph.filled(0, count),
    graph.filled(1, count),
  ];
  const all = [graph.reshape(fields, [1, count, ...shape.slice(2)]), ...numbers];
  return graph.reshape(graph.node("BatchNormalization", all, { epsilon: { float: 0 } }), shape);
}

/** Each field is a channel with a kernel of one number, a shift unless that is empty, and fields to be added if any are. */
function fusedConvolution(
  graph: OnnxGraph,
  [fields, scale]: readonly string[],
  shape: Shape,
  [shift, addend]: readonly string[],
  activation: OnnxAttributes = {},
): string {
  const count = fieldsOf(shape);
  const channels = [1, count, ...shape.slice(2)];
  const operands = [
    graph.reshape(fields, channels),
    graph.reshape(scale, [count, 1, 1, 1]),
    shift,
    ...(addend === undefined ? [] : [graph.reshape(addend, channels)]),
  ];
  const attributes = { group: count, kernel_shape: [1, 1], ...activation };
  return graph.reshape(graph.node("FusedConv", operands, attributes, EXTENSIONS), shape);
}
