import { type Backend, type Executable, filled, type OutputValues } from "../engine/backend.js";
import { referenceBackend } from "../engine/reference.js";
import { parameterCount } from "../models/parameter-layout.js";
import { dataOrder } from "./data-order.js";
import { hold } from "./held-inputs.js";
import type { Replica } from "./replicas.js";
import type { ReplicaData } from "./replicas-data.js";
import {
  aggregateProgram,
  clientInput,
  clientProgram,
  coefficients,
  distanceProgram,
  newValue,
  PARAMETERS,
} from "./round-program.js";
import type { Rounds } from "./rounds.js";
import { clientVectors, joinedVectors, stepsTaken, vectorOf } from "./trainer-state.js";

/** One client's batches are filled up to a multiple of this many samples: few programs serve all client sizes. */
const ROW_STEP = 16;

/**
 * Rounds of one replica, one client after another, each with a program for its size of batches. The reference backend
 * aggregates: it computes in float64, which the backend of the local steps need not have.
 */
export async function roundsClientByClient(
  { problem, options, start }: Replica,
  { training }: Pick<ReplicaData, "training">,
  backend: Backend,
): Promise<Rounds> {
  const { clientIndices, weights: shares } = problem;
  const clients = clientIndices.length;
  const count = parameterCount(training.blocks);
  const names = clientVectors(options);
  const rowsOf = clientIndices.map(({ length }) =>
    Math.min(options.batch, Math.ceil(length / ROW_STEP) * ROW_STEP),
  );
  const executables = new Map<number, Executable>();
  for (const rows of new Set(rowsOf)) {
    const executable = await backend.compile(clientProgram(training, options, rows), options);
    executables.set(rows, await filled(executable, (it) => hold(it, training)));
  }
  const aggregation = await referenceBackend.compile(aggregateProgram(clients, count, options));
  aggregation.write("shares", shares);
  const distance = await referenceBackend.compile(distanceProgram(count));

  const orders = clientIndices.map((samples, client) => dataOrder(samples, { ...options, client }));
  const part = (whole: Float32Array, client: number) => whole.subarray(client * count, (client + 1) * count);
  let { round } = start;
  let parameters = vectorOf(start.server, "parameters");
  /** The parameters of all clients after their local steps, clients x parameters. */
  const local = new Float32Array(clients * count);
  /** The vectors of each client; those that programs return are kept as they are, since copies of them take time. */
  const vectors = names.map((name) => {
    const whole = vectorOf(start.clients, name).slice();
    return clientIndices.map((_, client) => part(whole, client));
  });

  async function takeSteps(client: number): Promise<void> {
    const rows = rowsOf[client];
    const indices = new Int32Array(options.localSteps * rows);
    const weights = new Float32Array(indices.length);
    for (let step = 0; step < options.localSteps; step++)
      fill(orders[client](stepsTaken(round, options) + step), rows, step, indices, weights);
    const own = names.map((name, i) => [clientInput(name), vectors[i][client]]);
    const inputs = { indices, weights, ...coefficients(round, options), [PARAMETERS]: parameters };
    const out = await executables.get(rows)!.run({ ...inputs, ...Object.fromEntries(own) });
    part(local, client).set(out.local);
    names.forEach((name, i) => {
      vectors[i][client] = float32(out[newValue(clientInput(name))]);
    });
  }

  async function aggregate(): Promise<void> {
    const averaged = options.clientState === "average" ? names : [];
    const given = averaged.map((name, i) => [clientInput(name), joinedVectors(vectors[i])]);
    const found = await aggregation.run({ local, ...Object.fromEntries(given) });
    parameters = float32(found[newValue(PARAMETERS)]);
    averaged.forEach((name, i) => {
      vectors[i].fill(float32(found[newValue(clientInput(name))]));
    });
  }

  /** D_loc: sum_k p_k ||theta_k - mean||^2. */
  async function dispersion(): Promise<number> {
    let total = 0;
    for (let client = 0; client < clients; client++) {
      const { square } = await distance.run({ local: part(local, client), average: parameters });
      total += shares[client] * square[0];
    }
    return total;
  }

  return {
    async next(measure) {
      for (let client = 0; client < clients; client++) await takeSteps(client);
      await aggregate();
      round++;
      return [measure ? await dispersion() : 0];
    },
    parameters: () => [parameters.slice()],
    states: () => [
      {
        round,
        server: { parameters: parameters.slice() },
        clients: Object.fromEntries(names.map((name, i) => [name, joinedVectors(vectors[i])])),
      },
    ],
    async close() {
      for (const executable of [...executables.values(), aggregation, distance]) await executable.close();
    },
  };
}

/** Places a batch at a row of batches; what it lacks is filled with its first sample at weight zero. */
function fill(batch: Int32Array, rows: number, at: number, indices: Int32Array, weights: Float32Array): void {
  const start = at * rows;
  indices.fill(batch[0], start, start + rows).set(batch, start);
  weights.fill(1 / batch.length, start, start + batch.length);
}

const float32 = (values: OutputValues): Float32Array =>
  values instanceof Float32Array ? values : Float32Array.from(values);
