import { elements } from "../../../../numerics/shape.js";
import { type Graph, type Node, sourceOf } from "../graph/graph.js";
import type { Placements } from "../layout/buffer-placement.js";
import { accessesOf, type Buffer, type Plan, type Step } from "../plan.js";
import { accessesIn, canReplace, replacements } from "./in-place.js";
import { lifetimes, memoryPlan } from "./memory-plan.js";

/** The buffer in which a node's elements lie. */
export function bufferOf(node: Node, placements: Placements): number {
  return placements.of(sourceOf(node)).buffer;
}

/** Memory for everything that the steps read and write: a plan. */
export function withBuffers(
  graph: Graph,
  placements: Placements,
  scheduled: readonly Step[],
  partial: ReadonlyMap<number, number>,
): Plan {
  const { carriedInPlace, copies } = carry(graph, placements, scheduled);
  const steps = [...scheduled, ...copies];
  const given = givenBuffers(graph);
  const used = new Set(
    steps.flatMap((step) => {
      const { reads, writes } = accessesOf(step);
      return [...reads, ...writes];
    }),
  );
  const sizes = new Map(partial);
  for (const { id, shape } of graph.nodes)
    if (used.has(id) && !given.has(id) && !carriedInPlace.has(id)) sizes.set(id, elements(shape));
  const outputs = new Map(
    [...graph.outputs]
      .filter(([name]) => !graph.carried.has(name))
      .map(([name, node]) => [name, { buffer: bufferOf(node, placements), shape: node.shape }]),
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
  return { buffers, steps, inputs: inputsOf(graph), outputs, rows: tableRows(graph), arena: size };
}

/** Buffers of inputs and constants. */
function givenBuffers({ nodes }: Graph): Map<number, Buffer> {
  return new Map(
    nodes.flatMap(({ id, operation, shape, dtype }): [number, Buffer][] => {
      const base = { id, dtype, size: elements(shape) };
      if (operation.name === "input")
        return [[id, { ...base, location: { kind: "input", input: operation.input } }]];
      return operation.name === "constant"
        ? [[id, { ...base, location: { kind: "constant", values: operation.values } }]]
        : [];
    }),
  );
}

function inputsOf({ nodes }: Graph): Map<string, number> {
  return new Map(
    nodes.flatMap(({ id, operation }) =>
      operation.name === "input" ? [[operation.input, id] as const] : [],
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

/** The least number of rows of the tables that an input of whole numbers indexes. */
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
 * How carried outputs reach their inputs: written in place where nothing reads the old value any more, otherwise copied
 * at the end.
 */
function carry(graph: Graph, placements: Placements, steps: readonly Step[]) {
  const inputs = inputsOf(graph);
  const carriedInPlace = new Map<number, number>();
  const copies: Step[] = [];
  const accesses = accessesIn(steps);
  const last = steps.at(-1)?.stage ?? 0;
  for (const [output, input] of graph.carried) {
    const node = graph.outputs.get(output)!;
    const [from, to] = [bufferOf(node, placements), inputs.get(input)!];
    if (!carriedInPlace.has(from) && canReplace(from, to, accesses)) carriedInPlace.set(from, to);
    else copies.push({ kind: "copy", stage: last + 1, to, from, size: elements(node.shape) });
  }
  return { carriedInPlace, copies };
}
