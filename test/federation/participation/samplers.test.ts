import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { clustersOf } from "../../../src/federation/participation/client-clusters.js";
import {
  type ParticipationOptions,
  participants,
} from "../../../src/federation/participation/participants.js";
import { SAMPLERS } from "../../../src/federation/participation/samplers.js";
import { type Stream, stream } from "../../../src/random/stream.js";

const sum = (values: Iterable<number>) => Array.from(values).reduce((a, b) => a + b, 0);
const shares = (counts: readonly number[]) => Float64Array.from(counts, (count) => count / sum(counts));
const sampled = (weights: Float64Array, distances = new Float64Array(weights.length ** 2)) => ({
  ...{ weights, counted: weights },
  distances: () => distances,
});
/** Whether a number of successes in so many trials is within four standard deviations of what the probability says. */
const isLikely = (count: number, probability: number, trials: number) =>
  Math.abs(count - trials * probability) < 4 * Math.sqrt(trials * probability * (1 - probability)) + 1e-9;

const STEPS = { localSteps: 2, batch: 4, seed: 3 };
const turnsOf = (weights: Float64Array, options: Partial<ParticipationOptions>, distances?: Float64Array) =>
  participants(
    {
      ...{ weights, clientIndices: Array.from(weights, () => new Int32Array(8)) },
      ...(distances && { measured: { diagnostics: { distances } as never } }),
    },
    { ...STEPS, ...options },
  );

describe("sampling by size", () => {
  const weights = shares([1, 2, 3, 4]);
  const trials = 20_000;
  const draws = Array.from({ length: trials }, (_, round) =>
    SAMPLERS.size
      .draw(sampled(weights), { count: 2, candidates: 4 })(stream(1, "test", round))
      .map(({ client }) => client),
  );

  it("draws the first client with a probability proportional to its samples", () => {
    for (const [client, weight] of weights.entries())
      expect(isLikely(draws.filter(([first]) => first === client).length, weight, trials)).toBe(true);
  });

  it("draws the second among the others in the same way: p_i p_j / (1 - p_i)", () => {
    for (const [i, p] of weights.entries())
      for (const [j, q] of weights.entries()) {
        const found = draws.filter(([first, second]) => first === i && second === j).length;
        expect(isLikely(found, i === j ? 0 : (p * q) / (1 - p), trials)).toBe(true);
      }
  });

  it("draws each client at most once", () => {
    expect(draws.filter(([first, second]) => first === second)).toEqual([]);
  });

  it("draws clients of one size as uniform sampling does: each pair equally often", () => {
    for (const sampling of ["uniform", "size"] as const) {
      const turns = turnsOf(shares([5, 5, 5, 5]), { participation: 2, sampling });
      const pairs = new Map<string, number>();
      for (let round = 0; round < 6000; round++) {
        const pair = turns
          .of(round)
          .map(({ client }) => client)
          .join();
        pairs.set(pair, (pairs.get(pair) ?? 0) + 1);
      }
      expect(pairs.size).toBe(6);
      for (const count of pairs.values()) expect(isLikely(count, 1 / 6, 6000)).toBe(true);
    }
  });

  it("is another draw than uniform sampling", () => {
    const found = (sampling: "uniform" | "size") => {
      const turns = turnsOf(weights, { participation: 2, sampling });
      return Array.from({ length: 3000 }, (_, round) => turns.of(round))
        .flat()
        .filter(({ client }) => client === 0).length;
    };
    expect(found("size")).toBeLessThan(0.7 * found("uniform"));
  });
});

describe("power-of-choice", () => {
  const weights = shares([1, 2, 3, 4, 5, 6, 7, 8]);
  const options = { participation: 3, sampling: "power-of-choice", candidates: 5 } as const;
  /** Losses of the clients that were asked; of others there are none. */
  const asked = (candidates: readonly number[], lossOf: (client: number) => number) =>
    Float64Array.from(weights, (_, client) => (candidates.includes(client) ? lossOf(client) : Number.NaN));

  it("takes the largest losses among its candidates", () => {
    fc.assert(
      fc.property(
        fc.array(fc.double({ min: 0, max: 10, noNaN: true }), { minLength: 8, maxLength: 8 }),
        fc.nat(99),
        (losses, seed) => {
          const turns = turnsOf(weights, { ...options, seed });
          const candidates = turns.asks();
          turns.choose(asked(candidates, (client) => losses[client]));
          const chosen = turns.of(0).map(({ client }) => client);
          const best = [...candidates].sort((a, b) => losses[b] - losses[a] || a - b).slice(0, 3);
          expect(chosen).toEqual(best.sort((a, b) => a - b));
        },
      ),
    );
  });

  it("takes the first of candidates with equal losses", () => {
    const turns = turnsOf(weights, options);
    const candidates = [...turns.asks()].sort((a, b) => a - b);
    turns.choose(asked(candidates, () => 1));
    expect(turns.of(0).map(({ client }) => client)).toEqual(candidates.slice(0, 3));
  });

  it("asks candidates that depend on seed and round alone, and not on losses", () => {
    const asks = (seed: number, lossOf: (client: number) => number, resumed = 0) => {
      const turns = participants(
        { weights, clientIndices: Array.from(weights, () => new Int32Array(8)) },
        { ...STEPS, ...options, seed },
        resumed > 0 ? { round: resumed, steps: new Float32Array(8) } : undefined,
      );
      return Array.from({ length: 20 - resumed }, () => {
        const candidates = turns.asks();
        turns.choose(asked(candidates, lossOf));
        return candidates;
      });
    };
    const expected = asks(3, (client) => client);
    expect(asks(3, (client) => -client)).toEqual(expected);
    expect(asks(3, (client) => client, 7)).toEqual(expected.slice(7));
    expect(asks(4, (client) => client)).not.toEqual(expected);
    for (const candidates of expected) expect(new Set(candidates).size).toBe(5);
  });

  it("draws candidates by size", () => {
    const first = new Array<number>(8).fill(0);
    const asks = SAMPLERS["power-of-choice"].asks!(sampled(weights), { count: 2, candidates: 2 });
    for (let round = 0; round < 10_000; round++) first[asks(stream(2, "test", round))[0]]++;
    for (const [client, weight] of weights.entries())
      expect(isLikely(first[client], weight, 10_000)).toBe(true);
  });

  it("asks twice as many clients as take part unless told otherwise, and at most all", () => {
    expect(turnsOf(weights, { ...options, candidates: undefined }).asks()).toHaveLength(6);
    expect(turnsOf(weights, { ...options, candidates: undefined, participation: 6 }).asks()).toHaveLength(8);
  });

  it("has nothing to ask where all clients take part", () => {
    const turns = turnsOf(weights, { ...options, participation: 8 });
    expect(turns.isForeseeable).toBe(true);
    expect(turns.of(0)).toHaveLength(8);
  });

  it("counts the steps of each client, for the state that is saved", () => {
    const turns = turnsOf(weights, { ...options, localSteps: 4, localStepsMin: 1 });
    const taken = new Array<number>(8).fill(0);
    for (let round = 0; round < 30; round++) {
      turns.choose(asked(turns.asks(), (client) => Math.sin(client + round)));
      for (const { client, before, steps } of turns.of(round)) {
        expect(before).toBe(taken[client]);
        taken[client] += steps;
      }
      expect(Array.from(turns.steps())).toEqual(taken);
    }
  });
});

