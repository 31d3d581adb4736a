import type { CostMatrix } from "../../numerics/cost-matrix.js";
import { transport } from "../../numerics/transport.js";

/** Mass that goes from a bin of one client to a bin of another; mass that stays has `from` equal to `to`. */
export interface Flow {
  readonly from: number;
  readonly to: number;
  /** Share of a client's samples. */
  readonly mass: number;
  /** What this flow adds to the distance: mass times the cost between the bins. */
  readonly cost: number;
}

/** How the histogram of one client is carried to that of another at least cost. */
export interface Plan {
  /** W1 between the two histograms (eq:app-transport). */
  readonly distance: number;
  readonly flows: readonly Flow[];
}

/** The transport plan between two clients, from their counts of bins; undefined if one has no samples. */
export function planBetween(
  source: readonly number[],
  target: readonly number[],
  cost: CostMatrix,
): Plan | undefined {
  if (![source, target].every((counts) => counts.some((count) => count > 0))) return undefined;
  const { distance, plan } = transport(source, target, cost);
  const flows = Array.from(plan.mass, (mass, i): Flow => {
    const [from, to] = [plan.from[i], plan.to[i]];
    return { from, to, mass, cost: mass * cost.values[from * cost.size + to] };
  });
  return { distance, flows };
}
