import type { Federation } from "./federation.js";
import type { Replica } from "./replicas/replicas.js";
import type { Samples } from "./samples/stored-samples.js";
import { type ChosenStrategy, strategyOf } from "./strategies/strategies.js";

type Clients = Pick<Federation<Samples>, "clientIndices" | "weights">;

/** The clients that train: those of the partition, or a single one with all their samples where a strategy pools them. */
export function trainedClients<P extends Clients>(problem: P, options: ChosenStrategy): P {
  if (!strategyOf(options).isPooled) return problem;
  const all = Int32Array.from(problem.clientIndices.flatMap((own) => [...own])).sort();
  return { ...problem, clientIndices: [all], weights: Float64Array.of(1) };
}

/** A replica with the clients that train. */
export const trainedReplica = (replica: Replica): Replica => ({
  ...replica,
  problem: trainedClients(replica.problem, replica.options),
});

/** How many clients train. */
export const trainedCount = (clients: number, options: ChosenStrategy): number =>
  strategyOf(options).isPooled ? 1 : clients;
