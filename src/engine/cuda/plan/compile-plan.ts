import { elements } from "../../../numerics/shape.js";
import type { Program } from "../../program.js";
import { simplify } from "../../simplify.js";
import { suitsBackward } from "../kernels/backward/tiling.js";
import { addsLines, joins, suits, sumsFactors } from "../kernels/matrix-kernel.js";
import { suitsTransformed } from "../kernels/transformed/tiling.js";
import { withJoinedProducts } from "./fusion/added-products.js";
import { withBackwardLayers } from "./fusion/backward-layers.js";
import { withEpilogues } from "./fusion/choose-epilogues.js";
import { withFactorSums } from "./fusion/factor-sums.js";
import type { Lines } from "./fusion/line-sums.js";
import { withRepeatedProducts } from "./fusion/repeated-products.js";
import { withSharedSums } from "./fusion/shared-sums.js";
import { withTransformedLayers } from "./fusion/transformed-layers.js";
import { type Graph, type Node, sourceOf } from "./graph/graph.js";
import { lower } from "./graph/lower.js";
import type { ProductOptions } from "./graph/lower-product.js";
import { type Homes, homesOf } from "./layout/buffer-placement.js";
import { type Product, productCalls } from "./layout/products.js";
import { accessesIn, canReplace, replacements } from "./memory/in-place.js";
import { lifetimes, memoryPlan } from "./memory/memory-plan.js";
import {
  accessesOf,
  type BackwardLayer,
  type Buffer,
  type Plan,
  type Step,
  type TransformedLayer,
} from "./plan.js";
import { gatheredStages } from "./stages/gather-stages.js";
import { storedNodes } from "./stages/materialize.js";
import { schedule } from "./steps/schedule.js";

export interface PlanOptions extends ProductOptions {
  /** Whether a product has a kernel of ours, with an epilogue; by default whether it is better than the library's. */
  readonly suits?: (product: Product) => boolean;
  /** Whether the kernel of such a product can add up its factors. */
  readonly sumsFactors?: (product: Product) => boolean;
  /** Whether a product with another one added has a kernel of ours. */
  readonly joins?: (product: Product) => boolean;
  /** Whether the kernel of a product can add up such lines of what becomes of it. */
  readonly addsLines?: (product: Product, lines: Lines) => boolean;
  /** Whether there is a kernel for a layer's way back. */
  readonly suitsBackward?: (layer: BackwardLayer) => boolean;
  /** Whether there is a kernel for a layer and the transform of what becomes of it. */
  readonly suitsTransformed?: (layer: TransformedLayer) => boolean;
}

