import type { Backend, Executable, OutputValues } from "../engine/backend.js";
import { parameterCount } from "../models/parameter-layout.js";
import type { Training } from "../models/trainable-model.js";
import { dataOrder } from "./data-order.js";
import type { FederatedProblem } from "./federated-problem.js";
import { type Batches, miniBatches } from "./mini-batches.js";
import { clientProgram, coefficientName, roundProgram, stateName } from "./round-program.js";
import { optimizerOf, type RunOptions } from "./run-options.js";

/**
 * All that a run remembers between two rounds. Batches and the optimisers' step counts follow from the round, so that
 * continuing from a saved state gives the same bits as never having stopped.
 */
export interface TrainerState {
  /** Rounds that are done. */
  readonly round: number;
  /** The server's parameters. */
  readonly parameters: Float32Array;
  /** What the clients' optimisers remember, vectors x clients x parameters; empty if it is reset in every round. */
  readonly clientState: Float32Array;
}

/** A federation at work; close it when done. */
export interface Rounds {
  /** Does the next round; its local dispersion D_loc comes back, 0 unless `measure`. */
  next(measure: boolean): Promise<number>;
  state(): TrainerState;
  close(): Promise<void>;
}

/**
 * Numbers in the largest activation of all clients up to which a round is one program. Above it the activations of ten
 * clients leave the cache, and one client after another is faster (by 20 to 30 % on a grid of 101 x 101); below it the
 * cost of starting operations dominates, and larger ones are faster (by three times on 100 points).
 */
const TOGETHER = 2 ** 18;
/** One client's batches are filled up to a multiple of this many samples: few programs serve all client sizes. */
const ROW_STEP = 16;

/** Starts, or continues, a federation in whichever way is faster for its size and for the backend. */
export function startRounds(
  problem: FederatedProblem,
  options: RunOptions,
  backend: Backend,
  start: TrainerState,
): Promise<Rounds> {
  const samples = problem.weights.length * largestBatch(problem, options);
  const together = backend.wide || samples * problem.operator.activation <= TOGETHER;
  const chosen = together ? roundsTogether : roundsOneByOne;
  return chosen(problem, options, backend, start);
}

/** All clients in one program. */
export async function roundsTogether(
  problem: FederatedProblem,
  options: RunOptions,
  backend: Backend,
  start: TrainerState,
): Promise<Rounds> {
  const rows = largestBatch(problem, options);
  const executable = await backend.compile(roundProgram(problem, options, rows, backend), options);
  const names = stateNames(options);
  const owners = [{ clientIndices: problem.clientIndices, options, offset: 0 }];
  const batches = miniBatches(owners, { localSteps: options.localSteps, rows });
  const course = roundByRound(executable, batches, options, backend, start.round);
  hold(executable, problem.training);
  executable.write("parameters", start.parameters.slice());
  const size = start.clientState.length / names.length;
  names.forEach((name, vector) => {
    executable.write(name, start.clientState.slice(vector * size, (vector + 1) * size));
  });
  return {
    async next(measure) {
      return (await course.next(measure))?.[0] ?? 0;
    },
    state: () => ({
      round: course.round,
      parameters: Float32Array.from(executable.read("parameters")),
      clientState: joined(names.map((name) => executable.read(name))),
    }),
    close: () => executable.close(),
  };
}

/** Rounds of a program that does them whole, from a round on. */
interface Course {
  /** Rounds that are done. */
  readonly round: number;
  /** Does the next one; its `dispersion` comes back, if it is wanted or at hand. */
  next(measure: boolean): Promise<OutputValues | undefined>;
}

/** Runs a program round by round; the batches of the next one are drawn while the backend is at work. */
export function roundByRound(
  executable: Executable,
  batches: (round: number) => Batches,
  options: RunOptions,
  backend: Backend,
  start: number,
): Course {
  let round = start;
  let upcoming = batches(round);
  return {
    get round() {
      return round;
    },
    async next(measure) {
      // Where nothing is wanted of a round, a device can be told the next one meanwhile.
      const wanted = backend.wide && !measure ? [] : undefined;
      const running = executable.run({ ...upcoming, ...coefficients(round, options) }, wanted);
      round++;
      upcoming = batches(round);
      const { dispersion } = await running;
      // States are float32 whatever the backend computes in, so that a saved one is complete.
      if (dispersion instanceof Float64Array)
        for (const name of ["parameters", ...stateNames(options)])
          executable.write(name, Float32Array.from(executable.read(name)));
      return dispersion;
    },
  };
}

