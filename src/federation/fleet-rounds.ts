import { type Backend, filled } from "../engine/backend.js";
import type { Program } from "../engine/program.js";
import { parameterCount } from "../models/parameter-layout.js";
import type { FederatedProblem } from "./federated-problem.js";
import type { FleetData } from "./fleet-data.js";
import { fleetProgram } from "./fleet-program.js";
import { miniBatches } from "./mini-batches.js";
import { hold, joined, largestBatch, roundByRound, stateNames, type TrainerState } from "./rounds.js";
import type { RunOptions } from "./run-options.js";

/** A run among others: programs of the same shape, whatever their seed, alpha, partition and data. */
export interface FleetMember {
  readonly problem: FederatedProblem;
  readonly options: RunOptions;
  readonly start: TrainerState;
}

/** Several federations at work as one program; close them when done. */
export interface FleetRounds {
  /** Does the next round of all runs; D_loc of each comes back, 0 unless `measure`. */
  next(measure: boolean): Promise<ArrayLike<number>>;
  /** The servers' parameters, run by run. */
  parameters(): readonly Float32Array[];
  states(): readonly TrainerState[];
  close(): Promise<void>;
}

/** The program of a round of all runs, and the samples of its batches. */
export function fleetRound(
  members: readonly FleetMember[],
  data: FleetData,
  backend: Pick<Backend, "wide">,
): { readonly program: Program; readonly rows: number } {
  const [{ options, problem }] = members;
  const rows = Math.max(...members.map((member) => largestBatch(member.problem, member.options)));
  const sizes = { runs: members.length, clients: problem.weights.length, rows };
  return { rows, program: fleetProgram(data.training, options, sizes, backend) };
}

/**
 * Starts, or continues, runs side by side. All start from the same round. Each takes the batches that it would take
 * alone; where another has larger ones, its own are filled up with weight zero.
 */
export async function startFleetRounds(
  members: readonly FleetMember[],
  data: FleetData,
  backend: Backend,
): Promise<FleetRounds> {
  const { options, problem } = members[0];
  const runs = members.length;
  const clients = problem.weights.length;
  const count = parameterCount(data.operator.layout);
  const names = stateNames(options);
  const { rows, program } = fleetRound(members, data, backend);
  const size = clients * count;
  const executable = await filled(await backend.compile(program, options), (it) => {
    hold(it, data.training);
    it.write("shares", Float64Array.from(members.flatMap((member) => [...member.problem.weights])));
    it.write("parameters", joined(members.map(({ start }) => start.parameters)));
    names.forEach((name, vector) => {
      const ofRun = ({ start }: FleetMember) =>
        start.clientState.subarray(vector * size, (vector + 1) * size);
      // Zeros at the start, which need not be copied: they are gigabytes where models are large.
      const states =
        members[0].start.round === 0 ? new Float32Array(runs * size) : joined(members.map(ofRun));
      it.write(name, states);
    });
  });

  const owners = members.map((member, run) => ({
    clientIndices: member.problem.clientIndices,
    options: member.options,
    offset: data.train.starts[run],
  }));
  const batches = miniBatches(owners, { localSteps: options.localSteps, rows });
  const course = roundByRound(executable, batches, options, backend, members[0].start.round);

  return {
    async next(measure) {
      return (await course.next(measure)) ?? new Float64Array(runs);
    },
    parameters: () => perRun(executable.read("parameters"), runs),
    states() {
      const vectors = names.map((name) => perRun(executable.read(name), runs));
      return perRun(executable.read("parameters"), runs).map((parameters, run) => ({
        round: course.round,
        parameters,
        clientState: joined(vectors.map((vector) => vector[run])),
      }));
    },
    close: () => executable.close(),
  };
}

/** Equal parts, one a run, in float32. */
function perRun(values: Float32Array | Float64Array, runs: number): Float32Array[] {
  const size = values.length / runs;
  return Array.from(
    { length: runs },
    (_, run) => new Float32Array(values.subarray(run * size, (run + 1) * size)),
  );
}
