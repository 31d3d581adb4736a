import type { Program } from "../program.js";
import { simplify } from "../simplify.js";
import { hasBackwardKernel } from "./kernels/backward/tiling.js";
import { canFuseSecondProduct, canReduceLines, canSumFactors, hasKernel } from "./kernels/matrix-kernel.js";
import { hasTransformedKernel } from "./kernels/transformed/tiling.js";
import { withAddedProducts } from "./plan/fusion/added-products.js";
import { withBackwardLayers } from "./plan/fusion/backward-layers.js";
import { withEpilogues } from "./plan/fusion/choose-epilogues.js";
import { withFactorSums } from "./plan/fusion/factor-sums.js";
import type { Lines } from "./plan/fusion/line-sums.js";
import { withRepeatedProducts } from "./plan/fusion/repeated-products.js";
import { withSharedSums } from "./plan/fusion/shared-sums.js";
import { withTransformedLayers } from "./plan/fusion/transformed-layers.js";
import type { Node } from "./plan/graph/graph.js";
import { lower } from "./plan/graph/lower.js";
import type { ProductOptions } from "./plan/graph/lower-product.js";
import { placementsOf } from "./plan/layout/buffer-placement.js";
import { type Product, productCalls } from "./plan/layout/products.js";
import { bufferOf, withBuffers } from "./plan/memory/buffers.js";
import type { BackwardLayer, Plan, TransformedLayer } from "./plan/plan.js";
import { gatheredStages } from "./plan/stages/gather-stages.js";
import { materializedNodes } from "./plan/stages/materialize.js";
import { schedule } from "./plan/steps/schedule.js";

/** What the kernels at hand can do; the planner fuses accordingly. */
export interface Kernels {
  /** Whether we have a kernel for a product, with an epilogue; by default whether it is faster than the library's. */
  readonly hasKernel: (product: Product) => boolean;
  /** Whether the kernel of such a product can also sum its factors. */
  readonly canSumFactors: (product: Product) => boolean;
  /** Whether we have a kernel for a product with another one added. */
  readonly canFuseSecondProduct: (product: Product) => boolean;
  /** Whether the kernel of a product can sum such lines of its results. */
  readonly canReduceLines: (product: Product, lines: Lines) => boolean;
  /** Whether there is a kernel for the backward pass of a layer. */
  readonly hasBackwardKernel: (layer: BackwardLayer) => boolean;
  /** Whether there is a kernel for a layer and the transform of its result. */
  readonly hasTransformedKernel: (layer: TransformedLayer) => boolean;
}

export interface PlanOptions extends ProductOptions, Partial<Kernels> {}

/** Multiprocessors of a GPU where nothing else is said: an H100's or H200's. */
const PROCESSORS = 132;

/**
 * From a program to a plan. This is the one place that has the order of the passes:
 *
 * 1. graph: lower the program to the compiler's operations, and rewrite the graph so that products and sums can share
 *    passes over memory. Repeated products come last of these: a product with another one added is never repeated.
 * 2. stages: place every node in a buffer, choose the nodes that are stored, and give each product its epilogue. This
 *    changes the order of the nodes, so stages are numbered only afterwards.
 * 3. steps: turn stages into launches and products, then fuse neighbouring products of a layer. These passes look at
 *    the buffers that steps read and write, so they come after all others.
 * 4. memory: reuse buffers in place and lay out the arena.
 */
export function planOf(program: Program, options: PlanOptions = {}): Plan {
  const kernels: Kernels = {
    hasKernel: options.hasKernel ?? hasKernel,
    canSumFactors: options.canSumFactors ?? canSumFactors,
    canFuseSecondProduct: options.canFuseSecondProduct ?? canFuseSecondProduct,
    canReduceLines: options.canReduceLines ?? canReduceLines,
    hasBackwardKernel: options.hasBackwardKernel ?? hasBackwardKernel,
    hasTransformedKernel: options.hasTransformedKernel ?? hasTransformedKernel,
  };

  const lowered = lower(simplify(program), options);
  const shared = withSharedSums(lowered);
  const added = withAddedProducts(shared, kernels.canFuseSecondProduct);
  const rewritten = withRepeatedProducts(added, options.processors ?? PROCESSORS, kernels.canReduceLines);

  const placements = placementsOf(rewritten);
  const isOurs = (product: Product) => product.added !== undefined || kernels.hasKernel(product);
  const stored = materializedNodes(rewritten, placements, isOurs);
  const allCalls = (node: Node, holds: (product: Product) => boolean) =>
    productCalls(node, placements, stored, true).every(({ product }) => holds(product));
  const matmuls = rewritten.nodes.filter(({ operation }) => operation.name === "matmul");
  const products = new Set(matmuls.filter((node) => allCalls(node, isOurs)));
  const summing = new Set([...products].filter((node) => allCalls(node, kernels.canSumFactors)));
  const ordered = withFactorSums(rewritten, summing);
  const { graph, epilogues } = withEpilogues(ordered.graph, stored, placements, products, {
    factors: ordered.factorSums,
    lines: (node, lines) => allCalls(node, (product) => kernels.canReduceLines(product, lines)),
  });
  const stages = gatheredStages(graph, stored, placements, epilogues);

  const scheduled = schedule(graph, placements, stored, stages, epilogues);
  const results = new Set([...graph.outputs.values()].map((node) => bufferOf(node, placements)));
  const backward = withBackwardLayers(scheduled.steps, results, kernels.hasBackwardKernel);
  const steps = withTransformedLayers(backward, kernels.hasTransformedKernel);

  return withBuffers(graph, placements, steps, scheduled.partial);
}
