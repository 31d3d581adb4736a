import { OptionError } from "../../errors.js";
import { stream } from "../../random/stream.js";
import type { Federation } from "../federation.js";
import { PARTICIPATION_WORDS } from "../federation-options.js";
import type { RoundHooks } from "../rounds/rounds.js";
import type { RunOptions } from "../run-options.js";
import type { Samples } from "../samples/stored-samples.js";
import { hasOwnSteps, type StepOptions, stepsInRound } from "./local-steps-taken.js";
import type { Participant } from "./participant.js";
import { type Chosen, SAMPLERS } from "./samplers.js";
import { isDrawnBySize } from "./sampling.js";

export type { Participant } from "./participant.js";

export type ParticipationOptions = StepOptions &
  Pick<RunOptions, "participation" | "sampling" | "candidates" | "dropout" | "weights">;

/** The clients of a run, as far as choosing among them needs them. */
export type ClientsToChoose = Pick<Federation<Samples>, "weights"> & {
  readonly clientIndices: readonly { readonly length: number }[];
  readonly measured?: Pick<Federation["measured"], "diagnostics">;
};

/** How many clients take part in a round: a share below 1 is rounded, and at least one client takes part. */
export function participantCount(
  clients: number,
  { participation }: Pick<RunOptions, "participation">,
): number {
  if (participation === undefined) return clients;
  return participation < 1 ? Math.max(1, Math.round(participation * clients)) : participation;
}

/** Whether clients take turns or do different things, so that a round must say who does what. */
export function isPartial(clients: number, options: ParticipationOptions): boolean {
  return participantCount(clients, options) < clients || (options.dropout ?? 0) > 0 || hasOwnSteps(options);
}

/** Refuses a participation that is no number of clients, and what makes no sense with it. */
export function checkParticipation(
  options: Pick<RunOptions, "clients"> &
    Pick<ParticipationOptions, "participation" | "sampling" | "candidates" | "weights">,
): void {
  const { clients, participation, sampling = "uniform", candidates } = options;
  if (isDrawnBySize(sampling) && options.weights !== "uniform")
    throw new OptionError(
      `sampling ${sampling} draws clients by size: weights by size would count it twice; leave weights out`,
    );
  if (sampling !== "power-of-choice" && candidates !== undefined)
    throw new OptionError(`candidates belong to the sampling power-of-choice, not to ${sampling}`);
  if (participation === undefined) {
    if (sampling !== "uniform")
      throw new OptionError(`sampling ${sampling} chooses among clients: say how many with participation`);
    return;
  }
  if (participation === 1)
    throw new OptionError(
      `participation 1 is one client or all of them: write ${clients} for all, or ${oneOf(clients)} for one of ${clients}`,
    );
  if (participation > 1 && !Number.isInteger(participation))
    throw new OptionError(`participation is ${PARTICIPATION_WORDS}, not ${participation}`);
  if (participation > clients)
    throw new OptionError(`participation is ${participation}, but there are ${clients} clients`);
  const count = participantCount(clients, options);
  if (candidates !== undefined && (candidates < count || candidates > clients))
    throw new OptionError(
      `candidates are from ${count}, who take part, to all ${clients} clients, not ${candidates}`,
    );
}

/** The share of one client, as few digits as say so. */
const oneOf = (clients: number): number => Number((1 / clients).toPrecision(2));

/** Who takes part in each round. */
export interface Turns {
  /** Participants of a round, ascending. Rounds are asked for in order; a resumed run counts from the first one again. */
  of(round: number): readonly Participant[];
  /** Whether a round's participants can be told before the round before it has ended. */
  readonly isForeseeable: boolean;
  /** Clients whose losses decide on the participants of the next round, where these cannot be foreseen. */
  asks(): readonly number[];
  /** Chooses the participants of the next round by these losses, one for each client. */
  choose(losses: ArrayLike<number>): void;
  /** Steps that every client has taken in rounds that were chosen by losses, for the saved state. */
  steps(): Float32Array;
}

/** Whether a run must ask clients for their losses, and so remember the steps of each. */
export function asksForLosses(clients: number, options: ParticipationOptions): boolean {
  const { sampling = "uniform" } = options;
  return SAMPLERS[sampling].asks !== undefined && participantCount(clients, options) < clients;
}

/**
 * Participants of a run. Who is drawn, who leaves and who takes how many steps depends on seed and round, so that all
 * strategies and alphas see the same clients in the same rounds; unless the sampling asks for sizes, solutions or losses.
 *
 * @param start the round and the clients' steps that a run goes on from, where its participants cannot be foreseen
 */
