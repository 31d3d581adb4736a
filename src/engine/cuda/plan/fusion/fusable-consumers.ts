import { elements } from "../../../../numerics/shape.js";
import { variable, ZERO } from "../expressions/index-algebra.js";
import { type Graph, isAnchor, isElementwise, isGiven, type Node } from "../graph/graph.js";
import { onward } from "../layout/buffer-placement.js";
import type { FusableConsumer, Need } from "../stages/epilogues.js";

/** The products that each node can be fused into, and how. */
export type FusableConsumers = ReadonlyMap<Node, ReadonlyMap<Node, FusableConsumer>>;

/** Finds nodes each of whose elements depends on one element of a product: a product's epilogue can compute them. */
export function fusableConsumers({ nodes }: Graph, products: ReadonlySet<Node>): FusableConsumers {
  const found = new Map<Node, ReadonlyMap<Node, FusableConsumer>>();
  for (const node of nodes) {
    if (products.has(node)) found.set(node, new Map([[node, { node, coordinates: (at) => at }]]));
    if (isAnchor(node) || isGiven(node)) continue;
    const own = new Map<Node, FusableConsumer>();
    for (const operand of node.operands) {
      if (elements(operand.shape) !== elements(node.shape)) continue;
      for (const [product, { coordinates }] of found.get(operand) ?? []) {
        const consumer = consumerOf(node, operand, coordinates);
        if (consumer && !own.has(product)) own.set(product, consumer);
      }
    }
    for (const product of own.keys()) if (!agree(node, product, found)) own.delete(product);
    if (own.size > 0) found.set(node, own);
  }
  return found;
}

function consumerOf(
  node: Node,
  operand: Node,
  before: FusableConsumer["coordinates"],
): FusableConsumer | undefined {
  const { name } = node.operation;
  if (name === "reshape" || name === "transpose")
    return { node, coordinates: (at) => onward(node, before(at)) };
  if (!isElementwise(name) && name !== "copy" && name !== "broadcast") return undefined;
  const added = node.shape.slice(operand.shape.length).map(() => ZERO);
  return { node, coordinates: (at) => [...added, ...before(at)] };
}

/** Whether a node takes the same element of a product from all operands that have one. */
function agree(node: Node, product: Node, consumers: FusableConsumers): boolean {
  const axes = product.shape.map((length, axis) => variable(`a${axis}`, length));
  const places = node.operands.flatMap((operand) => {
    const before = consumers.get(operand)?.get(product);
    const consumer = before && consumerOf(node, operand, before.coordinates);
    return consumer && elements(operand.shape) === elements(node.shape)
      ? [consumer.coordinates(axes).map(({ key }) => key)]
      : [];
  });
  return places.every((place) => `${place}` === `${places[0]}`);
}

/** Everything besides the product that a consumer needs. */
export function needsOf(node: Node, product: Node, consumers: FusableConsumers): Need[] {
  const needs: Need[] = [];
  const visited = new Set<Node>([product]);
  const visit = (consumer: Node) => {
    if (visited.has(consumer)) return;
    visited.add(consumer);
    consumer.operands.forEach((operand, i) => {
      if (consumers.get(operand)?.has(product)) visit(operand);
      else needs.push({ node: consumer, operand: i });
    });
  };
  visit(node);
  return needs;
}
