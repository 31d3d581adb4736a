import { diagnose } from "../diagnostics/diagnose.js";
import { UserError } from "../errors.js";
import { costMatrix } from "../numerics/cost-matrix.js";
import type { RunArrays } from "./run-arrays.js";
import type { RunRecord } from "./run-record.js";

/** What the order of summation may change. */
const TOLERANCE = 1e-9;

/**
 * Metrics of a record that are not those of its arrays, a line each: all that follows from counts, draws and distances
 * by arithmetic. How far responses lie from their centroids (`eps_quant`) cannot be told without the data.
 */
export function metricProblems({ partition, options }: RunRecord, arrays: RunArrays): string[] {
  const { metrics, counts, repairs } = partition;
  const { clients, bins, alpha } = options;
  const rows = (values: Float64Array) =>
    Array.from({ length: clients }, (_, client) => values.subarray(client * bins, (client + 1) * bins));
  try {
    const cost = costMatrix(arrays.cost, bins);
    const { proportions, target, intendedSizes } = arrays;
    const hasIntention = target !== undefined || intendedSizes !== undefined;
    const drawn = hasIntention
      ? {
          ...(proportions && { proportions: rows(proportions), alpha: alpha ?? undefined }),
          ...(target && { target: rows(target) }),
          ...(intendedSizes && { sizes: intendedSizes }),
          repairs,
        }
      : undefined;
    const { d_sol, cv_n, eps_part, n_min, n_max, h_q, h_w } = diagnose({ counts, cost, drawn }).metrics;
    const input_w1 = arrays.inputDistance ? meanOfKnown(arrays.inputDistance, clients) : null;
    const found = { d_sol, input_w1, cv_n, eps_part, n_min, n_max, h_q, h_w };
    return [
      ...Object.entries(found).flatMap(([name, value]) =>
        isClose(metrics[name], value) ? [] : `its ${name} is ${metrics[name]}, but its arrays give ${value}`,
      ),
      ...("eps_quant" in metrics ? [] : ["its metrics lack eps_quant"]),
    ];
  } catch (error) {
    if (error instanceof UserError || error instanceof RangeError) return [(error as Error).message];
    throw error;
  }
}

/** Mean over pairs of clients that both hold samples, which have a distance. */
function meanOfKnown(distances: Float64Array, clients: number): number {
  let total = 0;
  let pairs = 0;
  for (let i = 0; i < clients; i++)
    for (let j = i + 1; j < clients; j++) {
      const distance = distances[i * clients + j];
      if (Number.isNaN(distance)) continue;
      total += distance;
      pairs++;
    }
  return total / pairs;
}

function isClose(stated: number | null | undefined, found: number | null): boolean {
  if (stated === undefined || stated === null || found === null) return stated === found;
  return Math.abs(stated - found) <= TOLERANCE * Math.max(Math.abs(stated), Math.abs(found));
}
