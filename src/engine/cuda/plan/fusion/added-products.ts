import { elements } from "../../../../numerics/shape.js";
import { sameShape } from "../../../shape.js";
import {
  copied,
  type Graph,
  GraphWriter,
  type Node,
  sourceOf,
  type Users,
  upright,
  usersOf,
} from "../graph/graph.js";
import { type Placements, placementsOf } from "../layout/buffer-placement.js";
import { unstoredPatches } from "../layout/patch-matrix.js";
import { type Product, productCalls, readable } from "../layout/products.js";

/** Two products of which only the sum is needed, with the aliases between them and the sum. */
interface Pair extends Products {
  readonly between: readonly Node[];
}

interface Products {
  readonly first: Node;
  readonly second: Node;
}

/**
 * Sums of two products as one product, where `canFuseSecondProduct` has a kernel for them: the result of the second, as
 * large as the sum itself, is then neither written nor read. Layers of a Fourier neural operator are such sums, and so
 * are the gradients of their inputs.
 */
export function withAddedProducts(graph: Graph, canFuseSecondProduct: (product: Product) => boolean): Graph {
  const pairs = pairsIn(graph, canFuseSecondProduct);
  if (pairs.size === 0) return graph;
  const dropped = new Set([...pairs.values()].flatMap(({ between }) => between));
  const writer = new GraphWriter();
  const made = new Map<Node, Node>();
  for (const node of graph.nodes) {
    if (dropped.has(node)) continue;
    const pair = pairs.get(node);
    made.set(
      node,
      pair
        ? writer.reshape(
            addedProduct(writer, pair, (operand) => made.get(operand)!),
            node.shape,
          )
        : copied(writer, node, made),
    );
  }
  const outputs = new Map([...graph.outputs].map(([name, node]) => [name, made.get(node)!]));
  return { nodes: writer.nodes, outputs, carried: graph.carried };
}

/** The sums of such products. */
function pairsIn(graph: Graph, canFuseSecondProduct: (product: Product) => boolean): Map<Node, Pair> {
  const users = usersOf(graph);
  const placements = placementsOf(graph);
  const outputs = new Set([...graph.outputs.values()].map(sourceOf));
  const pairs = new Map<Node, Pair>();
  for (const node of graph.nodes) {
    if (node.operation.name !== "add") continue;
    const [x, y] = node.operands.map((operand) => neededOnce(operand, users));
    if (!x || !y || !node.operands.every(({ shape }) => sameShape(shape, node.shape))) continue;
    const products = [x, y].map((way) => way.at(-1)!);
    if (products[0] === products[1] || products.some((product) => outputs.has(product))) continue;
    const [first, second] = products;
    const orders = [
      { first, second },
      { first: second, second: first },
    ];
    const order = orders.find((one) => hasWholeRows(one) && canJoin(one, placements, canFuseSecondProduct));
    if (order) pairs.set(node, { ...order, between: [...x, ...y] });
  }
  return pairs;
}

/** The way from a node through reshapes to a product of two factors, if nothing else needs any of it. */
function neededOnce(node: Node, users: Users): Node[] | undefined {
  if (users.get(node)?.length !== 1) return undefined;
  if (node.operation.name === "matmul") return node.operands.length === 2 ? [node] : undefined;
  const before = node.operation.name === "reshape" ? neededOnce(node.operands[0], users) : undefined;
  return before && [node, ...before];
}

/** Whether every row of the first product has whole rows of the second, with a right factor of its own or shared. */
function hasWholeRows({ first, second }: Products): boolean {
  const [x, weights] = second.operands;
  const [inner, columns] = weights.shape.slice(-2);
  const batch = second.shape.slice(0, -2);
  const isComplete = elements(x.shape) * columns === elements(second.shape) * inner;
  const isCoarser = sameShape(first.shape.slice(0, -2).slice(0, batch.length), batch);
  return isComplete && isCoarser && first.shape.at(-1)! % columns === 0;
}

/** Whether one kernel can compute both products, with every factor read in place or copied in any case. */
function canJoin(
  products: Products,
  placements: Placements,
  canFuseSecondProduct: (product: Product) => boolean,
): boolean {
  const { first, second } = products;
  const sum = addedProduct(new GraphWriter(), products, (operand) => operand);
  const withSum: Placements = { ...placements, of: (node) => placements.of(node === sum ? first : node) };
  const none: ReadonlySet<Node> = new Set();
  // Patches need not be stored for products of two factors.
  if (sum.operands.some((factor) => unstoredPatches(factor, none))) return false;
  const unread = sum.operands.filter((factor) => !readable(factor, sum, withSum, none));
  const isCopiedAnyway = (factor: Node) =>
    [first, second].some(
      (product) => product.operands.includes(factor) && !readable(factor, product, placements, none),
    );
  return (
    unread.every(isCopiedAnyway) &&
    productCalls(sum, withSum, new Set(unread.map(upright)), true).every(({ product }) =>
      canFuseSecondProduct(product),
    )
  );
}

/** The sum as one product of what becomes of the factors. */
function addedProduct(writer: GraphWriter, { first, second }: Products, made: (operand: Node) => Node): Node {
  const [a, b] = first.operands.map(made);
  const [x, weights] = second.operands.map(made);
  const [inner, columns] = weights.shape.slice(-2);
  const [rows, all] = first.shape.slice(-2);
  const batch = first.shape.slice(0, -2);
  // The axes of the batch that the second product has as rows share its right factor.
  const more = batch.slice(second.shape.length - 2).map(() => 1);
  const own = weights.shape.slice(0, -2);
  return writer.addedProduct(
    a,
    b,
    writer.reshape(x, [...batch, rows, (all / columns) * inner]),
    own.length === 0 ? weights : writer.reshape(weights, [...own, ...more, inner, columns]),
  );
}
