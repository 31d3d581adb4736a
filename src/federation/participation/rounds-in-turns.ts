import { type Backend, filled } from "../../engine/backend.js";
import type { Training } from "../../models/trainable-model.js";
import { dataOrder } from "../data-order.js";
import { hold, unlessHeld } from "../held-inputs.js";
import type { Replica } from "../replicas.js";
import type { ReplicaData } from "../replicas-data.js";
import {
  clientInput,
  coefficients,
  newValue,
  PARAMETERS,
  serverCoefficients,
  serverInput,
} from "../round-program.js";
import { chosenInRound, largestBatch, parts, programOfRound } from "../round-sizes.js";
import type { Rounds } from "../rounds.js";
import {
  clientVectors,
  joinedVectors,
  serverVectors,
  stepsTaken,
  type Vectors,
  vectorOf,
} from "../trainer-state.js";
import { participants, sharesOf } from "./participants.js";

/**
 * Rounds in which some clients take part: one program has a place for each participant, so that its cost follows their
 * number. The vectors of all clients stay here, and those of the participants travel.
 */
export async function roundsInTurns(
  replicas: readonly Replica[],
  data: Pick<ReplicaData, "training" | "train">,
  backend: Backend,
): Promise<Rounds> {
  const [{ options, start }] = replicas;
  const rows = largestBatch(replicas);
  const names = clientVectors(options);
  const ofServer = ["parameters", ...serverVectors(options)];
  const windows = data.training(chosenInRound(replicas));
  const executable = await filled(
    await backend.compile(programOfRound(replicas, windows.shape, backend), options),
    (it) => {
      hold(it, windows.shape);
      for (const name of ofServer)
        it.write(serverInput(name), joinedVectors(replicas.map((one) => vectorOf(one.start.server, name))));
    },
  );
  const give = unlessHeld<Training>((training) => hold(executable, training));
  const turns = replicas.map((one) => participants(one.problem.weights.length, one.options));
  const present = (ofRound: number) => turns.map((turn) => turn(ofRound));
  const orders = replicas.map(({ problem, options: own }) =>
    problem.clientIndices.map((samples, client) => dataOrder(samples, { ...own, client })),
  );
  const kept: readonly Vectors[] = replicas.map((one) =>
    Object.fromEntries(names.map((name) => [name, vectorOf(one.start.clients, name).slice()])),
  );
  const size = vectorOf(start.server, "parameters").length;
  const part = (vectors: Vectors, name: string, client: number) =>
    vectors[name].subarray(client * size, (client + 1) * size);

  /** Batches [steps, participants of all replicas, rows]; those with fewer samples are filled up at weight zero. */
  function prepare(ofRound: number) {
    const chosen = present(ofRound).flatMap((own, replica) =>
      own.map(({ client, before }) => ({
        order: orders[replica][client],
        first: stepsTaken(before, options),
        offset: data.train.starts[replica],
      })),
    );
    const indices = new Int32Array(options.localSteps * chosen.length * rows);
    const weights = new Float32Array(indices.length);
    for (let step = 0, at = 0; step < options.localSteps; step++)
      for (const { order, first, offset } of chosen) {
        const batch = order(first + step).map((sample) => sample + offset);
        indices.fill(batch[0], at, at + rows).set(batch, at);
        weights.fill(1 / batch.length, at, at + batch.length);
        at += rows;
      }
    return { weights, window: windows.read(indices) };
  }

  /** What a round needs to know of its participants. */
  function inputsOf(ofRound: number) {
    const chosen = present(ofRound);
    const shares = chosen.flatMap((own, replica) => [
      ...sharesOf(replicas[replica].problem.weights, own, options),
    ]);
    const vectors = names.map((name) => [
      clientInput(name),
      joinedVectors(
        chosen.flatMap((own, replica) => own.map(({ client }) => part(kept[replica], name, client))),
      ),
    ]);
    const before = chosen.flat().map((one) => one.before);
    return {
      shares: Float64Array.from(shares),
      ...coefficients(before, options),
      ...serverCoefficients(ofRound, options),
      ...Object.fromEntries(vectors),
    };
  }

  let { round } = start;
  let upcoming: ReturnType<typeof prepare> | undefined = prepare(round);
  const read = (input: string) => parts(executable.read(input), replicas.length);

  return {
    async next() {
      const { weights, window } = upcoming ?? prepare(round);
      const { held, indices } = await window;
      give(held);
      const running = executable.run({ indices, weights, ...inputsOf(round) });
      upcoming = round + 1 < options.rounds ? prepare(round + 1) : undefined; // while the backend is at work
      const found = await running;
      for (const name of names)
        present(round)
          .flatMap((own, replica) => own.map(({ client }) => part(kept[replica], name, client)))
          .forEach((own, place) => {
            own.set(found[newValue(clientInput(name))].subarray(place * size, (place + 1) * size));
          });
      round++;
      // States are float32 whatever the backend computes in, so that a saved one is complete.
      if (found.dispersion instanceof Float64Array)
        for (const input of ofServer.map(serverInput))
          executable.write(input, Float32Array.from(executable.read(input)));
      return found.dispersion;
    },
    parameters: () => read(PARAMETERS),
    states: () =>
      replicas.map((_, i) => ({
        round,
        server: Object.fromEntries(ofServer.map((name) => [name, read(serverInput(name))[i]])),
        clients: Object.fromEntries(names.map((name) => [name, kept[i][name].slice()])),
      })),
    close: () => executable.close(),
  };
}
