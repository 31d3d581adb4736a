import type { Backend, Executable } from "../../engine/backend.js";
import { type Checkpoint, openTraining } from "../../federation/open-training.js";
import { predictionProgram } from "../../federation/operator-model.js";
import { replicaData } from "../../federation/replicas/replicas-data.js";
import { strategyOf } from "../../federation/strategies/strategies.js";
import { initialState } from "../../federation/trainer-state.js";
import type { PreparedRun } from "./prepared-runs.js";
import type { RunArrows, RunFacts } from "./trainer.js";
import { updatesPlane } from "./updates-plane.js";

/** A run between two rounds. */
export interface PageRun {
  readonly run: PreparedRun;
  /** Whether errors are those of models that clients keep. */
  readonly hasOwnModels: boolean;
  /** The next round. */
  next(measuresUpdates: boolean): Promise<void>;
  /** D_loc of the last round. */
  dispersion(): number;
  parameters(): Float32Array;
  testError(): Promise<number>;
  checkpoint(round: number): Promise<Checkpoint>;
  /** Updates of the last round that measured them; undefined where no client moves on its own. */
  arrows(): RunArrows | undefined;
  predict(input: Float32Array): Promise<Float32Array>;
  close(): Promise<void>;
}

/**
 * Opens a run at its start.
 *
 * @param backend of training, which the page can hold
 * @param free the same for what is computed meanwhile
 */
export async function openPageRun(run: PreparedRun, backend: Backend, free: Backend): Promise<PageRun> {
  const { problem, options } = run;
  const replica = { problem, options, start: initialState(problem, options) };
  const training = await openTraining([replica], replicaData([problem], backend), backend, {
    updatePairs: true,
  });
  const { rounds, observables } = training;
  const { isPooled, isLocal, personal } = strategyOf(options);
  let dispersions: ArrayLike<number> = [0];
  let before: RunArrows | undefined;
  let predictor: Promise<Executable> | undefined;
  return {
    run,
    hasOwnModels: isLocal !== undefined || personal !== undefined,
    async next(measuresUpdates) {
      dispersions = await rounds.next(measuresUpdates);
    },
    dispersion: () => dispersions[0],
    parameters: () => rounds.parameters()[0],
    testError: async () => (await observables.testErrors(rounds.parameters()))[0],
    checkpoint: async (round) => (await training.checkpoints(round, dispersions))[0],
    arrows() {
      const [updates] = rounds.updates();
      if (isPooled || updates.length === 0) return undefined;
      const products = Float64Array.from(updates.flatMap((update) => [...update.products!]));
      const shares = updates.map(({ share }) => share!);
      const clients = updates.map(({ client }) => client);
      const isComparable = before?.clients.join() === clients.join();
      before = { ...updatesPlane(products, shares, isComparable ? before?.arrows : undefined), clients };
      return before;
    },
    async predict(input) {
      predictor ??= free.compile(predictionProgram(problem));
      const { responses } = await (await predictor).run({
        inputs: input,
        parameters: rounds.parameters()[0],
      });
      return Float32Array.from(responses);
    },
    async close() {
      await training.close();
      await (await predictor)?.close();
    },
  };
}

/** What is told of a run before its first round. */
export function factsOf({ run }: PageRun, { gradientDissimilarity }: Checkpoint): RunFacts {
  const { partition, diagnostics } = run.problem.measured;
  return {
    clients: partition.clients,
    ...(partition.clientNames && { clientNames: partition.clientNames }),
    dSol: diagnostics.metrics.d_sol,
    gradientDissimilarity: gradientDissimilarity ?? NaN,
    notes: diagnostics.notes,
  };
}
