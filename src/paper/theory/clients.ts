import { type Assignment, countTable, indicesOfClients } from "../../partition/assignment.js";
import type { Partition } from "../../partition/partition.js";
import type { Objective, SampleGroup } from "./objectives.js";

/** Clients as the theory sees them: samples, weights and bin profiles. */
export interface Clients {
  readonly groups: readonly SampleGroup[];
  /** p_k = n_k / N */
  readonly weights: Float64Array;
  /** Samples of every bin at every client, n_kb. */
  readonly counts: readonly (readonly number[])[];
  /** q_k, the shares of bins at each client. */
  readonly profiles: readonly Float64Array[];
  /** The profiles that a Dirichlet draw intended, where there was one. */
  readonly target?: readonly Float64Array[];
}

/** The clients of any assignment of samples; those without samples are left out. */
export function clientsOf(assignment: Assignment & Partial<Pick<Partition, "target">>): Clients {
  const { target } = assignment;
  const all = indicesOfClients(assignment);
  const counts = countTable(assignment);
  const present = all.flatMap(({ length }, client) => (length > 0 ? [client] : []));
  return {
    groups: present.map((client) => Int32Array.from(all[client])),
    weights: Float64Array.from(present, (client) => all[client].length / assignment.binOfSample.length),
    counts: present.map((client) => counts[client]),
    ...(target && { target: present.map((client) => target[client]) }),
    profiles: present.map((client) =>
      Float64Array.from(counts[client], (count) => count / all[client].length),
    ),
  };
}

/** Clients of whole bins: bin b belongs to client b mod K with all its samples. */
export function wholeBinClients(binOfSample: Int32Array, bins: number, clients: number): Clients {
  return clientsOf({
    clients,
    bins,
    binOfSample,
    clientOfSample: binOfSample.map((bin) => bin % clients),
  });
}

/** The gradient of every group's objective. */
export async function gradientsOf(
  objective: Objective,
  theta: Float64Array,
  groups: readonly SampleGroup[],
): Promise<Float64Array[]> {
  const gradients: Float64Array[] = [];
  for (const group of groups) gradients.push(await objective.gradient(theta, group));
  return gradients;
}
