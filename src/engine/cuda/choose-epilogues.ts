import { elements } from "../../files/element-type.js";
import { type Epilogue, type Epilogues, type Need, type Rider, ridingOn } from "./epilogues.js";
import { type Graph, isAnchor, isElementwise, isGiven, type Node } from "./graph.js";
import { type Homes, onward } from "./homes.js";
import { variable, ZERO } from "./index-algebra.js";
import { type Stages, stagesOf } from "./stages.js";

/**
 * Chooses what is computed within products, and orders the graph's nodes such that all that a product then needs comes
 * before it. A stored result of elementwise operations rides along with the last product that it is made of, if the
 * rest is there by then: its pass over memory is saved, and often that of the bare product.
 */
export function withEpilogues(
  graph: Graph,
  stored: ReadonlySet<Node>,
  homes: Homes,
  products: ReadonlySet<Node>,
): { graph: Graph; epilogues: Epilogues } {
  const riders = ridersOf(graph, products);
  let epilogues = new Map([...products].map((node): [Node, Epilogue] => [node, { stores: [], needs: [] }]));
  let ordered = graph;
  for (;;) {
    const stages = stagesOf(ordered, stored, homes, { epilogues });
    ordered = { ...graph, nodes: inOrder(ordered.nodes, stages, ridingOn(epilogues)) };
    const found = more(ordered, stored, riders, epilogues, stages);
    if (!found) return { graph: ordered, epilogues };
    epilogues = found;
  }
}

/**
 * Epilogues with all that can be added to them without making any product wait. As the stages at hand stay valid, no
 * two products can come to wait for each other.
 */
function more(
  { nodes }: Graph,
  stored: ReadonlySet<Node>,
  riders: Riders,
  epilogues: Epilogues,
  stages: Stages,
): Map<Node, Epilogue> | undefined {
  const result = new Map(epilogues);
  const riding = ridingOn(epilogues);
  let changed = false;
  for (const node of nodes) {
    if (!stored.has(node) || riding.has(node)) continue;
    const products = [...(riders.get(node)?.keys() ?? [])].sort((a, b) => stages.at(b) - stages.at(a));
    for (const product of products) {
      const needs = needsOf(node, product, riders);
      if (!needs.every((need) => stages.taken(need.node, need.operand) <= stages.at(product))) continue;
      const known = result.get(product)!;
      const rider = riders.get(node)!.get(product)!;
      result.set(product, { stores: [...known.stores, rider], needs: [...known.needs, ...needs] });
      changed = true;
      break;
    }
  }
  return changed ? result : undefined;
}

type Riders = ReadonlyMap<Node, ReadonlyMap<Node, Rider>>;

/** Nodes whose elements are made of one element of a product each, by product. */
function ridersOf({ nodes }: Graph, products: ReadonlySet<Node>): Riders {
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
function needsOf(node: Node, product: Node, riders: Riders): Need[] {
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

/** Nodes stage by stage, with products last and what rides on them after. */
function inOrder(nodes: readonly Node[], stages: Stages, riding: ReadonlyMap<Node, Node>): Node[] {
  const stage = (node: Node) => (riding.has(node) ? stages.ready(node) : stages.at(node));
  const isProduct = (node: Node) => (node.operation.name === "matmul" ? 1 : 0);
  return [...nodes].sort((a, b) => stage(a) - stage(b) || isProduct(a) - isProduct(b));
}
