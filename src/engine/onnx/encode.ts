import { elements } from "../../numerics/shape.js";
import type { Application, ConstantNode, OperationName, Program, Tensor } from "../program.js";
import type { Shape } from "../shape.js";
import { simplify } from "../simplify.js";
import { encodeConvolution, encodeKernelGradient, encodeTransposedConvolution } from "./convolutions.js";
import { DOUBLE_ENCODINGS } from "./double-precision.js";
import type { Encodings, Place, Shaped } from "./encoding.js";
import { fusions } from "./fusion.js";
import { EXTENSIONS, OnnxGraph, type OnnxPrecision, type OnnxShape, widen } from "./graph.js";
import { oneByOne } from "./one-by-one.js";

export interface EncodeOptions {
  /**
   * Use operations beyond the ONNX standard that ONNX Runtime has for the CPU: faster there, unknown to other tools
   * and to WebGPU. False by default.
   */
  readonly extensions?: boolean;
  /** Channels of a block in ONNX Runtime's own layout of fields (`blockSize`), for float32; 1, not to use it, by default. */
  readonly block?: number;
  /** Type of float tensors; default float32. */
  readonly precision?: OnnxPrecision;
  /**
   * Dynamic axes of inputs and outputs, with a name for each: `{ fields: { 0: "samples" }, prediction: { 0: "samples" } }`.
   * No operation may depend on their length: products and elementwise operations are fine, but no reshape, broadcast or mean
   * over such an axis. None by default.
   */
  readonly openAxes?: Readonly<Record<string, Readonly<Record<number, string>>>>;
}

const plain =
  (type: string) =>
  (inputs: readonly string[], _: unknown, { graph }: Place): string =>
    graph.node(type, inputs);

const shapesOf = (tensors: readonly Shaped[]): Shape[] => tensors.map(({ shape }) => shape);

/** Each operation in the words of https://onnx.ai/onnx/operators */
const ENCODINGS: Encodings = {
  add: plain("Add"),
  subtract: plain("Sub"),
  multiply: plain("Mul"),
  divide: plain("Div"),
  negate: plain("Neg"),
  exp: plain("Exp"),
  log: plain("Log"),
  sqrt: plain("Sqrt"),
  tanh: plain("Tanh"),
  erf: plain("Erf"),
  gelu: ([x], _, { graph, extensions }) => {
    if (extensions) return graph.node("Gelu", [x], {}, EXTENSIONS);
    const below = normalBelow(graph, graph.node("Mul", [x, graph.scalar(Math.SQRT1_2)]));
    return graph.node("Mul", [x, below]);
  },
  // P(x) + x p(x) = P(x) + (1 / sqrt(pi)) h / exp(h^2) with h = x / sqrt(2). The fewest passes, as far as we know.
  geluSlope: ([x], _, { graph }) => {
    const h = graph.node("Mul", [x, graph.scalar(Math.SQRT1_2)]);
    const bell = graph.node("Div", [h, graph.node("Exp", [graph.node("Mul", [h, h])])]);
    const scaled = graph.node("Mul", [bell, graph.scalar(1 / Math.sqrt(Math.PI))]);
    return graph.node("Add", [normalBelow(graph, h), scaled]);
  },
  relu: plain("Relu"),
  // One vectorised pass, min(max(3e38 x, 0), 1): right but for subnormal x. Comparing and converting takes two.
  step: (inputs, _, { graph }) =>
    graph.node("HardSigmoid", inputs, { alpha: { float: 3e38 }, beta: { float: 0 } }),
  leakyRelu: (inputs, { slope }, { graph }) => graph.node("LeakyRelu", inputs, { alpha: { float: slope } }),
  leakySlope: ([x], { slope }, { graph }) => {
    const steep = graph.node("Mul", [x, graph.scalar(3e38)]);
    return graph.node("Clip", [steep, graph.scalar(slope), graph.scalar(1)]);
  },
  sum: ([x], { axes }, { graph }) => graph.node("ReduceSum", [x, graph.ints(axes)], { keepdims: 1 }),
  matmul: ([a, b], { transposeA, transposeB }, { graph, operands, result, extensions }) => {
    const transposes = { transA: transposeA, transB: transposeB };
    if (result.shape.length === 2) return graph.node("Gemm", [a, b], transposes);
    if (!transposeA && !transposeB) return graph.node("MatMul", [a, b]);
    if (extensions) return graph.node("FusedMatMul", [a, b], transposes, EXTENSIONS);
    return graph.node("MatMul", [
      transposeA ? matrixTranspose(graph, a, operands[0]) : a,
      transposeB ? matrixTranspose(graph, b, operands[1]) : b,
    ]);
  },
  convolve: oneByOne((inputs, sliding, { graph, operands, block }) =>
    encodeConvolution(graph, inputs, sliding, shapesOf(operands), block),
  ),
  convolveBack: oneByOne((inputs, sliding, { graph, operands, result, block }) =>
    encodeTransposedConvolution(graph, inputs, sliding, operands[1].shape, result.shape, block),
  ),
  convolveKernel: oneByOne((inputs, sliding, { graph, operands, result, ...options }) =>
    encodeKernelGradient(graph, inputs, sliding, shapesOf(operands), result.shape, options),
  ),
  broadcast: ([x], { shape }, { graph }) => graph.node("Expand", [x, graph.ints(shape)]),
  reshape: ([x], { shape }, { graph }) => graph.reshape(x, shape),
  transpose: (inputs, { order }, { graph }) => graph.node("Transpose", inputs, { perm: order }),
  slice: ([x], { axis, start, end }, { graph }) =>
    graph.node("Slice", [x, graph.ints([start]), graph.ints([end]), graph.ints([axis])]),
  pad: ([x], { axis, before, after }, { graph }) =>
    graph.node("Pad", [x, graph.ints([before, after]), "", graph.ints([axis])]),
  concat: (inputs, { axis }, { graph }) => graph.node("Concat", inputs, { axis }),
  gather: (inputs, _, { graph }) => graph.node("Gather", inputs, { axis: 0 }),
  // ScatterElements takes rows as they are, but wants an index for each of their elements.
  scatterAdd: ([rows, indices], _, { graph, operands, result }) => {
    const row = result.shape.slice(1);
    const [values, positions] = operands.map(({ shape }) => shape);
    const count = elements(positions);
    const column = graph.reshape(indices, [count, ...row.map(() => 1)]);
    const everywhere = graph.node("Expand", [column, graph.ints([count, ...row])]);
    const updates = values.length === 1 + row.length ? rows : graph.reshape(rows, [count, ...row]);
    const zeros = graph.zeros(result.shape);
    return graph.node("ScatterElements", [zeros, everywhere, updates], { axis: 0, reduction: "add" });
  },
};

