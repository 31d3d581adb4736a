import { DataError } from "../errors.js";
import type { CostMatrix } from "./cost-matrix.js";
import { solveTransportation, transportation } from "./transportation.js";

/** A coupling of two histograms, entry by entry: `mass[e]` goes from bin `from[e]` to bin `to[e]`. */
export interface TransportPlan {
  readonly from: Int32Array;
  readonly to: Int32Array;
  /** Fractions of the whole, positive, summing to 1; what stays in its bin is included. */
  readonly mass: Float64Array;
}

export interface Transport {
  /** The least cost of turning one histogram into the other, both scaled to mass 1 (eq:app-transport). */
  readonly distance: number;
  readonly plan: TransportPlan;
}

/** Exact optimal transport under one cost matrix. The workspace is shared by its calls, which allocate little. */
export interface TransportSolver {
  distance(source: ArrayLike<number>, target: ArrayLike<number>): number;
  transport(source: ArrayLike<number>, target: ArrayLike<number>): Transport;
  /** The distance; appends an optimal plan to others. */
  append(source: ArrayLike<number>, target: ArrayLike<number>, plans: PlanRows): number;
}

/** Plans one after the other, in arrays that grow. */
export interface PlanRows {
  push(from: number, to: number, mass: number): void;
  length(): number;
  plan(): TransportPlan;
}

export function planRows(): PlanRows {
  let from = new Int32Array(16);
  let to = new Int32Array(16);
  let mass = new Float64Array(16);
  let length = 0;
  return {
    push(start, end, amount) {
      if (length === mass.length) {
        const grown = <T extends Int32Array | Float64Array>(array: T, larger: T) => {
          larger.set(array);
          return larger;
        };
        from = grown(from, new Int32Array(2 * length));
        to = grown(to, new Int32Array(2 * length));
        mass = grown(mass, new Float64Array(2 * length));
      }
      from[length] = start;
      to[length] = end;
      mass[length++] = amount;
    },
    length: () => length,
    plan: () => ({ from: from.slice(0, length), to: to.slice(0, length), mass: mass.slice(0, length) }),
  };
}

/** The distance between two histograms of non-negative masses, such as counts; their totals may differ. */
export function transportDistance(
  source: ArrayLike<number>,
  target: ArrayLike<number>,
  cost: CostMatrix,
): number {
  return transportSolver(cost).distance(source, target);
}

/** The distance between two histograms, and an optimal plan. */
export function transport(source: ArrayLike<number>, target: ArrayLike<number>, cost: CostMatrix): Transport {
  return transportSolver(cost).transport(source, target);
}

/**
 * A solver for many pairs of histograms.
 *
 * Masses are compared as a_b sum(a') against a'_b sum(a): products of counts, exact in float64 up to 2^53, where
 * fractions would leave round-off that no bin wants. Under a metric, mass that both histograms have in a bin
 * need not move, which leaves a far smaller problem between the bins in surplus and those in deficit.
 */
export function transportSolver(cost: CostMatrix): TransportSolver {
  const { size, values, metric } = cost;
  const problem = transportation(size);
  const rowBin = new Int32Array(size);
  const columnBin = new Int32Array(size);
  /** Entries of a plan as a list of each bin that they leave, by the bins that they enter. */
  const first = new Int32Array(size);
  const next = new Int32Array(3 * size);
  const ends = new Int32Array(3 * size);
  const amounts = new Float64Array(3 * size);

  /** Solves the pair and returns the total mass, in whose units the flow is. */
  function solve(source: ArrayLike<number>, target: ArrayLike<number>): number {
    const sourceTotal = totalMass(source, size);
    const targetTotal = totalMass(target, size);
    let rows = 0;
    let columns = 0;
    for (let b = 0; b < size; b++) {
      const have = source[b] * targetTotal;
      const want = target[b] * sourceTotal;
      const shared = metric ? Math.min(have, want) : 0;
      if (have > shared) {
        problem.supply[rows] = have - shared;
        rowBin[rows++] = b;
      }
      if (want > shared) {
        problem.demand[columns] = want - shared;
        columnBin[columns++] = b;
      }
    }
    // Round-off can leave a surplus without any deficit; it stays where it is.
    problem.rows = columns > 0 ? rows : 0;
    problem.columns = rows > 0 ? columns : 0;
    for (let i = 0, at = 0; i < rows; i++) {
      const row = rowBin[i] * size;
      for (let j = 0; j < columns; j++) problem.cost[at++] = values[row + columnBin[j]];
    }
    if (rows > 0 && columns > 0) solveTransportation(problem);
    return sourceTotal * targetTotal;
  }

  /** Calls back for every amount that the solution ships between two bins. */
  function forEachShipment(visit: (from: number, to: number, amount: number) => void): void {
    const { rows, columns, parent, flow } = problem;
    for (let node = 0; node < rows + columns; node++) {
      const other = parent[node];
      if (other < 0) continue;
      if (node < rows) visit(rowBin[node], columnBin[other - rows], flow[node]);
      else visit(rowBin[other], columnBin[node - rows], flow[node]);
    }
  }

  function distance(source: ArrayLike<number>, target: ArrayLike<number>): number {
    const total = solve(source, target);
    let sum = 0;
    forEachShipment((from, to, amount) => {
      sum += amount * values[from * size + to];
    });
    return sum / total;
  }

  function append(source: ArrayLike<number>, target: ArrayLike<number>, plans: PlanRows): number {
    const total = solve(source, target);
    const sourceTotal = totalMass(source, size);
    const targetTotal = totalMass(target, size);
    let sum = 0;
    let entries = 0;
    first.fill(-1);
    const add = (from: number, to: number, amount: number) => {
      let before = -1;
      let after = first[from];
      while (after >= 0 && ends[after] < to) [before, after] = [after, next[after]];
      ends[entries] = to;
      amounts[entries] = amount;
      next[entries] = after;
      if (before < 0) first[from] = entries++;
      else next[before] = entries++;
    };
    forEachShipment((from, to, amount) => {
      sum += amount * values[from * size + to];
      if (amount > 0) add(from, to, amount);
    });
    for (let b = 0; metric && b < size; b++) {
      const shared = Math.min(source[b] * targetTotal, target[b] * sourceTotal);
      if (shared > 0) add(b, b, shared);
    }
    for (let from = 0; from < size; from++)
      for (let entry = first[from]; entry >= 0; entry = next[entry])
        plans.push(from, ends[entry], amounts[entry] / total);
    return sum / total;
  }

  function transport(source: ArrayLike<number>, target: ArrayLike<number>): Transport {
    const rows = planRows();
    return { distance: append(source, target, rows), plan: rows.plan() };
  }

  return { distance, transport, append };
}

