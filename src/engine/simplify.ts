import { type Application, ELEMENTWISE, type OperationName, Program, type Tensor } from "./program.js";
import { broadcastShapes, type Shape, sameShape } from "./shape.js";

/**
 * A program with the same inputs and outputs that computes less. What no output needs is left out, and elementwise
 * operations repeat their result instead of their operands, so that the gradient of a weighted sum, say, stays as
 * small as the weights until it meets something large.
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
  if (!(ELEMENTWISE as readonly OperationName[]).includes(operation))
    return program.apply(operation, operands, attributes, shape);
  const sources = operands.map((operand) => beforeBroadcast(program, operand));
  const small = sources.map((source) => source.shape).reduce((a, b) => broadcastShapes(a, b)!);
  const computed = program.apply(operation, sources, attributes, small);
  return sameShape(small, shape) ? computed : program.apply("broadcast", [computed], { shape }, shape);
}

function beforeBroadcast(program: Program, tensor: Tensor): Tensor {
  const node = program.nodes[tensor.id];
  return node.kind === "operation" && node.operation === "broadcast" ? node.operands[0] : tensor;
}
