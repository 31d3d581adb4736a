import { type Application, ELEMENTWISE, type OperationName, Program, type Tensor } from "./program.js";
import { broadcastShapes, type Shape, sameShape } from "./shape.js";

/**
 * A program with the same inputs and outputs that computes less. What no output needs is left out, and elementwise
 * operations and products of matrices repeat their result instead of their operands, so that the gradient of a
 * weighted sum, say, stays as small as the weights until it meets something large, and replicas that still have the
 * same weights share one product. Of several reshapes in a row the last one stays.
 */
export function simplify(program: Program): Program {
  const result = new Program();
  const made = new Map<number, Tensor>();
  const counterpart = ({ id }: Tensor): Tensor => made.get(id)!;
  for (const { id, shape, dtype } of program.liveTensors()) {
    const node = program.nodes[id];
    made.set(
      id,
      node.kind === "input"
        ? result.input(node.name, shape, dtype)
        : node.kind === "constant"
          ? constant(result, node.values, shape)
          : rebuilt(result, node, node.operands.map(counterpart), shape),
    );
  }
  for (const [name, tensor] of program.outputs) result.output(name, counterpart(tensor));
  for (const [output, input] of program.carried) result.carry(output, input);
  return result;
}

function constant(program: Program, values: Float32Array | Float64Array | Int32Array, shape: Shape): Tensor {
  return values instanceof Int32Array ? program.constantInts(values, shape) : program.constant(values, shape);
}

function rebuilt<K extends OperationName>(
  program: Program,
  { operation, attributes }: Application<K>,
  operands: readonly Tensor[],
  shape: Shape,
): Tensor {
  if (operation === "reshape") {
    const source = before(program, operands[0], "reshape");
    return sameShape(source.shape, shape) ? source : program.apply("reshape", [source], { shape }, shape);
  }
  const sources = operands.map((operand) => before(program, operand, "broadcast"));
  const small = smallShape(operation, operands, sources, shape);
  if (!small) return program.apply(operation, operands, attributes, shape);
  const computed = program.apply(operation, sources, attributes, small);
  return sameShape(small, shape) ? computed : program.apply("broadcast", [computed], { shape }, shape);
}

/** The result's shape if operands are taken before they are repeated, or undefined where they must be repeated. */
function smallShape(
  operation: OperationName,
  operands: readonly Tensor[],
  sources: readonly Tensor[],
  shape: Shape,
): Shape | undefined {
  const common = (shapes: readonly Shape[]) => shapes.reduce((a, b) => broadcastShapes(a, b)!);
  if ((ELEMENTWISE as readonly OperationName[]).includes(operation))
    return common(sources.map((source) => source.shape));
  const sameMatrices = sources.every((source, i) =>
    sameShape(source.shape.slice(-2), operands[i].shape.slice(-2)),
  );
  return operation === "matmul" && sameMatrices
    ? [...common(sources.map((source) => source.shape.slice(0, -2))), ...shape.slice(-2)]
    : undefined;
}

/** What a tensor was before it was repeated or reshaped. */
function before(program: Program, tensor: Tensor, operation: "broadcast" | "reshape"): Tensor {
  const node = program.nodes[tensor.id];
  return node.kind === "operation" && node.operation === operation ? node.operands[0] : tensor;
}
