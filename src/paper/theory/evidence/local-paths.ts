import { combination, plus } from "../../../numerics/vector.js";
import type { Clients } from "../clients.js";
import type { Objective, SampleGroup } from "../objectives.js";

/**
 * Displacements from theta after 1, 2, ... full-gradient steps (eq:app-local-gd). They are kept apart from theta,
 * so that their round-off is relative to themselves, which a remainder of third order needs.
 *
 * @param first the gradient at theta, which is the same for every learning rate
 */
export async function localPath(
  objective: Objective,
  theta: Float64Array,
  group: SampleGroup,
  { rate, steps, first }: { readonly rate: number; readonly steps: number; readonly first: Float64Array },
): Promise<Float64Array[]> {
  const path: Float64Array[] = [first.map((value) => -rate * value)];
  for (let step = 1; step < steps; step++) {
    const gradient = await objective.gradient(plus(theta, path[step - 1]), group);
    path.push(plus(path[step - 1], gradient, -rate));
  }
  return path;
}

/** What federated averaging and centralised training do to theta in one round, by the number of local steps. */
export interface Round {
  /** theta_{k,E} - theta of every client, `local[k][E - 1]`. */
  readonly local: readonly (readonly Float64Array[])[];
  /** theta_FA - theta, `federated[E - 1]`. */
  readonly federated: readonly Float64Array[];
  /** theta_C - theta, `centralised[E - 1]`. */
  readonly centralised: readonly Float64Array[];
}

/** One round of every client and of the centralised comparator, from the same theta. */
export async function trainingRound(
  objective: Objective,
  theta: Float64Array,
  clients: Clients,
  options: {
    readonly rate: number;
    readonly steps: number;
    /** At theta, of every client. */
    readonly gradients: readonly Float64Array[];
    /** The comparator's path, where it is known already: it does not depend on the partition. */
    readonly centralised?: readonly Float64Array[];
  },
): Promise<Round> {
  const { rate, steps, gradients } = options;
  const local: Float64Array[][] = [];
  for (const [k, group] of clients.groups.entries())
    local.push(await localPath(objective, theta, group, { rate, steps, first: gradients[k] }));
  return {
    local,
    federated: Array.from({ length: steps }, (_, e) =>
      combination(
        local.map((path) => path[e]),
        clients.weights,
      ),
    ),
    centralised: options.centralised ?? (await centralisedPath(objective, theta, { rate, steps })),
  };
}

/** The displacements of the centralised comparator, full-gradient steps on all samples. */
export async function centralisedPath(
  objective: Objective,
  theta: Float64Array,
  { rate, steps }: { readonly rate: number; readonly steps: number },
): Promise<Float64Array[]> {
  const first = await objective.gradient(theta);
  return localPath(objective, theta, objective.all, { rate, steps, first });
}
