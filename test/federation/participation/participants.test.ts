import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { participants, sharesOf } from "../../../src/federation/participation/participants.js";
import { runOptions } from "../../../src/federation/run-options.js";

const equalClients = (clients: number) => ({
  weights: new Float64Array(clients).fill(1 / clients),
  clientIndices: Array.from({ length: clients }, () => new Int32Array(8)),
});
const STEPS = { localSteps: 3, batch: 4 };
const clientsOf = (clients: number, participation: number, seed: number, rounds: number) => {
  const turns = participants(equalClients(clients), { ...STEPS, participation, seed });
  return Array.from({ length: rounds }, (_, round) => turns.of(round));
};

describe("participants of a round", () => {
  it("are as many as asked for, different, ascending, and count their own steps", () => {
    fc.assert(
      fc.property(fc.integer({ min: 3, max: 40 }), fc.nat(1000), (clients, seed) => {
        const count = 2 + (seed % (clients - 2));
        const seen = new Array<number>(clients).fill(0);
        for (const round of clientsOf(clients, count, seed, 12)) {
          const own = round.map(({ client }) => client);
          expect(own).toEqual([...new Set(own)].sort((a, b) => a - b));
          expect(own).toHaveLength(count);
          for (const { client, before, steps } of round) {
            expect(before).toBe(seen[client]);
            seen[client] += steps;
          }
        }
      }),
    );
  });

  it("depend on seed and round alone", () => {
    const one = clientsOf(20, 5, 3, 6);
    expect(clientsOf(20, 0.25, 3, 6)).toEqual(one);
    expect(clientsOf(20, 5, 4, 6)).not.toEqual(one);
    // A resumed run asks for a later round first.
    expect(participants(equalClients(20), { ...STEPS, participation: 5, seed: 3 }).of(5)).toEqual(one[5]);
  });

  it("are all clients equally often: the numbers of 2,000 rounds are within four standard deviations", () => {
    const counts = new Array<number>(10).fill(0);
    for (const round of clientsOf(10, 3, 1, 2000)) for (const { client } of round) counts[client]++;
    const deviation = Math.sqrt(2000 * 0.3 * 0.7);
    for (const count of counts) expect(Math.abs(count - 600)).toBeLessThan(4 * deviation);
  });

  it("have weights by samples, or all the same, that sum to 1", () => {
    const weights = Float64Array.of(0.1, 0.2, 0.3, 0.4);
    const chosen = [{ client: 1 }, { client: 3 }];
    expect(Array.from(sharesOf(weights, chosen, {}))).toEqual([0.2 / (0.2 + 0.4), 0.4 / (0.2 + 0.4)]);
    expect(Array.from(sharesOf(weights, chosen, { weights: "uniform" }))).toEqual([0.5, 0.5]);
  });
});

describe("participation", () => {
  const withParticipation = (participation: number) =>
    runOptions({ task: "antiderivative", alpha: 1, participation });

  it.each([
    [1, "participation 1 is one client or all of them: write 10 for all, or 0.1 for one of 10"],
    [2.5, "a share below 1, or a number of clients from 2 on, not 2.5"],
    [11, "participation is 11, but there are 10 clients"],
    [0, "participation is a share below 1"],
    [-0.2, "participation is a share below 1"],
  ])("of %j is refused", (participation, message) => {
    expect(() => withParticipation(participation)).toThrow(message);
  });

  it("by size, or by losses among clients drawn by size, gives all the same weight", () => {
    for (const sampling of ["size", "power-of-choice"] as const) {
      const given = { task: "antiderivative", alpha: 1, participation: 3, sampling };
      expect(runOptions(given).weights).toBe("uniform");
      expect(() => runOptions({ ...given, weights: "size" })).toThrow("weights by size would count it twice");
    }
  });

  it("is absent from the options of a run in which all clients take part", () => {
    expect(runOptions({ task: "antiderivative", alpha: 1 })).not.toHaveProperty("participation");
    expect(withParticipation(0.3).participation).toBe(0.3);
  });
});
