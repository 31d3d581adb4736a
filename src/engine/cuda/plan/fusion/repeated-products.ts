import { elements } from "../../../../numerics/shape.js";
import { sameShape } from "../../../shape.js";
import { copied, type Graph, GraphWriter, isElementwise, type Node } from "../graph/graph.js";
import { partCount, sumInParts } from "../graph/lower-product.js";
import { placementsOf } from "../layout/buffer-placement.js";
import { type Product, productCalls, readable } from "../layout/products.js";
import type { Lines } from "./line-sums.js";

/** Columns for each number of the inner axis from which on a product is computed again rather than kept. */
const WIDE = 2;
/** Parts of a sum over rows for each multiprocessor, and rows of each at least. */
const PARTS = 9;
const LIMITS = { most: 128, shortest: 1024, aligned: 16 } as const;

/** A product, with sums over its columns that it could be computed for alone, and sums over its rows. */
interface Repeated {
  readonly product: Node;
  readonly overColumns: readonly Node[];
  readonly overRows: readonly Node[];
  /** The product and all that is made of it element by element. */
  readonly made: ReadonlySet<Node>;
  /** Into how many parts sums over rows are divided. */
  readonly parts: number;
}

/**
 * Products that are much larger than what they are made of, and of which sums over columns are needed before sums over
 * rows: they are computed twice, once for the former and once for the rest, and as kernels add up such lines they are
 * written at neither time. The last hidden layer of a Fourier neural operator, with its gradient, is like that.
 */
export function withRepeatedProducts(
  graph: Graph,
  processors: number,
  canReduceLines: (product: Product, lines: Lines) => boolean,
): Graph {
  const found = repeatedIn(graph, processors, canReduceLines);
  if (found.length === 0) return graph;
  const writer = new GraphWriter();
  const made = new Map<Node, Node>();
  const sumsOf = (key: "overColumns" | "overRows") =>
    new Map(found.flatMap((one) => one[key].map((sum) => [sum, one] as const)));
  const [overColumns, overRows] = [sumsOf("overColumns"), sumsOf("overRows")];
  for (const node of graph.nodes) {
    const [ofColumns, ofRows] = [overColumns.get(node), overRows.get(node)];
    if (ofColumns) made.set(node, computedAgain(writer, node, ofColumns, made));
    else if (ofRows)
      made.set(node, sumInParts(writer, made.get(node.operands[0])!, node.shape.length - 2, ofRows.parts));
    else made.set(node, copied(writer, node, made));
  }
  const outputs = new Map([...graph.outputs].map(([name, node]) => [name, made.get(node)!]));
  return { nodes: writer.nodes, outputs, carried: graph.carried };
}

function repeatedIn(
  graph: Graph,
  processors: number,
  canReduceLines: (product: Product, lines: Lines) => boolean,
): Repeated[] {
  const placements = placementsOf(graph);
  const none: ReadonlySet<Node> = new Set();
  return [...sumsOfProducts(graph)].flatMap(([product, { overColumns, overRows, made }]): Repeated[] => {
    const [rows, columns] = product.shape.slice(-2);
    const inner = product.operands[0].shape.at(-1)!;
    if (columns < WIDE * inner || !dependOn(overRows, overColumns, graph)) return [];
    if (!product.operands.every((factor) => readable(factor, product, placements, none))) return [];
    const matrices = elements(product.shape.slice(0, -2));
    const parts = partCount(rows, (PARTS * processors) / matrices, LIMITS);
    const lines: Lines[] = [
      { along: "row", length: columns },
      { along: "column", length: rows / parts },
    ];
    const areAddedUp = productCalls(product, placements, none, true).every((call) =>
      lines.every((one) => canReduceLines(call.product, one)),
    );
    return areAddedUp ? [{ product, overColumns, overRows, made, parts }] : [];
  });
}

/** Products of two factors with the sums over columns and over rows of what is made of them, element by element. */
function sumsOfProducts({ nodes }: Graph) {
  const found = new Map<Node, { overColumns: Node[]; overRows: Node[]; made: Set<Node> }>();
  const behind = new Map<Node, Node>();
  for (const node of nodes) {
    const { operation, operands, shape } = node;
    if (operation.name === "matmul" && operands.length === 2) behind.set(node, node);
    else if (isElementwise(operation.name)) {
      const [product, ...others] = operands
        .filter((operand) => sameShape(operand.shape, shape))
        .map((operand) => behind.get(operand));
      if (!product || others.some((other) => other !== product)) continue;
      behind.set(node, product);
      found.get(product)?.made.add(node);
    } else if (operation.name === "sum" && operation.axes.length === 1) {
      const product = behind.get(operands[0]);
      const fromLast = shape.length - operation.axes[0];
      if (product && fromLast <= 2)
        found.get(product)![fromLast === 1 ? "overColumns" : "overRows"].push(node);
    }
    if (behind.get(node) === node) found.set(node, { overColumns: [], overRows: [], made: new Set([node]) });
  }
  return found;
}

/** Whether some nodes are made of others. */
function dependOn(nodes: readonly Node[], others: readonly Node[], graph: Graph): boolean {
  if (nodes.length === 0 || others.length === 0) return false;
  const made = new Set(others);
  for (const node of graph.nodes) if (node.operands.some((operand) => made.has(operand))) made.add(node);
  return nodes.some((node) => made.has(node));
}

/** A node with all that is made of a product on the way to it, of that product computed again. */
function computedAgain(
  writer: GraphWriter,
  node: Node,
  { product, made: ofProduct }: Repeated,
  made: ReadonlyMap<Node, Node>,
): Node {
  const again = new Map<Node, Node>();
  const visit = (one: Node): Node => {
    const known = again.get(one);
    if (known) return known;
    const operands = one.operands.map((x) => (one !== product && ofProduct.has(x) ? visit(x) : made.get(x)!));
    const anew =
      one === product
        ? writer.matmulAgain(operands[0], operands[1])
        : writer.apply(one.operation, operands, one.shape);
    again.set(one, anew);
    return anew;
  };
  return visit(node);
}
