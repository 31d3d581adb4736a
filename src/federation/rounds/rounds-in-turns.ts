import { type Backend, filled, type InputValues } from "../../engine/backend.js";
import type { Training } from "../../models/trainable-model.js";
import { dataOrder } from "../data-order.js";
import { hold, unlessHeld } from "../held-inputs.js";
import { askedLosses, type Participant, participants } from "../participation/participants.js";
import type { Replica } from "../replicas/replicas.js";
import type { ReplicaData } from "../replicas/replicas-data.js";
import { joinedVectors, STEPS, vectorOf } from "../trainer-state.js";
import { type ClientUpdate, clientUpdates } from "./client-updates.js";
import { clientVectors, serverVectors } from "./client-vectors.js";
import { keptVectors } from "./kept-vectors.js";
import { remainingSamples } from "./remaining-samples.js";
import { readBatches } from "./round-batches.js";
import {
  clientCoefficients,
  clientInput,
  coefficients,
  INPUTS,
  newValue,
  PARAMETERS,
  serverCoefficients,
  serverInput,
} from "./round-program.js";
import { chosenInRound, parts, programOfRound, sizesOfRound } from "./round-sizes.js";
import type { RoundHooks, Rounds } from "./rounds.js";
import { updateMeter } from "./update-meter.js";

/**
 * Rounds in which clients take turns, leave, or take different numbers of steps: one program has a place for each
 * participant, so that its cost follows their number. The vectors of all clients stay here, and those of the participants
 * travel.
 */
