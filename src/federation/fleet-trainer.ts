import type { Backend } from "../engine/backend.js";
import { OptionError } from "../errors.js";
import { type FleetData, fleetData } from "./fleet-data.js";
import { type FleetObservables, observablePrograms, openFleetObservables } from "./fleet-observables.js";
import { type FleetMember, fleetRound, startFleetRounds } from "./fleet-rounds.js";
import type { RunOptions } from "./run-options.js";
import type { Checkpoint, TrainerState } from "./trainer.js";

export interface FleetHooks {
  /** A checkpoint of one of the runs, by its place in the fleet. */
  readonly onCheckpoint?: (run: number, checkpoint: Checkpoint) => void | Promise<void>;
  /** Called after every round with the rounds done. */
  readonly onRound?: (round: number) => void;
  /** Called after every round and its checkpoints; the states may be asked for, which copies them. */
  readonly saveStates?: (states: () => readonly TrainerState[]) => Promise<void>;
  /** Stops all runs, between two rounds, with the signal's reason. */
  readonly signal?: AbortSignal;
}

/**
 * Runs whose programs have the same shape, and which can go side by side: they differ in seed, alpha, data seed and in
 * how the data are divided.
 */
export function fleetShape(options: RunOptions): string {
  const { alpha, seed, dataSeed, bins, minSize, repair, ...shape } = options;
  return JSON.stringify(shape);
}

/** Data of runs side by side; a backend that can has prepared their programs. */
export async function prepareFleet(members: readonly FleetMember[], backend: Backend): Promise<FleetData> {
  checkFleet(members);
  const problems = members.map(({ problem }) => problem);
  const data = fleetData(problems, backend);
  const { trainErrors, testErrors, gradients } = observablePrograms(problems, data, backend);
  const round = () => fleetRound(members, data, backend).program;
  const isNew = members[0].start.round === 0;
  const programs = [trainErrors, testErrors, ...(isNew ? [gradients] : []), round];
  await Promise.all(programs.map((program) => backend.prepare?.(program())));
  return data;
}

/**
 * Trains runs side by side as one program. Each comes out as `train` has it alone, but for round-off: its batches,
 * start and checkpoints are its own, and what becomes of one, even infinity, does not touch the others.
 *
 * @returns the final parameters of each
 */
export async function trainFleet(
  members: readonly FleetMember[],
  backend: Backend,
  hooks: FleetHooks = {},
  prepared?: FleetData,
): Promise<readonly Float32Array[]> {
  const [{ options, start }] = members;
  const data = prepared ?? (await prepareFleet(members, backend));
  const problems = members.map(({ problem }) => problem);
  const wanted = new Set(options.checkpoints);
  const observables = await openFleetObservables(problems, data, backend, options);
  try {
    const rounds = await startFleetRounds(members, data, backend);
    try {
      const reach = async (round: number, dispersions: ArrayLike<number>) => {
        const parameters = rounds.parameters();
        const found = await measure(observables, round, parameters);
        for (const [run, measured] of found.entries())
          await hooks.onCheckpoint?.(run, { ...measured, localDispersion: dispersions[run] });
      };
      if (start.round === 0 && wanted.has(0)) await reach(0, new Float64Array(members.length));
      for (let round = start.round + 1; round <= options.rounds; round++) {
        hooks.signal?.throwIfAborted();
        const dispersions = await rounds.next(wanted.has(round));
        hooks.onRound?.(round);
        if (wanted.has(round)) await reach(round, dispersions);
        await hooks.saveStates?.(() => rounds.states());
      }
      return rounds.parameters();
    } finally {
      await rounds.close();
    }
  } finally {
    await observables.close();
  }
}

/** What a checkpoint holds of every run, but for D_loc, which comes from the round itself. */
async function measure(
  observables: FleetObservables,
  round: number,
  parameters: readonly Float32Array[],
): Promise<Omit<Checkpoint, "localDispersion">[]> {
  const testErrors = await observables.testErrors(parameters);
  const gradients = round === 0 ? await observables.gradientDissimilarities(parameters) : undefined;
  const trainLosses = await observables.trainLosses(parameters);
  return parameters.map((own, run) => ({
    round,
    testError: testErrors[run],
    gradientDissimilarity: gradients?.[run] ?? null,
    trainLoss: trainLosses[run],
    parameters: own,
  }));
}

function checkFleet(members: readonly FleetMember[]): void {
  const [first] = members;
  for (const { options, start } of members) {
    if (fleetShape(options) !== fleetShape(first.options))
      throw new OptionError("runs side by side differ in seed, alpha and partition only");
    if (start.round !== first.start.round)
      throw new OptionError("runs side by side go on from the same round");
  }
}
