import type { Expressions } from "../expressions/expression.js";
import { type Graph, type Node, sourceOf } from "../graph/graph.js";
import { type Placements, placeIn } from "../layout/buffer-placement.js";
import { productCalls } from "../layout/products.js";
import { accessesOf, isOwn, type Step } from "../plan.js";
import type { Epilogues } from "../stages/epilogues.js";
import type { Stages } from "../stages/stages.js";
import { Reader } from "./reading.js";

/** The products of a graph, with what their epilogues store of them. */
export function productSteps(
  graph: Graph,
  placements: Placements,
  stored: ReadonlySet<Node>,
  stages: Stages,
  epilogues: Epilogues,
  expressions: Expressions,
): Step[] {
  return graph.nodes
    .filter(({ operation }) => operation.name === "matmul")
    .flatMap((node) => {
      const stage = stages.at(node);
      const epilogue = epilogues.get(node);
      const reader = new Reader(expressions, placements, stages.ready, node);
      return productCalls(node, placements, stored, epilogue !== undefined).map(({ product, at }): Step => {
        if (!epilogue && (product.a.patches ?? product.b.patches))
          throw new Error(`product ${node.id} cannot read patches where the field lies`);
        if (!epilogue) return { kind: "product", stage, ...product };
        const consumers = epilogue.stores.map(({ node: consumer, coordinates }) => {
          const place = coordinates(at);
          return {
            ...placeIn(placements.of(consumer), place),
            value: reader.definition(consumer, place, stage),
          };
        });
        const bare = { ...placeIn(placements.of(node), at), value: expressions.product() };
        const sums = epilogue.sums.map(({ node: sum, side, coordinates }) => ({
          ...placeIn(placements.of(sum), coordinates(at)),
          value: expressions.product(),
          side,
        }));
        const lines = epilogue.lines.map(({ node: sum, of, coordinates, along, length }) => ({
          ...placeIn(placements.of(sum), coordinates(at)),
          value: reader.value(sum.operands[0], of(at), stage),
          along,
          length,
        }));
        return { kind: "product", stage, ...product, epilogue: [bare, ...consumers], sums, lines };
      });
    });
}

/** Steps without stores that nothing needs: of a product that is read only as its epilogue leaves it, say. */
export function withNeededResults(
  steps: readonly Step[],
  { outputs }: Graph,
  placements: Placements,
): Step[] {
  const needed = new Set([...outputs.values()].map((node) => placements.of(sourceOf(node)).buffer));
  for (const step of steps) for (const buffer of accessesOf(step).reads) needed.add(buffer);
  return steps.map((step) =>
    isOwn(step) ? { ...step, epilogue: step.epilogue.filter(({ buffer }) => needed.has(buffer)) } : step,
  );
}
