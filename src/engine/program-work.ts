import { elements } from "../numerics/shape.js";
import type { Application, Program, Tensor } from "./program.js";
import { simplify } from "./simplify.js";

/** What a run of a program computes, whoever runs it. */
export interface Work {
  /** Multiplications with an addition, of products of matrices and of convolutions. */
  readonly products: number;
  /** Numbers that all other operations write. */
  readonly numbers: number;
  readonly operations: number;
}

/** Counts what a program computes. Reshapes cost nothing. */
export function workOf(given: Program): Work {
  const program = simplify(given);
  const work = { products: 0, numbers: 0, operations: 0 };
  for (const tensor of program.liveTensors()) {
    const node = program.nodes[tensor.id];
    if (node.kind !== "operation" || node.operation === "reshape") continue;
    work.operations++;
    const products = productsOf(node, tensor);
    if (products > 0) work.products += products;
    else work.numbers += elements(tensor.shape);
  }
  return work;
}

/** Products behind the numbers of a matrix product or a convolution; 0 for other operations. */
function productsOf({ operation, operands, attributes }: Application, { shape }: Tensor): number {
  const [a, b] = operands;
  switch (operation) {
    case "matmul": {
      const inner = (attributes as Application<"matmul">["attributes"]).transposeA ? -2 : -1;
      return elements(shape) * a.shape.at(inner)!;
    }
    // All three are bound by one sum of products, of every result with the kernel of one output channel.
    case "convolve":
      return elements(shape) * elements(b.shape.slice(-3));
    case "convolveBack":
      return elements(a.shape) * elements(b.shape.slice(-3));
    case "convolveKernel":
      return elements(b.shape) * elements(shape.slice(-3));
    default:
      return 0;
  }
}
