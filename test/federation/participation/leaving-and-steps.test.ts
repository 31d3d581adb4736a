import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { mostStepsOf } from "../../../src/federation/participation/local-steps-taken.js";
import {
  type Participant,
  type ParticipationOptions,
  participants,
} from "../../../src/federation/participation/participants.js";

const clientsOf = (sizes: readonly number[]) => {
  const total = sizes.reduce((a, b) => a + b, 0);
  return {
    weights: Float64Array.from(sizes, (size) => size / total),
    clientIndices: sizes.map((size) => new Int32Array(size)),
  };
};
const STEPS = { localSteps: 3, batch: 4, seed: 3 };
const roundsOf = (
  sizes: readonly number[],
  options: Partial<ParticipationOptions>,
  rounds: number,
): (readonly Participant[])[] => {
  const turns = participants(clientsOf(sizes), { ...STEPS, ...options });
  return Array.from({ length: rounds }, (_, round) => turns.of(round));
};
const stays = ({ share }: Participant) => share > 0;
const mean = (values: readonly number[]) => values.reduce((a, b) => a + b, 0) / values.length;
const EIGHT = [4, 8, 12, 4, 20, 4, 8, 4];

const uneven = fc.record({
  sizes: fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 3, maxLength: 8 }),
  seed: fc.nat(999),
  dropout: fc.constantFrom(0, 0.3, 0.9),
  weights: fc.constantFrom("size" as const, "uniform" as const),
  participation: fc.constantFrom(undefined, 2, 3),
  steps: fc.constantFrom({ localSteps: 5 }, { localSteps: 5, localStepsMin: 2 }, { localEpochs: 2 }),
});

describe("participants who leave", () => {
  it("are as many as the probability says: within four standard deviations in 4,000 rounds", () => {
    for (const dropout of [0.1, 0.3, 0.7]) {
      const left = roundsOf(EIGHT, { dropout }, 4000).map(
        (round) => round.filter((one) => !stays(one)).length,
      );
      // One client stays where all eight would have left.
      const expected = 8 * dropout - dropout ** 8;
      expect(Math.abs(mean(left) - expected)).toBeLessThan(
        4 * Math.sqrt((8 * dropout * (1 - dropout)) / 4000),
      );
    }
  });

  it("are every client as often", () => {
    const left = new Array<number>(8).fill(0);
    for (const round of roundsOf(EIGHT, { dropout: 0.3 }, 4000))
      for (const one of round) if (!stays(one)) left[one.client]++;
    for (const count of left) expect(Math.abs(count - 1200)).toBeLessThan(4 * Math.sqrt(4000 * 0.3 * 0.7));
  });

  it("are never all: one stays, also of two that nearly always leave", () => {
    for (const options of [{ dropout: 0.999 }, { dropout: 0.999, participation: 2 }])
      for (const round of roundsOf(EIGHT, options, 300)) {
        expect(round).toHaveLength(options.participation ?? 8);
        expect(round.filter(stays).length).toBeGreaterThanOrEqual(1);
      }
    // Who stays then is not always the same one.
    const stayed = roundsOf(EIGHT, { dropout: 0.999 }, 300).map((round) => round.find(stays)!.client);
    expect(new Set(stayed).size).toBe(8);
  });

  it("have no weight, and the others' shares sum to 1 by samples or uniformly", () => {
    fc.assert(
      fc.property(uneven, ({ sizes, steps, ...options }) => {
        const total = sizes.reduce((a, b) => a + b, 0);
        for (const round of roundsOf(sizes, { ...options, ...steps }, 6)) {
          const there = round.filter(stays);
          expect(there.reduce((sum, { share }) => sum + share, 0)).toBeCloseTo(1, 12);
          const sum = there.reduce((all, { client }) => all + sizes[client], 0);
          for (const { client, share, weight } of round) {
            const isThere = share > 0;
            const isUniform = options.weights === "uniform";
            if (isThere) expect(share).toBeCloseTo(isUniform ? 1 / there.length : sizes[client] / sum, 12);
            expect(weight).toBeCloseTo(
              !isThere ? 0 : isUniform ? 1 / sizes.length : sizes[client] / total,
              12,
            );
          }
        }
      }),
    );
  });

  it("are the same whatever the clients' data, batches and weights, which alpha and options change", () => {
    const who = (sizes: readonly number[], options: Partial<ParticipationOptions> = {}) =>
      roundsOf(sizes, { participation: 5, dropout: 0.4, ...options }, 40).map((round) =>
        round.map((one) => [one.client, stays(one)]),
      );
    const expected = who(EIGHT);
    expect(who([...EIGHT].reverse())).toEqual(expected);
    expect(who([30, 1, 1, 1, 1, 1, 1, 1], { batch: 7, localSteps: 9 })).toEqual(expected);
    expect(who(EIGHT, { weights: "uniform" })).toEqual(expected);
    expect(who(EIGHT, { localEpochs: 2 })).toEqual(expected);
    expect(who(EIGHT, { seed: 4 })).not.toEqual(expected);
  });

  it("at a small probability leave at a larger one too, since the draw is the same", () => {
    const left = (dropout: number) =>
      roundsOf(EIGHT, { dropout }, 200).map((round) =>
        round.filter((one) => !stays(one)).map((one) => one.client),
      );
    const [few, many] = [left(0.2), left(0.5)];
    for (const [round, clients] of few.entries())
      for (const client of clients) expect(many[round]).toContain(client);
  });
});