export async function roundsInTurns(
  replicas: readonly Replica[],
  data: Pick<ReplicaData, "training" | "train">,
  backend: Backend,
  hooks: RoundHooks = {},
): Promise<Rounds> {
  const [{ options, start }] = replicas;
  const { rows, steps, remaining, clients } = sizesOfRound(replicas);
  const names = clientVectors(options);
  const ofServer = ["parameters", ...serverVectors(options)];
  const windows = data.training(chosenInRound(replicas));
  const program = programOfRound(replicas, windows.shape, backend);
  const executable = await filled(await backend.compile(program, options), (it) => {
    hold(it, windows.shape);
    for (const name of ofServer)
      it.write(serverInput(name), joinedVectors(replicas.map((one) => vectorOf(one.start.server, name))));
  });
  const give = unlessHeld<Training>((training) => hold(executable, training));
  const turns = replicas.map(({ problem, options: own, start: { round, clients } }) =>
    participants(problem, own, clients[STEPS] && { round, steps: clients[STEPS] }),
  );
  const [{ isForeseeable }] = turns;
  const orders = replicas.map(({ problem, options: own }) =>
    problem.clientIndices.map((samples, client) => dataOrder(samples, { ...own, client })),
  );
  const kept = replicas.map(({ problem, start: from }) => keptVectors(names, from, problem.weights.length));
  const size = vectorOf(start.server, "parameters").length;
  /** The participants' vectors, in turns: new arrays for every round would keep the garbage collector busy. */
  const places = replicas.length * clients;
  const travelling = names.map(() => [0, 1].map(() => new Float32Array(places * size)));

  /** Batches [steps, participants of all replicas, rows]; those with fewer samples are filled up at weight zero. */
  function prepare(ofRound: number) {
    const chosen = turns.flatMap((turn, replica) =>
      turn.of(ofRound).map((own) => ({
        ...{ ...own, order: orders[replica][own.client], offset: data.train.starts[replica] },
        samples: replicas[replica].problem.clientIndices[own.client],
      })),
    );
    const indices = new Int32Array(steps * chosen.length * rows);
    const weights = new Float32Array(indices.length);
    for (let step = 0, at = 0; step < steps; step++)
      for (const { order, before, steps: own, offset } of chosen) {
        const batch = order(before + Math.min(step, own - 1));
        for (let i = 0; i < rows; i++) indices[at + i] = offset + (i < batch.length ? batch[i] : batch[0]);
        weights.fill(1 / batch.length, at, at + batch.length);
        at += rows;
      }
    const left = remaining && remainingSamples(chosen, { indices, rows }, remaining);
    return readBatches(windows, { indices, weights }, left);
  }

  /** What a round needs to know of its participants. */
  function inputsOf(ofRound: number) {
    const present = turns.map((turn) => turn.of(ofRound));
    const chosen = present.flat();
    const vectors = names.map((name, i) => {
      const joint = travelling[i][ofRound % 2];
      let at = 0;
      for (const [replica, own] of present.entries())
        for (const { client } of own) {
          joint.set(kept[replica].of(name, client), at);
          at += size;
        }
      return [clientInput(name), joint];
    });
    const before = chosen.map((one) => one.before);
    const inputs: Record<string, InputValues> = {
      [INPUTS.shares]: Float64Array.from(chosen, ({ share }) => share),
      [INPUTS.allShares]: Float64Array.from(chosen, ({ weight }) => weight),
      ...(program.inputs.has(INPUTS.active) && { [INPUTS.active]: activeSteps(chosen, steps) }),
      ...coefficients(before, steps, options),
      ...clientCoefficients(ofRound, chosen, options),
      ...serverCoefficients(ofRound, options),
      ...Object.fromEntries(vectors),
    };
    return Object.fromEntries(Object.entries(inputs).filter(([name]) => program.inputs.has(name)));
  }

  const meter = updateMeter(replicas, backend, hooks);
  let { round } = start;
  let updates: readonly (readonly ClientUpdate[])[] = replicas.map(() => []);
  let upcoming: ReturnType<typeof prepare> | undefined = isForeseeable ? prepare(round) : undefined;
  const read = (input: string) => parts(executable.read(input), replicas.length);

  return {
    async next(measure) {
      if (!isForeseeable) await askedLosses(turns, read(PARAMETERS), hooks);
      const { held, inputs: batches } = await (upcoming ?? prepare(round));
      give(held);
      const present = turns.map((turn) => turn.of(round));
      const inputs = { ...batches, ...inputsOf(round) };
      if (measure && meter) updates = clientUpdates(await meter.measure(executable, held, inputs), present);
      const running = executable.run(inputs);
      // While the backend is at work.
      upcoming = isForeseeable && round + 1 < options.rounds ? prepare(round + 1) : undefined;
      const found = await running;
      if (measure && !meter) updates = clientUpdates(found, present);
      for (const name of names)
        present
          .flatMap((own, replica) => own.map((one) => ({ ...one, vectors: kept[replica] })))
          .forEach(({ client, share, vectors }, place) => {
            // Who leaves keeps what it had.
            if (share > 0)
              vectors.copy(
                name,
                client,
                found[newValue(clientInput(name))].subarray(place * size, (place + 1) * size),
              );
          });
      round++;
      // States are float32 whatever the backend computes in, so that a saved one is complete.
      if (found.dispersion instanceof Float64Array)
        for (const input of ofServer.map(serverInput))
          executable.write(input, Float32Array.from(executable.read(input)));
      return found.dispersion;
    },
    updates: () => updates,
    parameters: () => read(PARAMETERS),
    states: () =>
      replicas.map((_, i) => {
        const { clients: vectors, partial } = kept[i].state();
        return {
          round,
          server: Object.fromEntries(ofServer.map((name) => [name, read(serverInput(name))[i]])),
          clients: { ...vectors, ...(!isForeseeable && { [STEPS]: turns[i].steps() }) },
          ...(partial && { partial }),
        };
      }),
    vectors: (name) => kept.map((own) => (client: number) => own.of(name, client)),
    async close() {
      await meter?.close();
      await executable.close();
    },
  };
}

/** 1 where a participant takes a step and 0 where it does not, [steps, participants]. */
function activeSteps(chosen: readonly Pick<Participant, "steps">[], steps: number): Float32Array {
  return Float32Array.from({ length: steps * chosen.length }, (_, i) =>
    Math.floor(i / chosen.length) < chosen[i % chosen.length].steps ? 1 : 0,
  );
}
