import {
  type Backend,
  type Executable,
  filled,
  type InputValues,
  type OutputValues,
} from "../../engine/backend.js";
import type { Program } from "../../engine/program.js";
import { referenceBackend } from "../../engine/reference.js";
import { parameterCount } from "../../models/parameter-layout.js";
import type { Training } from "../../models/trainable-model.js";
import { dataOrder } from "../data-order.js";
import { hold, unlessHeld } from "../held-inputs.js";
import { askedLosses, participantCount, participants } from "../participation/participants.js";
import type { Replica } from "../replicas/replicas.js";
import type { ReplicaData } from "../replicas/replicas-data.js";
import { strategyOf } from "../strategies/strategies.js";
import { joinedVectors, STEPS, vectorOf } from "../trainer-state.js";
import { averagedVectors } from "./aggregation.js";
import { clientStarts } from "./client-models.js";
import { type ClientUpdate, clientUpdates } from "./client-updates.js";
import { clientVectors, OWN, serverVectors } from "./client-vectors.js";
import { keptVectors } from "./kept-vectors.js";
import type { Steppers } from "./local-steps.js";
import { remainingBatches, remainingSamples } from "./remaining-samples.js";
import { readBatches } from "./round-batches.js";
import {
  aggregateProgram,
  clientCoefficients,
  clientInput,
  clientProgram,
  coefficients,
  distanceProgram,
  INPUTS,
  newValue,
  PARAMETERS,
  serverCoefficients,
  serverInput,
  stepped,
  updatesProgram,
} from "./round-program.js";
import { samplesInRound } from "./round-sizes.js";
import type { RoundHooks, Rounds } from "./rounds.js";

/** One client's batches are filled up to a multiple of this many samples: few programs serve all client sizes. */
const ROW_STEP = 16;

/**
 * Rounds of one replica, one client after another, each with a program for its batches and its number of steps. The
 * reference backend aggregates: it computes in float64, which the backend of the local steps need not have.
 */
