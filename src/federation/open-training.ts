import type { Backend } from "../engine/backend.js";
import { type ClientMeasures, updatesOfAll } from "./observables/client-measures.js";
import { type Observables, type OwnModels, openObservables } from "./observables/observables.js";
import type { Replica } from "./replicas/replicas.js";
import type { ReplicaData } from "./replicas/replicas-data.js";
import { clientModels, modelVector } from "./rounds/client-models.js";
import { type Rounds, type RoundWishes, startRounds } from "./rounds/rounds.js";
import { strategyOf } from "./strategies/strategies.js";
import { trainedReplica } from "./trained-clients.js";

/** Measurements after a round, or of the shared initial model (round 0). */
export interface Checkpoint {
  readonly round: number;
  /** Relative L2 error over the test set. */
  readonly testError: number;
  /** H_g^norm; at round 0 only. */
  readonly gradientDissimilarity: number | null;
  /** D_loc of the round that ended here; 0 at round 0. */
  readonly localDispersion: number;
  /** Mean squared error over all training samples. */
  readonly trainLoss: number;
  /** What is measured of single clients. */
  readonly clients: ClientMeasures;
  /** The server's parameters. */
  readonly parameters: Float32Array;
}

/** Replicas between two rounds, and what can be measured of them; close it when done. */
export interface OpenTraining {
  readonly rounds: Rounds;
  readonly observables: Observables;
  /**
   * A checkpoint of every replica. Clients' updates come from the last round that was measured.
   *
   * @param dispersions what that round returned
   */
  checkpoints(round: number, dispersions: ArrayLike<number>): Promise<Checkpoint[]>;
  close(): Promise<void>;
}

/** Starts or continues replicas, as {@link trainReplicas} does, for those who decide round by round. */
export async function openTraining(
  replicas: readonly Replica[],
  data: ReplicaData,
  backend: Backend,
  wishes: RoundWishes = {},
): Promise<OpenTraining> {
  const [{ options }] = replicas;
  const problems = replicas.map(({ problem }) => problem);
  const observables = await openObservables(problems, data, backend, options);
  try {
    const hooks = { ...wishes, losses: observables.clientLosses };
    const rounds = await startRounds(replicas.map(trainedReplica), data, backend, hooks);
    return {
      rounds,
      observables,
      checkpoints: (round, dispersions) => measure(observables, replicas, rounds, { round, dispersions }),
      async close() {
        await rounds.close();
        await observables.close();
      },
    };
  } catch (error) {
    await observables.close();
    throw error;
  }
}

/** A checkpoint of every replica; D_loc and the clients' updates come from the round itself. */
async function measure(
  observables: Observables,
  replicas: readonly Replica[],
  rounds: Rounds,
  { round, dispersions }: { readonly round: number; readonly dispersions: ArrayLike<number> },
): Promise<Checkpoint[]> {
  const parameters = rounds.parameters();
  const gradients = round === 0 ? await observables.gradientDissimilarities(parameters) : undefined;
  const found = await observables.measures(parameters, modelsOfClients(replicas, rounds));
  const updates = rounds.updates();
  return parameters.map((own, replica) => {
    const { testError, trainLoss, ...ofClients } = found[replica];
    const { problem, options } = replicas[replica];
    // Where all samples are at one place no client moves.
    const moved = strategyOf(options).isPooled ? [] : updates[replica];
    return {
      round,
      testError,
      gradientDissimilarity: gradients?.[replica] ?? null,
      localDispersion: dispersions[replica],
      trainLoss,
      clients: { ...ofClients, ...updatesOfAll(moved, problem.clientIndices.length) },
      parameters: own,
    };
  });
}

/** The models of all clients, where they have their own. */
function modelsOfClients(replicas: readonly Replica[], rounds: Rounds): OwnModels | undefined {
  const [{ options, problem }] = replicas;
  const name = modelVector(options);
  if (name === undefined) return undefined;
  const servers = rounds.parameters();
  return {
    ofClients: rounds
      .vectors(name)
      .map((own, i) => clientModels(servers[i], own, options, problem.operator.layout)),
    replaceServer: !strategyOf(options).personal,
  };
}
