import { elements } from "../../numerics/shape.js";
import { FEW } from "./plan/layout/products.js";
import type { Step } from "./plan/plan.js";

export type ProductStep = Extract<Step, { kind: "product" }>;

/** Blocks of 64 x 64 results from which on a product keeps a GPU busy by itself. */
const BUSY = 1024;
const TILE = 64;
/** Matrices that one call takes at most; grids of kernels end at 65,535. */
const MATRICES = 2 ** 15;

/**
 * Small products of a stage in groups that one call can do: they are equal in everything but where their matrices lie,
 * as those of clients side by side are. Larger ones stay alone, and so do few.
 */
export function alikeProducts(steps: readonly ProductStep[]): ProductStep[][] {
  const groups = new Map<string, ProductStep[]>();
  for (const [i, step] of steps.entries()) {
    const { rows, columns, inner, batch, a, b, c } = step;
    const tiles = elements([batch, Math.ceil(rows / TILE), Math.ceil(columns / TILE)]);
    const key =
      tiles >= BUSY
        ? `alone ${i}`
        : [rows, columns, inner, a.transposed, a.rowStride, b.transposed, b.rowStride, c.rowStride].join(" ");
    groups.set(key, [...(groups.get(key) ?? []), step]);
  }
  return [...groups.values()].flatMap((group) =>
    group.length > FEW ? inCalls(group) : group.map((one) => [one]),
  );
}

/** A group in as many parts as its matrices need. */
function inCalls(group: readonly ProductStep[]): ProductStep[][] {
  const calls: ProductStep[][] = [[]];
  let matrices = 0;
  for (const step of group) {
    matrices += step.batch;
    if (matrices > MATRICES && calls.at(-1)!.length > 0) {
      calls.push([]);
      matrices = step.batch;
    }
    calls.at(-1)!.push(step);
  }
  return calls;
}