/** From a program to what a GPU is told. */
export function planOf(program: Program, options: PlanOptions = {}): Plan {
  const addsUp = options.addsLines ?? addsLines;
  const shared = withSharedSums(lower(simplify(program), options));
  const joined = withJoinedProducts(shared, options.joins ?? joins);
  const lowered = withRepeatedProducts(joined, options.processors ?? 132, addsUp);
  const homes = homesOf(lowered);
  const isOurs = (product: Product) => product.added !== undefined || (options.suits ?? suits)(product);
  const stored = storedNodes(lowered, homes, isOurs);
  const matmuls = lowered.nodes.filter(({ operation }) => operation.name === "matmul");
  const products = productsThat(matmuls, homes, stored, isOurs);
  const adding = productsThat(products, homes, stored, options.sumsFactors ?? sumsFactors);
  const ordered = withFactorSums(lowered, adding);
  const { graph, epilogues } = withEpilogues(ordered.graph, stored, homes, products, {
    factors: ordered.factorSums,
    lines: (node, lines) =>
      productCalls(node, homes, stored, true).every(({ product }) => addsUp(product, lines)),
  });
  const stages = gatheredStages(graph, stored, homes, epilogues);
  const scheduled = schedule(graph, homes, stored, stages, epilogues);
  const results = new Set([...graph.outputs.values()].map((node) => bufferOf(node, homes)));
  const back = withBackwardLayers(scheduled.steps, results, options.suitsBackward ?? suitsBackward);
  const done = withTransformedLayers(back, options.suitsTransformed ?? suitsTransformed);
  const { carriedInPlace, copies } = carry(graph, homes, done);
  const steps = [...done, ...copies];

  const given = new Map(
    graph.nodes.flatMap(({ id, operation, shape, dtype }): [number, Buffer][] => {
      const base = { id, dtype, size: elements(shape) };
      if (operation.name === "input")
        return [[id, { ...base, location: { kind: "input", input: operation.input } }]];
      return operation.name === "constant"
        ? [[id, { ...base, location: { kind: "constant", values: operation.values } }]]
        : [];
    }),
  );
  const used = new Set(
    steps.flatMap((step) => {
      const { reads, writes } = accessesOf(step);
      return [...reads, ...writes];
    }),
  );
  const sizes = new Map(scheduled.partial);
  for (const { id, shape } of graph.nodes)
    if (used.has(id) && !given.has(id) && !carriedInPlace.has(id)) sizes.set(id, elements(shape));
  const outputs = new Map(
    [...graph.outputs]
      .filter(([name]) => !graph.carried.has(name))
      .map(([name, node]) => [name, { buffer: bufferOf(node, homes), shape: node.shape }]),
  );
  const kept = new Set([...outputs.values()].map(({ buffer }) => buffer));
  const within = memoryOwners(replacements(steps, sizes, kept));
  const { offsets, size } = memoryPlan(lifetimes(steps, sizes, kept, within));

  const buffers = new Map<number, Buffer>();
  for (const [id, buffer] of given)
    if (buffer.location.kind === "input" || used.has(id)) buffers.set(id, buffer);
  for (const [id, input] of carriedInPlace) buffers.set(id, { ...given.get(input)!, id });
  for (const [id, count] of sizes)
    buffers.set(id, {
      id,
      dtype: "float",
      size: count,
      location: { kind: "arena", offset: offsets.get(within(id))!, within: within(id) },
    });
  const inputs = new Map(
    [...given.values()].flatMap(({ id, location }) =>
      location.kind === "input" ? [[location.input, id] as const] : [],
    ),
  );
  return { buffers, steps, inputs, outputs, rows: tableRows(graph), arena: size };
}

/** The products all of whose calls are such ones. */
function productsThat(
  nodes: Iterable<Node>,
  homes: Homes,
  stored: ReadonlySet<Node>,
  areSuch: (product: Product) => boolean,
): Set<Node> {
  return new Set(
    [...nodes].filter((node) =>
      productCalls(node, homes, stored, true).every(({ product }) => areSuch(product)),
    ),
  );
}

/** The buffer whose memory each one takes in the end, if each takes another's. */
function memoryOwners(replaced: ReadonlyMap<number, number>): (buffer: number) => number {
  const owner = (buffer: number): number => {
    const old = replaced.get(buffer);
    return old === undefined ? buffer : owner(old);
  };
  return owner;
}

/** The least number of rows that an input of whole numbers is an index of. */
function tableRows({ nodes }: Graph): Map<string, number> {
  const rows = new Map<string, number>();
  for (const { operation, operands, shape } of nodes) {
    if (operation.name !== "gather" && operation.name !== "spread") continue;
    const source = sourceOf(operands[1]).operation;
    if (source.name !== "input") continue;
    const count = operation.name === "gather" ? operands[0].shape[0] : shape[1];
    rows.set(source.input, Math.min(count, rows.get(source.input) ?? Infinity));
  }
  return rows;
}

/**
 * How carried outputs reach their inputs: written there at once where nothing reads the old value any more, otherwise
 * copied when all is done.
 */
function carry({ nodes, outputs, carried }: Graph, homes: Homes, steps: readonly Step[]) {
  const inputs = new Map(
    nodes.flatMap(({ id, operation }) =>
      operation.name === "input" ? [[operation.input, id] as const] : [],
    ),
  );
  const carriedInPlace = new Map<number, number>();
  const copies: Step[] = [];
  const accesses = accessesIn(steps);
  const last = steps.at(-1)?.stage ?? 0;
  for (const [output, input] of carried) {
    const node = outputs.get(output)!;
    const [from, to] = [bufferOf(node, homes), inputs.get(input)!];
    if (!carriedInPlace.has(from) && canReplace(from, to, accesses)) carriedInPlace.set(from, to);
    else copies.push({ kind: "copy", stage: last + 1, to, from, size: elements(node.shape) });
  }
  return { carriedInPlace, copies };
}

function bufferOf(node: Node, homes: Homes): number {
  return homes.of(sourceOf(node)).buffer;
}
