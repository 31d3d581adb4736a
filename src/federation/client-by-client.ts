import {
  type Backend,
  type Executable,
  filled,
  type InputValues,
  type OutputValues,
} from "../engine/backend.js";
import type { Program } from "../engine/program.js";
import { referenceBackend } from "../engine/reference.js";
import { parameterCount } from "../models/parameter-layout.js";
import type { Training } from "../models/trainable-model.js";
import { dataOrder } from "./data-order.js";
import { hold, unlessHeld } from "./held-inputs.js";
import { differentSamples } from "./mini-batches.js";
import { participantCount, participants, sharesOf } from "./participation/participants.js";
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
  serverCoefficients,
  serverInput,
} from "./round-program.js";
import type { Rounds } from "./rounds.js";
import { clientVectors, joinedVectors, serverVectors, stepsTaken, vectorOf } from "./trainer-state.js";

/** One client's batches are filled up to a multiple of this many samples: few programs serve all client sizes. */
const ROW_STEP = 16;

/**
 * Rounds of one replica, one client after another, each with a program for its size of batches. The reference backend
 * aggregates: it computes in float64, which the backend of the local steps need not have.
 */
export async function roundsClientByClient(
  { problem, options, start }: Replica,
  data: Pick<ReplicaData, "training">,
  backend: Backend,
): Promise<Rounds> {
  const { clientIndices } = problem;
  const takingPart = participants(clientIndices.length, options);
  const windows = data.training(
    Math.max(...clientIndices.map((own) => differentSamples(own.length, options))),
  );
  const count = parameterCount(windows.shape.blocks);
  const names = clientVectors(options);
  const rowsOf = clientIndices.map(({ length }) =>
    Math.min(options.batch, Math.ceil(length / ROW_STEP) * ROW_STEP),
  );
  const programs = new Map<number, { readonly executable: Executable; give(training: Training): void }>();
  for (const rows of new Set(rowsOf)) {
    const executable = await backend.compile(clientProgram(windows.shape, options, rows), options);
    const give = unlessHeld<Training>((training) => hold(executable, training));
    programs.set(rows, { executable: await filled(executable, () => give(windows.shape)), give });
  }
  const chosen = participantCount(clientIndices.length, options);
  const aggregation = aggregateProgram(chosen, count, options);
  const distance = distanceProgram(count);
  const orders = clientIndices.map((samples, client) => dataOrder(samples, { ...options, client }));
  const part = (whole: Float32Array, client: number) => whole.subarray(client * count, (client + 1) * count);
  let { round } = start;
  let parameters = vectorOf(start.server, "parameters");
  let mean = parameters;
  const ofServer = serverVectors(options);
  let server = ofServer.map((name) => vectorOf(start.server, name));
  /** The parameters of all participants after their local steps, participants x parameters. */
  const local = new Float32Array(chosen * count);
  /** The vectors of each client; those that programs return are kept as they are, since copies of them take time. */
  const vectors = names.map((name) => {
    const whole = vectorOf(start.clients, name).slice();
    return clientIndices.map((_, client) => part(whole, client));
  });

  /** The batches of a participant of a round, and a window with their samples. */
  function prepare(ofRound: number, place: number) {
    const { client, before } = takingPart(ofRound)[place];
    const rows = rowsOf[client];
    const chosen = new Int32Array(options.localSteps * rows);
    const weights = new Float32Array(chosen.length);
    for (let step = 0; step < options.localSteps; step++)
      fill(orders[client](stepsTaken(before, options) + step), rows, step, chosen, weights);
    return { weights, window: windows.read(chosen) };
  }
  let upcoming: ReturnType<typeof prepare> | undefined;

  /** What the participant after this one needs, who may be the first of the next round. */
  function prepareAfter(place: number): typeof upcoming {
    if (place + 1 < chosen) return prepare(round, place + 1);
    return round + 1 < options.rounds ? prepare(round + 1, 0) : undefined;
  }

  async function takeSteps(place: number): Promise<void> {
    const { client, before } = takingPart(round)[place];
    const { weights, window } = upcoming ?? prepare(round, place);
    const { held, indices } = await window;
    const { executable, give } = programs.get(rowsOf[client])!;
    give(held);
    const own = names.map((name, i) => [clientInput(name), vectors[i][client]]);
    const inputs = { indices, weights, ...coefficients([before], options), [PARAMETERS]: parameters };
    const running = executable.run({ ...inputs, ...Object.fromEntries(own) });
    upcoming = prepareAfter(place); // while the backend is at work
    const out = await running;
    part(local, place).set(out.local);
    names.forEach((name, i) => {
      vectors[i][client] = float32(out[newValue(clientInput(name))]);
    });
  }

  async function aggregate(): Promise<void> {
    const averaged = options.clientState === "average" ? names : [];
    const present = takingPart(round);
    const shares = sharesOf(problem.weights, present, options);
    const given = averaged.map((name, i) => [
      clientInput(name),
      joinedVectors(present.map(({ client }) => vectors[i][client])),
    ]);
    const kept = ofServer.map((name, i) => [serverInput(name), server[i]]);
    const found = await inFloat64(aggregation, {
      ...{ local, shares, [PARAMETERS]: parameters, ...serverCoefficients(round, options) },
      ...Object.fromEntries([...given, ...kept]),
    });
    parameters = float32(found[newValue(PARAMETERS)]);
    mean = float32(found.mean);
    server = ofServer.map((name) => float32(found[newValue(serverInput(name))]));
    averaged.forEach((name, i) => {
      const mean = float32(found[newValue(clientInput(name))]);
      for (const { client } of present) vectors[i][client] = mean;
    });
  }

  /** D_loc, sum_k p_k ||theta_k - mean||^2, about the mean in float32: recorded results have the bits of this order. */
  async function dispersion(): Promise<number> {
    const shares = sharesOf(problem.weights, takingPart(round), options);
    let total = 0;
    for (let place = 0; place < chosen; place++) {
      const { square } = await inFloat64(distance, { local: part(local, place), average: mean });
      total += shares[place] * square[0];
    }
    return total;
  }

  return {
    async next(measure) {
      for (let place = 0; place < chosen; place++) await takeSteps(place);
      await aggregate();
      const found = measure ? await dispersion() : 0;
      round++;
      return [found];
    },
    parameters: () => [parameters.slice()],
    states: () => [
      {
        round,
        server: {
          parameters: parameters.slice(),
          ...Object.fromEntries(ofServer.map((name, i) => [name, server[i].slice()])),
        },
        clients: Object.fromEntries(names.map((name, i) => [name, joinedVectors(vectors[i])])),
      },
    ],
    async close() {
      for (const { executable } of programs.values()) await executable.close();
    },
  };
}

/** Runs a small program by the reference backend; its values of float64 do not stay in memory. */
async function inFloat64(program: Program, inputs: Readonly<Record<string, InputValues>>) {
  const executable = await referenceBackend.compile(program);
  try {
    return await executable.run(inputs);
  } finally {
    await executable.close();
  }
}

/** Places a batch at a row of batches; what it lacks is filled with its first sample at weight zero. */
function fill(batch: Int32Array, rows: number, at: number, indices: Int32Array, weights: Float32Array): void {
  const start = at * rows;
  indices.fill(batch[0], start, start + rows).set(batch, start);
  weights.fill(1 / batch.length, start, start + batch.length);
}

const float32 = (values: OutputValues): Float32Array =>
  values instanceof Float32Array ? values : Float32Array.from(values);