const IN_DOUBLE: Encodings = { ...ENCODINGS, ...DOUBLE_ENCODINGS };

/**
 * A program as the bytes of an `.onnx` file, with the program's names of inputs and outputs. Operations that no
 * output depends on are omitted. ONNX has no carried state: the caller passes it from run to run.
 */
export function encodeOnnx(
  given: Program,
  { extensions = false, block = 1, precision = "float32", openAxes = {} }: EncodeOptions = {},
): Uint8Array {
  const program = simplify(given);
  const graph = new OnnxGraph([...program.inputs.keys(), ...program.outputs.keys()], precision);
  const live = program.liveTensors();
  const fused = fusions(program, live, { extensions, precision });
  const within = new Set([...fused.values()].flatMap((fusion) => fusion.within.map(({ id }) => id)));
  const names = new Map<number, string>();
  const nameOf = ({ id }: Tensor): string => names.get(id)!;
  const shapeOf = (name: string, { shape }: Tensor): OnnxShape =>
    shape.map((length, axis) => openAxes[name]?.[axis] ?? length);
  for (const tensor of live) {
    if (within.has(tensor.id)) continue;
    const node = program.nodes[tensor.id];
    const name =
      node.kind === "input"
        ? graph.input(node.name, shapeOf(node.name, tensor), tensor.dtype)
        : node.kind === "constant"
          ? graph.constant(storable(node), tensor.shape)
          : (fused.get(tensor.id)?.encode(graph, nameOf) ??
            encodeApplication(node, nameOf, { graph, result: tensor, extensions, block }));
    names.set(tensor.id, name);
  }
  for (const [name, tensor] of program.outputs)
    graph.output(name, nameOf(tensor), shapeOf(name, tensor), tensor.dtype);
  return graph.serialise();
}

function encodeApplication<K extends OperationName>(
  { operation, operands, attributes }: Application<K>,
  nameOf: (tensor: Tensor) => string,
  place: Omit<Place, "operands">,
): string {
  const encodings: Encodings = place.graph.precision === "float64" ? IN_DOUBLE : ENCODINGS;
  return encodings[operation](operands.map(nameOf), attributes, { ...place, operands });
}

/** (1 + erf(h)) / 2, in one pass after the error function, since it lies between 0 and 1. */
function normalBelow(graph: OnnxGraph, h: string): string {
  const half = { float: 0.5 };
  return graph.node("HardSigmoid", [graph.node("Erf", [h])], { alpha: half, beta: half });
}

function matrixTranspose(graph: OnnxGraph, name: string, { shape }: Shaped): string {
  const order = [...shape.keys()];
  order.push(...order.splice(-2).reverse());
  return graph.node("Transpose", [name], { perm: order });
}

const storable = ({ values }: ConstantNode): Float32Array | Float64Array | BigInt64Array =>
  values instanceof Int32Array ? widen(values) : values;
