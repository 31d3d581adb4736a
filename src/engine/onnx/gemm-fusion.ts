import type { Application, Program, Tensor } from "../program.js";
import { broadcastShapes, sameShape } from "../shape.js";

/** alpha A B + beta C, with A and B possibly transposed and C repeated to the product's shape. */
export interface Gemm {
  readonly product: Application<"matmul">;
  readonly addend: Tensor;
  readonly alpha: number;
  readonly beta: number;
}

export interface GemmFusion {
  /** The sums and differences that a Gemm computes together with their product, by tensor. */
  readonly gemms: ReadonlyMap<number, Gemm>;
  /** The products within, which are not computed on their own. */
  readonly within: ReadonlySet<number>;
}

/**
 * Finds the 2-D products that are only added to something, or something is subtracted from them: layers with their
 * bias, and predictions minus targets. One Gemm saves a pass through memory.
 */
export function fuseGemms(program: Program, live: readonly Tensor[]): GemmFusion {
  const uses = useCounts(program, live);
  const gemms = new Map<number, Gemm>();
  const within = new Set<number>();
  const fusable = ({ id, shape }: Tensor): Application<"matmul"> | undefined => {
    const node = program.nodes[id];
    const once = uses.get(id) === 1 && shape.length === 2;
    return once && node.kind === "operation" && node.operation === "matmul" ? node : undefined;
  };
  for (const { id, shape } of live) {
    const node = program.nodes[id];
    if (node.kind !== "operation" || (node.operation !== "add" && node.operation !== "subtract")) continue;
    const sign = node.operation === "add" ? 1 : -1;
    const [a, b] = node.operands;
    for (const [factor, addend, alpha, beta] of [[a, b, 1, sign] as const, [b, a, sign, 1] as const]) {
      const product = fusable(factor);
      if (!product || !repeats(addend, factor) || !sameShape(shape, factor.shape)) continue;
      gemms.set(id, { product, addend, alpha, beta });
      within.add(factor.id);
      break;
    }
  }
  return { gemms, within };
}

const repeats = (small: Tensor, large: Tensor): boolean => {
  const common = broadcastShapes(small.shape, large.shape);
  return common !== undefined && sameShape(common, large.shape);
};

function useCounts(program: Program, live: readonly Tensor[]): Map<number, number> {
  const counts = new Map<number, number>();
  const count = ({ id }: Tensor) => counts.set(id, (counts.get(id) ?? 0) + 1);
  for (const { id } of live) {
    const node = program.nodes[id];
    if (node.kind === "operation") node.operands.forEach(count);
  }
  for (const output of program.outputs.values()) count(output);
  return counts;
}
