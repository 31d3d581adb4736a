import { type Graph, isAlias, type Node, upright, usersOf } from "../graph/graph.js";
import type { Placements } from "../layout/buffer-placement.js";
import { unstoredPatches } from "../layout/patch-matrix.js";
import { type Product, productCalls, readable } from "../layout/products.js";

/** Patches that something takes which cannot read their numbers where the field lies. */
export function patchesToStore(
  graph: Graph,
  placements: Placements,
  isOurs: (product: Product) => boolean,
): Node[] {
  const users = usersOf(graph);
  const canRead = (node: Node): boolean => {
    if (isAlias(node)) return (users.get(node) ?? []).every(canRead);
    return node.operation.name === "matmul" && readsPatches(node, placements, isOurs);
  };
  return graph.nodes.filter(
    (node) => node.operation.name === "patches" && !(users.get(node) ?? []).every(canRead),
  );
}

/** Whether one kernel of ours computes a product with patches that are not stored; the other factor may be copied. */
function readsPatches(product: Node, placements: Placements, isOurs: (product: Product) => boolean): boolean {
  const unread = product.operands.filter((x) => !readable(x, product, placements, new Set()));
  const [factor, ...more] = product.operands.filter((x) => unstoredPatches(x, new Set()));
  if (product.operands.length > 2 || more.length > 0 || unread.includes(factor)) return false;
  const calls = productCalls(product, placements, new Set(unread.map(upright)), true);
  return calls.length === 1 && isOurs(calls[0].product);
}
