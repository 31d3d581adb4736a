import { elements } from "../../../../numerics/shape.js";
import { variable, ZERO } from "../expressions/index-algebra.js";
import { type Graph, isAnchor, isElementwise, isGiven, type Node } from "../graph/graph.js";
import { onward } from "../layout/buffer-placement.js";
import type { Need, Rider } from "../stages/epilogues.js";

/** Riders by nodes and by products. */
export type Riders = ReadonlyMap<Node, ReadonlyMap<Node, Rider>>;

/** Nodes whose elements are made of one element of a product each, by product. */
export function ridersOf({ nodes }: Graph, products: ReadonlySet<Node>): Riders {
  const found = new Map<Node, ReadonlyMap<Node, Rider>>();
  for (const node of nodes) {
    if (products.has(node)) found.set(node, new Map([[node, { node, coordinates: (at) => at }]]));
    if (isAnchor(node) || isGiven(node)) continue;
    const own = new Map<Node, Rider>();
    for (const operand of node.operands) {
      if (elements(operand.shape) !== elements(node.shape)) continue;
      for (const [product, { coordinates }] of found.get(operand) ?? []) {
        const rider = riderOn(node, operand, coordinates);
        if (rider && !own.has(product)) own.set(product, rider);
      }
    }
    for (const product of own.keys()) if (!agree(node, product, found)) own.delete(product);
    if (own.size > 0) found.set(node, own);
  }
  return found;
}

function riderOn(node: Node, operand: Node, before: Rider["coordinates"]): Rider | undefined {
  const { name } = node.operation;
  if (name === "reshape" || name === "transpose")
    return { node, coordinates: (at) => onward(node, before(at)) };
  if (!isElementwise(name) && name !== "copy" && name !== "broadcast") return undefined;
  const added = node.shape.slice(operand.shape.length).map(() => ZERO);
  return { node, coordinates: (at) => [...added, ...before(at)] };
}

/** Whether a node takes the same element of a product from all operands that have one. */
function agree(node: Node, product: Node, riders: Riders): boolean {
  const axes = product.shape.map((length, axis) => variable(`a${axis}`, length));
  const places = node.operands.flatMap((operand) => {
    const before = riders.get(operand)?.get(product);
    const rider = before && riderOn(node, operand, before.coordinates);
    return rider && elements(operand.shape) === elements(node.shape)
      ? [rider.coordinates(axes).map(({ key }) => key)]
      : [];
  });
  return places.every((place) => `${place}` === `${places[0]}`);
}

/** All that a rider takes in on its way from the product. */
export function needsOf(node: Node, product: Node, riders: Riders): Need[] {
  const needs: Need[] = [];
  const visited = new Set<Node>([product]);
  const visit = (rider: Node) => {
    if (visited.has(rider)) return;
    visited.add(rider);
    rider.operands.forEach((operand, i) => {
      if (riders.get(operand)?.has(product)) visit(operand);
      else needs.push({ node: rider, operand: i });
    });
  };
  visit(node);
  return needs;
}