/** Transport between every two of K histograms. */
export interface PairwiseTransport {
  /** K x K, zero on the diagonal and symmetric if the cost is a metric. */
  readonly distances: Float64Array;
  /** The plans of all pairs `source[e] < target[e]`, one after the other; empty unless asked for. */
  readonly plans: TransportPlan & { readonly source: Int32Array; readonly target: Int32Array };
}

/**
 * Transport distances, and optionally plans, between all pairs of histograms (the terms of eq:solution-distance).
 * A metric cost needs one direction per pair; otherwise both are solved, and each histogram against itself.
 */
export function pairwiseTransport(
  histograms: readonly ArrayLike<number>[],
  cost: CostMatrix,
  options: { readonly plans?: boolean } = {},
): PairwiseTransport {
  const solver = transportSolver(cost);
  const masses = histograms.map((histogram) => Float64Array.from(histogram));
  const count = masses.length;
  const distances = new Float64Array(count * count);
  const plans = planRows();
  const ends: number[] = [];
  for (let source = 0; source < count; source++) {
    for (let target = cost.metric ? source + 1 : 0; target < count; target++) {
      const [a, b] = [masses[source], masses[target]];
      const isPlanned = options.plans && source < target;
      const distance = isPlanned ? solver.append(a, b, plans) : solver.distance(a, b);
      if (isPlanned) ends.push(plans.length());
      distances[source * count + target] = distance;
      if (cost.metric) distances[target * count + source] = distance;
    }
  }
  return { distances, plans: { ...plans.plan(), ...pairsOf(ends, count) } };
}

/** The pair of histograms of every entry, from where the plans of pairs 0-1, 0-2, ... end. */
function pairsOf(
  ends: readonly number[],
  count: number,
): Pick<PairwiseTransport["plans"], "source" | "target"> {
  const [source, target] = [0, 1].map(() => new Int32Array(ends[ends.length - 1] ?? 0));
  let start = 0;
  for (let i = 0, pair = 0; pair < ends.length; i++)
    for (let j = i + 1; j < count; j++) {
      const end = ends[pair++];
      source.fill(i, start, end);
      target.fill(j, start, end);
      start = end;
    }
  return { source, target };
}

/** Totals beyond this, or below its inverse, would overflow when multiplied. */
const LARGEST_TOTAL = 1e150;

function totalMass(histogram: ArrayLike<number>, size: number): number {
  if (histogram.length !== size)
    throw new DataError(`a histogram has ${histogram.length} bins where the cost matrix has ${size}`);
  let total = 0;
  for (let b = 0; b < size; b++) {
    if (!(histogram[b] >= 0))
      throw new DataError(`bin ${b} of a histogram has mass ${histogram[b]}; masses are not negative`);
    total += histogram[b];
  }
  if (total === 0)
    throw new DataError("a histogram without any mass has no transport distance; leave it out");
  if (!(total < LARGEST_TOTAL && total > 1 / LARGEST_TOTAL))
    throw new DataError(
      `a histogram has the total mass ${total}; scale it to between ${1 / LARGEST_TOTAL} and ${LARGEST_TOTAL}`,
    );
  return total;
}