export async function roundsClientByClient(
  { problem, options, start }: Replica,
  data: Pick<ReplicaData, "training">,
  backend: Backend,
  hooks: RoundHooks = {},
): Promise<Rounds> {
  const { clientIndices } = problem;
  const steps = start.clients[STEPS];
  const turns = participants(problem, options, steps && { round: start.round, steps });
  const windows = data.training(Math.max(...clientIndices.map((own) => samplesInRound(own.length, options))));
  const count = parameterCount(windows.shape.blocks);
  const names = clientVectors(options);
  const strategy = strategyOf(options);
  const ofStrategy = strategy.clientVectors ?? [];
  const averaged = averagedVectors(options);
  const rowsOf = clientIndices.map(({ length }) =>
    Math.min(options.batch, Math.ceil(length / ROW_STEP) * ROW_STEP),
  );
  const programs = new Map<string, { readonly executable: Executable; give(training: Training): void }>();
  const chosen = participantCount(clientIndices.length, options);
  const aggregation = aggregateProgram(chosen, count, options);
  const distance = distanceProgram(count);
  const orders = clientIndices.map((samples, client) => dataOrder(samples, { ...options, client }));
  const part = (whole: Float32Array, client: number) => whole.subarray(client * count, (client + 1) * count);
  let { round } = start;
  let parameters = vectorOf(start.server, "parameters");
  let mean = parameters;
  let updates: readonly ClientUpdate[] = [];
  const ofServer = serverVectors(options);
  let server = ofServer.map((name) => vectorOf(start.server, name));
  /** The parameters of all participants after their local steps, participants x parameters. */
  const local = new Float32Array(chosen * count);
  /** The vectors of each client; those that programs return are kept as they are, since copies of them take time. */
  const vectors = keptVectors(names, start, clientIndices.length);
  const hasOwn = names.includes(OWN);
  const startOf = clientStarts(options, windows.shape.blocks);

  /** The program for batches of these sizes. */
  async function programFor(sizes: BatchSizes) {
    const key = JSON.stringify(sizes);
    const known = programs.get(key);
    if (known) return known;
    const program = clientProgram(windows.shape, options, sizes);
    const executable = await backend.compile(program, options);
    const give = unlessHeld<Training>((training) => hold(executable, training));
    const made = { executable: await filled(executable, () => give(windows.shape)), give };
    programs.set(key, made);
    return made;
  }

  /** The batches of a participant of a round, their sizes, and a window with their samples. */
  async function prepare(ofRound: number, place: number) {
    const { client, before, steps } = turns.of(ofRound)[place];
    const rows = rowsOf[client];
    const indices = new Int32Array(steps * rows);
    const weights = new Float32Array(indices.length);
    for (let step = 0; step < steps; step++)
      fill(orders[client](before + step), rows, step, indices, weights);
    const samples = clientIndices[client];
    const left = samples.length - new Set(indices.subarray(0, rows)).size;
    const step = Math.min(ROW_STEP, rows);
    const remaining = remainingBatches(Math.ceil(left / step) * step, rows, options);
    const others = remaining && remainingSamples([{ samples, offset: 0 }], { indices, rows }, remaining);
    return {
      ...(await readBatches(windows, { indices, weights }, others)),
      sizes: { rows, steps, remaining },
    };
  }
  let upcoming: ReturnType<typeof prepare> | undefined;

  /** What the participant after this one needs, who may be the first of the next round. */
  function prepareAfter(place: number): typeof upcoming {
    if (place + 1 < chosen) return prepare(round, place + 1);
    return turns.isForeseeable && round + 1 < options.rounds ? prepare(round + 1, 0) : undefined;
  }

  /** Takes the local steps of a participant, and returns its new vectors. */
  async function takeSteps(place: number): Promise<ClientVectors> {
    const one = turns.of(round)[place];
    const { held, inputs: batches, sizes } = await (upcoming ?? prepare(round, place));
    const { executable, give } = await programFor(sizes);
    give(held);
    const running = executable.run({
      ...batches,
      ...coefficients([one.before], one.steps, options),
      ...clientCoefficients(round, [one], options),
      [PARAMETERS]: parameters,
      ...Object.fromEntries(ofServer.map((name, i) => [serverInput(name), server[i]])),
      ...Object.fromEntries(names.map((name) => [clientInput(name), vectors.of(name, one.client)])),
    });
    upcoming = prepareAfter(place); // while the backend is at work
    const out = await running;
    part(local, place).set(out.local);
    return Object.fromEntries(names.map((name) => [name, float32(out[newValue(clientInput(name))])]));
  }

  /** The server's update, and the mean of vectors that are averaged. */
  async function aggregate(after: readonly ClientVectors[]): Promise<void> {
    const present = turns.of(round);
    const ofStepped = [...averaged, ...ofStrategy].map((name) => [
      stepped(name),
      joinedVectors(after.map((own) => own[name])),
    ]);
    const ofBefore = ofStrategy.map((name) => [
      clientInput(name),
      joinedVectors(present.map(({ client }) => vectors.of(name, client))),
    ]);
    const found = await inFloat64(aggregation, {
      ...{ local, [PARAMETERS]: parameters },
      [INPUTS.shares]: Float64Array.from(present, ({ share }) => share),
      [INPUTS.allShares]: Float64Array.from(present, ({ weight }) => weight),
      ...clientCoefficients(round, present, options),
      ...serverCoefficients(round, options),
      ...Object.fromEntries([...ofStepped, ...ofBefore]),
      ...Object.fromEntries(ofServer.map((name, i) => [serverInput(name), server[i]])),
    });
    const means = Object.fromEntries(
      averaged.map((name) => [name, float32(found[newValue(clientInput(name))])]),
    );
    parameters = float32(found[newValue(PARAMETERS)]);
    mean = float32(found.mean);
    server = ofServer.map((name) => float32(found[newValue(serverInput(name))]));
    for (const [place, { client, share }] of present.entries())
      if (share > 0)
        // who leaves keeps what it had
        for (const name of names) vectors.keep(name, client, means[name] ?? after[place][name]);
  }

  /** D_loc, sum_k p_k ||theta_k - mean||^2, about the mean in float32: recorded results have the bits of this order. */
  async function dispersion(): Promise<number> {
    let total = 0;
    for (const [place, { share }] of turns.of(round).entries()) {
      const { square } = await inFloat64(distance, { local: part(local, place), average: mean });
      total += share * square[0];
    }
    return total;
  }

  /** How far each participant moved from where it started. */
  async function measuredUpdates(starts: readonly Float32Array[]): Promise<readonly ClientUpdate[]> {
    const present = turns.of(round);
    const found = await inFloat64(updatesProgram(chosen, count, hooks.updatePairs ? "pairs" : true), {
      ...{ local, starts: joinedVectors(starts) },
      [INPUTS.shares]: Float64Array.from(present, ({ share }) => share),
    });
    return clientUpdates(found, [present])[0];
  }

  return {
    async next(measure) {
      if (!turns.isForeseeable) await askedLosses([turns], [parameters], hooks);
      const starts = measure
        ? turns
            .of(round)
            .map(({ client }) => startOf(parameters, hasOwn ? vectors.of(OWN, client) : undefined))
        : [];
      const after: ClientVectors[] = [];
      for (let place = 0; place < chosen; place++) after.push(await takeSteps(place));
      await aggregate(after);
      const found = measure ? await dispersion() : 0;
      if (measure) updates = await measuredUpdates(starts);
      round++;
      return [found];
    },
    updates: () => [updates],
    parameters: () => [parameters.slice()],
    states() {
      const { clients, partial } = vectors.state();
      return [
        {
          round,
          server: {
            parameters: parameters.slice(),
            ...Object.fromEntries(ofServer.map((name, i) => [name, server[i].slice()])),
          },
          clients: { ...clients, ...(!turns.isForeseeable && { [STEPS]: turns.steps() }) },
          ...(partial && { partial }),
        },
      ];
    },
    vectors: (name) => [(client) => vectors.of(name, client)],
    async close() {
      for (const { executable } of programs.values()) await executable.close();
    },
  };
}

type BatchSizes = Pick<Steppers, "steps" | "rows" | "remaining">;

/** Vectors of a client by name. */
type ClientVectors = Readonly<Record<string, Float32Array>>;

/** Runs a small program by the reference backend, with those of the inputs that it has; its values of float64 do not stay in memory. */
async function inFloat64(program: Program, inputs: Readonly<Record<string, InputValues>>) {
  const executable = await referenceBackend.compile(program);
  const known = Object.entries(inputs).filter(([name]) => program.inputs.has(name));
  try {
    return await executable.run(Object.fromEntries(known));
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