describe("stragglers", () => {
  const steps = (options: Partial<ParticipationOptions>, rounds = 2000) =>
    roundsOf(EIGHT, { localSteps: 6, localStepsMin: 2, ...options }, rounds).map((round) =>
      round.map((one) => one.steps),
    );

  it("take from the smallest to the largest number of steps, each as often", () => {
    const counts = new Map<number, number>();
    for (const taken of steps({}).flat()) counts.set(taken, (counts.get(taken) ?? 0) + 1);
    expect([...counts.keys()].sort((a, b) => a - b)).toEqual([2, 3, 4, 5, 6]);
    for (const count of counts.values())
      expect(Math.abs(count - 16_000 / 5)).toBeLessThan(4 * Math.sqrt(16_000 * 0.2 * 0.8));
  });

  it("are drawn anew in every round and for every client", () => {
    const [first, second] = steps({}, 2);
    expect(first).not.toEqual(second);
    expect(new Set(first).size).toBeGreaterThan(1);
    const ofClient = steps({}, 50).map(([one]) => one);
    expect(new Set(ofClient).size).toBe(5);
  });

  it("take as many steps whoever takes part", () => {
    const all = steps({}, 30);
    for (const [round, some] of roundsOf(
      EIGHT,
      { localSteps: 6, localStepsMin: 2, participation: 3 },
      30,
    ).entries())
      for (const { client, steps: taken } of some) expect(taken).toBe(all[round][client]);
  });

  it("are none where the smallest number is the largest", () => {
    for (const round of steps({ localStepsMin: 6 }, 20)) expect(new Set(round)).toEqual(new Set([6]));
  });
});

describe("epochs", () => {
  it.each([
    [{ localEpochs: 1, batch: 4 }, [1, 1, 1, 2, 3]],
    [{ localEpochs: 3, batch: 4 }, [3, 3, 3, 6, 9]],
    [{ localEpochs: 2, batch: 1 }, [2, 6, 8, 10, 24]],
    [{ localEpochs: 2, batch: 100 }, [2, 2, 2, 2, 2]],
  ])(
    "are ceil(n / batch) steps each: clients of 1, 3, 4, 5 and 12 samples with %j take %j",
    (options, steps) => {
      const [round] = roundsOf([1, 3, 4, 5, 12], options, 1);
      expect(round.map((one) => one.steps)).toEqual(steps);
    },
  );

  it("pass through each sample as often as there are epochs", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 99 }),
        fc.integer({ min: 1, max: 40 }),
        fc.integer({ min: 1, max: 5 }),
        (samples, batch, localEpochs) => {
          expect(mostStepsOf(samples, { localSteps: 7, localEpochs, batch })).toBe(
            localEpochs * Math.ceil(samples / batch),
          );
        },
      ),
    );
  });
});

describe("the steps that a client took before", () => {
  it("are those of its own rounds, without those in which it left", () => {
    fc.assert(
      fc.property(uneven, ({ sizes, steps, ...options }) => {
        const taken = sizes.map(() => 0);
        for (const round of roundsOf(sizes, { ...options, ...steps }, 10))
          for (const one of round) {
            expect(one.before).toBe(taken[one.client]);
            if (stays(one)) taken[one.client] += one.steps;
          }
      }),
    );
  });

  it("are counted again by a run that is resumed, which asks for a later round first", () => {
    fc.assert(
      fc.property(uneven, fc.integer({ min: 1, max: 9 }), ({ sizes, steps, ...options }, from) => {
        const all = roundsOf(sizes, { ...options, ...steps }, 10);
        const turns = participants(clientsOf(sizes), { ...STEPS, ...options, ...steps });
        for (let round = from; round < 10; round++) expect(turns.of(round)).toEqual(all[round]);
      }),
    );
  });
});