/** Random clients with distances between them, and a number of clusters. */
const clustered = fc
  .record({
    counts: fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 3, maxLength: 9 }),
    places: fc.array(
      fc.tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.double({ min: 0, max: 1, noNaN: true })),
      {
        ...{ minLength: 9, maxLength: 9 },
      },
    ),
    share: fc.double({ min: 0, max: 1, noNaN: true }),
  })
  .map(({ counts, places, share }) => {
    const own = places.slice(0, counts.length);
    const distances = Float64Array.from(
      own.flatMap(([x, y]) => own.map(([u, v]) => Math.hypot(x - u, y - v))),
    );
    const count = 2 + Math.floor(share * (counts.length - 2));
    return { weights: shares(counts), distances, count: Math.min(count, counts.length - 1) };
  });

describe("stratified sampling", () => {
  it("draws one client of each cluster of clients with similar solutions", () => {
    fc.assert(
      fc.property(clustered, fc.nat(99), ({ weights, distances, count }, seed) => {
        const clusters = clustersOf(distances, weights.length, count);
        const turns = turnsOf(weights, { participation: count, sampling: "stratified", seed }, distances);
        for (let round = 0; round < 5; round++) {
          const chosen = turns.of(round).map(({ client }) => client);
          expect(chosen).toHaveLength(count);
          for (const members of clusters)
            expect(members.filter((client) => chosen.includes(client))).toHaveLength(1);
        }
      }),
    );
  });

  it("gives every client its own weight in the mean over draws, by size or uniformly", () => {
    const grid = 2000;
    fc.assert(
      fc.property(clustered, fc.constantFrom("size", "uniform"), ({ weights, distances, count }, rule) => {
        const own = rule === "size" ? weights : weights.map(() => 1 / weights.length);
        const draw = SAMPLERS.stratified.draw(
          { ...sampled(weights, distances), counted: own },
          { count, candidates: count },
        );
        const mean = new Float64Array(weights.length);
        // All values that the one uniform number of a cluster can have, at equal distances.
        for (let i = 0; i < grid; i++) {
          const random = { uniform: () => (i + 0.5) / grid } as Stream;
          for (const { client, standsFor } of draw(random)) mean[client] += standsFor! / grid;
        }
        for (const [client, weight] of own.entries())
          expect(Math.abs(mean[client] - weight)).toBeLessThanOrEqual(1.0001 / grid);
      }),
      { numRuns: 30 },
    );
  });

  it.each(["size", "uniform"] as const)(
    "gives participants shares that sum to 1 and are the clients' weights on average: %s",
    (rule) => {
      const weights = shares([1, 2, 3, 4, 10]);
      // Two clusters: clients 0 and 3, and the others.
      const groups = [0, 1, 1, 0, 1];
      const distances = Float64Array.from(groups.flatMap((a) => groups.map((b) => Math.abs(a - b))));
      const turns = turnsOf(weights, { participation: 2, sampling: "stratified", weights: rule }, distances);
      const [mean, squares] = [new Float64Array(5), new Float64Array(5)];
      const rounds = 8000;
      for (let round = 0; round < rounds; round++) {
        const present = turns.of(round);
        expect(sum(present.map(({ share }) => share))).toBeCloseTo(1, 12);
        for (const { client, share } of present) {
          mean[client] += share / rounds;
          squares[client] += share ** 2 / rounds;
        }
      }
      for (const [client, own] of mean.entries()) {
        const deviation = Math.sqrt((squares[client] - own ** 2) / rounds);
        expect(Math.abs(own - (rule === "size" ? weights[client] : 1 / 5))).toBeLessThan(4 * deviation);
      }
    },
  );

  it("needs the distances between clients' solutions, which a partition without measurement has not", () => {
    expect(() => turnsOf(shares([1, 2, 3]), { participation: 2, sampling: "stratified" })).toThrow(
      "stratified sampling needs a partition that was measured",
    );
  });
});
