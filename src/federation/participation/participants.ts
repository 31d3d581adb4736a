import { OptionError } from "../../errors.js";
import { shuffle } from "../../random/permutation.js";
import { stream } from "../../random/stream.js";
import type { RunOptions } from "../run-options.js";

/** A client that takes part in a round, and the rounds that it took part in before. */
export interface Participant {
  readonly client: number;
  readonly before: number;
}

/** How many clients take part in a round: a share below 1 is rounded, and at least one client takes part. */
export function participantCount(
  clients: number,
  { participation }: Pick<RunOptions, "participation">,
): number {
  if (participation === undefined) return clients;
  return participation < 1 ? Math.max(1, Math.round(participation * clients)) : participation;
}

/** Refuses a participation that is no number of clients. */
export function checkParticipation({
  clients,
  participation,
}: Pick<RunOptions, "clients" | "participation">): void {
  if (participation === undefined) return;
  if (participation === 1)
    throw new OptionError(
      `participation 1 is one client or all of them: leave it out for all, or write ${1 / clients} for one of ${clients}`,
    );
  if (participation > 1 && !Number.isInteger(participation))
    throw new OptionError(
      `participation is a share below 1 or a number of clients from 2 on, not ${participation}`,
    );
  if (participation > clients)
    throw new OptionError(`participation is ${participation}, but there are ${clients} clients`);
}

/**
 * Who takes part in a round, ascending. The draw depends on seed and round alone, so that all strategies and alphas see the
 * same clients in the same rounds. Rounds are asked for in order; a resumed run counts from the first one again.
 */
export function participants(
  clients: number,
  options: Pick<RunOptions, "participation" | "seed">,
): (round: number) => readonly Participant[] {
  const { seed } = options;
  const count = participantCount(clients, options);
  if (count === clients)
    return (round) => Array.from({ length: clients }, (_, client) => ({ client, before: round }));
  const taken = new Int32Array(clients);
  const known: (readonly Participant[])[] = [];
  return (round) => {
    while (known.length <= round) {
      const all = Int32Array.from({ length: clients }, (_, client) => client);
      const chosen = shuffle(stream(seed, "participants", known.length), all)
        .subarray(0, count)
        .sort();
      known.push(Array.from(chosen, (client) => ({ client, before: taken[client]++ })));
    }
    return known[round];
  };
}

/** Weights of participants in the average: by their samples, or all alike. They sum to 1. */
export function sharesOf(
  weights: Float64Array,
  chosen: readonly Pick<Participant, "client">[],
  { weights: rule }: Pick<RunOptions, "weights">,
): Float64Array {
  if (rule === "uniform") return new Float64Array(chosen.length).fill(1 / chosen.length);
  if (chosen.length === weights.length) return weights;
  const own = Float64Array.from(chosen, ({ client }) => weights[client]);
  const total = own.reduce((a, b) => a + b, 0);
  return own.map((weight) => weight / total);
}