/** One client after another, each with a program for its size of batches. */
export async function roundsOneByOne(
  problem: FederatedProblem,
  options: RunOptions,
  backend: Backend,
  start: TrainerState,
): Promise<Rounds> {
  const { clientIndices, weights: shares } = problem;
  const count = parameterCount(problem.operator.layout);
  const names = stateNames(options);
  const rowsOf = clientIndices.map(({ length }) =>
    Math.min(options.batch, Math.ceil(length / ROW_STEP) * ROW_STEP),
  );
  const executables = new Map<number, Executable>();
  for (const rows of new Set(rowsOf)) {
    const executable = await backend.compile(clientProgram(problem, options, rows), options);
    hold(executable, problem.training);
    executables.set(rows, executable);
  }
  const order = orders(problem, options);
  let { round, parameters } = start;
  const states: Float32Array[][] = clientIndices.map((_, client) =>
    names.map((_, vector) => {
      const at = (vector * clientIndices.length + client) * count;
      return start.clientState.slice(at, at + count);
    }),
  );

  async function steps(client: number): Promise<Float32Array> {
    const rows = rowsOf[client];
    const indices = new Int32Array(options.localSteps * rows);
    const weights = new Float32Array(indices.length);
    for (let step = 0; step < options.localSteps; step++)
      fill(order[client](round * options.localSteps + step), rows, step, indices, weights);
    const state = Object.fromEntries(names.map((name, vector) => [name, states[client][vector]]));
    const out = await executables
      .get(rows)!
      .run({ indices, weights, ...coefficients(round, options), parameters, ...state });
    states[client] = names.map((name) => float32(out[`new ${name}`]));
    return float32(out.local);
  }

  return {
    async next(measure) {
      const local: Float32Array[] = [];
      for (const client of clientIndices.keys()) local.push(await steps(client));
      parameters = weightedMean(local, shares);
      if (options.clientState === "average")
        names.forEach((_, vector) => {
          const mean = weightedMean(
            states.map((own) => own[vector]),
            shares,
          );
          for (const own of states) own[vector] = mean;
        });
      round++;
      return measure ? dispersion(local, parameters, shares) : 0;
    },
    state: () => ({
      round,
      parameters: parameters.slice(),
      clientState: joined(names.flatMap((_, vector) => states.map((own) => own[vector]))),
    }),
    async close() {
      for (const executable of executables.values()) await executable.close();
    },
  };
}

/** The optimiser states that last from round to round. */
export function stateNames({ optimizer, clientState }: RunOptions): string[] {
  const vectors = clientState === "reset" ? 0 : optimizerOf(optimizer).stateVectors;
  return Array.from({ length: vectors }, (_, vector) => stateName(vector));
}

/** Training data stay in a program's inputs: it neither holds nor copies them, and several programs can share them. */
export function hold(executable: Executable, { data }: Training): void {
  for (const [name, { values }] of Object.entries(data)) executable.write(name, values);
}

export function largestBatch({ clientIndices }: FederatedProblem, { batch }: RunOptions): number {
  return Math.min(batch, Math.max(...clientIndices.map(({ length }) => length)));
}

function orders({ clientIndices }: FederatedProblem, { seed, batch }: RunOptions) {
  return clientIndices.map((samples, client) => dataOrder(samples, { seed, client, batch }));
}

/** Places a batch at a row of batches; what it lacks is filled with its first sample at weight zero. */
function fill(batch: Int32Array, rows: number, at: number, indices: Int32Array, weights: Float32Array): void {
  const start = at * rows;
  indices.fill(batch[0], start, start + rows).set(batch, start);
  weights.fill(1 / batch.length, start, start + batch.length);
}

/** What the optimiser needs to know of every step of a round. A state that is reset counts steps anew. */
function coefficients(
  round: number,
  { localSteps, clientState, optimizer }: RunOptions,
): Record<string, Float64Array> {
  const taken = clientState === "reset" ? 0 : round * localSteps;
  const ofSteps = Array.from({ length: localSteps }, (_, step) =>
    optimizerOf(optimizer).coefficients(taken + step + 1),
  );
  return Object.fromEntries(
    ofSteps[0].map((_, i) => [coefficientName(i), Float64Array.from(ofSteps, (numbers) => numbers[i])]),
  );
}

function weightedMean(vectors: readonly Float32Array[], shares: Float64Array): Float32Array {
  const mean = new Float64Array(vectors[0].length);
  vectors.forEach((vector, client) => {
    for (let i = 0; i < mean.length; i++) mean[i] += shares[client] * vector[i];
  });
  return Float32Array.from(mean);
}

/** D_loc: sum_k p_k ||theta_k - mean||^2. */
function dispersion(local: readonly Float32Array[], mean: Float32Array, shares: Float64Array): number {
  return local.reduce((total, vector, client) => {
    let square = 0;
    for (let i = 0; i < mean.length; i++) square += (vector[i] - mean[i]) * (vector[i] - mean[i]);
    return total + shares[client] * square;
  }, 0);
}

/** Vectors laid end to end. */
export function joined(parts: readonly (Float32Array | Float64Array)[]): Float32Array {
  const whole = new Float32Array(parts.reduce((total, { length }) => total + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

const float32 = (values: Float32Array | Float64Array): Float32Array =>
  values instanceof Float32Array ? values : Float32Array.from(values);