export function participants(
  clients: ClientsToChoose,
  options: ParticipationOptions,
  start?: { readonly round: number; readonly steps: ArrayLike<number> },
): Turns {
  const { weights, clientIndices } = clients;
  const { seed, dropout = 0, sampling = "uniform", weights: rule } = options;
  const all = weights.length;
  const count = participantCount(all, options);
  const sampler = SAMPLERS[sampling];
  const needsLosses = asksForLosses(all, options);
  const counted = rule === "uniform" ? new Float64Array(all).fill(1 / all) : weights;
  const among = { weights, counted, distances: () => distancesOf(clients) };
  const numbers = { count, candidates: options.candidates ?? Math.min(all, 2 * count) };
  const draw = count < all ? sampler.draw(among, numbers) : undefined;
  const asked = sampler.asks?.(among, numbers);
  const ofRound = (round: number) => stream(seed, "participants", round);
  const stepsOf = stepsInRound(clientIndices, options);
  const isWhole = !isPartial(all, options);
  const taken = needsLosses && start ? Float32Array.from(start.steps) : new Float32Array(all);
  const first = needsLosses && start ? start.round : 0;
  const known: (readonly Participant[])[] = [];

  function next(losses?: ArrayLike<number>): void {
    const round = first + known.length;
    const chosen: readonly Chosen[] = draw
      ? [...draw(ofRound(round), losses)].sort((a, b) => a.client - b.client)
      : Array.from(weights, (_, client) => ({ client }));
    const present = dropout > 0 ? remaining(chosen, seed, round, dropout) : chosen;
    const shares = sharesOf(weights, present, { weights: rule });
    const isPresent = new Map(present.map((one, i) => [one.client, shares[i]]));
    known.push(
      chosen.map(({ client }) => {
        const share = isPresent.get(client);
        const steps = stepsOf(round, client);
        const before = taken[client];
        if (share !== undefined) taken[client] += steps;
        return {
          client,
          before,
          steps,
          share: share ?? 0,
          weight: share === undefined ? 0 : counted[client],
        };
      }),
    );
  }

  const whole = isWhole
    ? sharesOf(
        weights,
        Array.from(weights, (_, client) => ({ client })),
        { weights: rule },
      )
    : [];
  return {
    of(round) {
      if (isWhole)
        return Array.from(whole, (share, client) => {
          const steps = stepsOf(round, client);
          return { client, before: round * steps, steps, share, weight: share };
        });
      if (!needsLosses) while (known.length <= round) next();
      return known[round - first];
    },
    isForeseeable: !needsLosses,
    asks: () => asked?.(ofRound(first + known.length)) ?? [],
    choose: next,
    steps: () => taken.slice(),
  };
}

/** Those of the chosen clients whose update arrives: each leaves with the given probability, but one always stays. */
function remaining(
  chosen: readonly Chosen[],
  seed: number,
  round: number,
  dropout: number,
): readonly Chosen[] {
  const luck = chosen.map(({ client }) => stream(seed, "dropout", round, client).uniform());
  const best = Math.max(...luck);
  return chosen.filter((_, i) => luck[i] >= dropout || luck[i] === best);
}

function distancesOf({ measured }: ClientsToChoose): Float64Array {
  if (!measured) throw new OptionError("stratified sampling needs a partition that was measured");
  return measured.diagnostics.distances;
}

/** Weights of participants in the average: by the samples that they stand for, or all alike. They sum to 1. */
export function sharesOf(
  weights: Float64Array,
  chosen: readonly Chosen[],
  { weights: rule }: Pick<RunOptions, "weights">,
): Float64Array {
  const isUniform = rule === "uniform";
  if (!isUniform && chosen.length === weights.length) return weights;
  const own = Float64Array.from(
    chosen,
    ({ client, standsFor }) => standsFor ?? (isUniform ? 1 : weights[client]),
  );
  const total = own.reduce((a, b) => a + b, 0);
  return own.map((weight) => weight / total);
}

/** Asks for the losses that decide on the participants of the next round, and chooses them. */
export async function askedLosses(
  turns: readonly Turns[],
  parameters: readonly Float32Array[],
  { losses }: RoundHooks,
): Promise<void> {
  if (!losses) throw new OptionError("sampling by losses needs a trainer that measures them");
  const found = await losses(
    parameters,
    turns.map((turn) => turn.asks()),
  );
  for (const [i, turn] of turns.entries()) turn.choose(found[i]);
}
