import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { GivenRunOptions } from "../../../src/federation/run-options.js";
import { exactRounds } from "./quadratic-rounds.js";
import { quadraticOptions, quadratics } from "./quadratics.js";

const real = (min: number, max: number) => fc.double({ min, max, noNaN: true });

/** Clients whose losses differ in curvature and minimum, and the minimum of their mean loss. */
const heterogeneous = fc
  .record({
    curvatures: fc.array(real(0.5, 2), { minLength: 2, maxLength: 4 }),
    minima: fc.array(real(-5, 5), { minLength: 4, maxLength: 4 }),
    samples: fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 4, maxLength: 4 }),
    localSteps: fc.integer({ min: 2, max: 5 }),
    weights: fc.constantFrom("size" as const, "uniform" as const),
  })
  .map(({ curvatures, minima, samples, localSteps, weights }) => {
    const clients = curvatures.map((a, k) => ({
      ...{ a: Math.fround(a), b: Math.fround(minima[k]) },
      samples: samples[k],
    }));
    const total = clients.reduce((sum, one) => sum + one.samples, 0);
    const shares = clients.map((one) => (weights === "size" ? one.samples / total : 1 / clients.length));
    /** The mean of the clients' minima with these factors beside their weights. */
    const balance = (factor: (a: number) => number) =>
      clients.reduce((sum, { a, b }, k) => sum + shares[k] * factor(a) * b, 0) /
      clients.reduce((sum, { a }, k) => sum + shares[k] * factor(a), 0);
    const problem = quadratics(
      clients.map(({ a, b, samples }) => ({ a: [a], b: [b], samples })),
      [0],
    );
    return { clients, problem, localSteps, weights, balance };
  });

const RATE = 0.1;
const PLAIN = { name: "sgd", rate: RATE, momentum: 0 };
const optionsWith = (more: Partial<GivenRunOptions>) => quadraticOptions({ optimizer: PLAIN, ...more });

describe("federated averaging on quadratics with several local steps", () => {
  /** E steps take w to b + (1 - rate a)^E (w - b), so that a client pulls by 1 - (1 - rate a)^E towards its minimum. */
  const pull = (a: number, steps: number) => 1 - (1 - RATE * a) ** steps;

  it("rests where the clients' pulls balance, sum_k p_k (1 - (1 - rate a_k)^E) (b_k - x) = 0", () =>
    fc.assert(
      fc.asyncProperty(heterogeneous, async ({ problem, localSteps, weights, balance }) => {
        const x = balance((a) => pull(a, localSteps));
        const [{ server }] = await exactRounds(problem, optionsWith({ rounds: 1, localSteps, weights }), {
          server: { parameters: [x] },
          clients: {},
        });
        expect(server.parameters[0]).toBeCloseTo(x, 10);
      }),
      { numRuns: 30 },
    ));

  it("leaves the minimum of the mean loss where curvatures differ, as far as the clients' pulls are out of balance", () =>
    fc.assert(
      fc.asyncProperty(heterogeneous, async ({ problem, localSteps, weights, balance, clients }) => {
        const minimum = balance((a) => a);
        const [{ server, present }] = await exactRounds(
          problem,
          optionsWith({ rounds: 1, localSteps, weights }),
          { server: { parameters: [minimum] }, clients: {} },
        );
        const moved = present.reduce(
          (sum, { share, client }) =>
            sum + share * pull(clients[client].a, localSteps) * (clients[client].b - minimum),
          0,
        );
        expect(server.parameters[0] - minimum).toBeCloseTo(moved, 10);
      }),
      { numRuns: 30 },
    ));

  it("ends away from the minimum: clients with losses (w - 4)^2 and (w + 4)^2 / 4 end at 2.09 and not at 2.4", async () => {
    // Curvatures 2 and 1/2 have the minimum (2 * 4 - 0.5 * 4) / 2.5 = 2.4.
    // The pulls of four steps are 1 - 0.8^4 = 0.5904 and 1 - 0.95^4 = 0.18549375.
    const pair = quadratics(
      [
        { a: [2], b: [4], samples: 1 },
        { a: [0.5], b: [-4], samples: 1 },
      ],
      [0],
    );
    const end = (await exactRounds(pair, optionsWith({ rounds: 100, localSteps: 4 }))).at(-1)!;
    const [x] = end.server.parameters;
    expect(x).toBeCloseTo((4 * (0.5904 - 0.18549375)) / (0.5904 + 0.18549375), 10);
    expect(Math.abs(x - 2.4)).toBeGreaterThan(0.3);
  });
});

describe.each(["I", "II"])("SCAFFOLD %s with plain descent on quadratics", (control) => {
  const strategy = { name: "scaffold", control };

  it("rests at the minimum of the mean loss, with the clients' gradients there as controls", () =>
    fc.assert(
      fc.asyncProperty(heterogeneous, async ({ problem, clients, localSteps, weights, balance }) => {
        const minimum = balance((a) => a);
        const controls = clients.map(({ a, b }) => [a * (minimum - b)]);
        const states = await exactRounds(problem, optionsWith({ strategy, rounds: 2, localSteps, weights }), {
          server: { parameters: [minimum], control: [0] },
          clients: { control: controls },
        });
        for (const { server, clients: own } of states) {
          expect(server.parameters[0]).toBeCloseTo(minimum, 10);
          expect(server.control[0]).toBeCloseTo(0, 10);
          for (const [k, [found]] of own.control.entries()) expect(found).toBeCloseTo(controls[k][0], 9);
        }
      }),
      { numRuns: 20 },
    ));

  it("reaches the minimum of the mean loss from controls of zero, where federated averaging does not", () =>
    fc.assert(
      fc.asyncProperty(heterogeneous, async ({ problem, clients, localSteps, weights, balance }) => {
        const minimum = balance((a) => a);
        const rounds = 250;
        const end = async (more: Partial<GivenRunOptions>) =>
          (await exactRounds(problem, optionsWith({ rounds, localSteps, weights, ...more }))).at(-1)!;
        const { server, clients: own } = await end({ strategy });
        expect(server.parameters[0]).toBeCloseTo(minimum, 6);
        for (const [k, { a, b }] of clients.entries())
          expect(own.control[k][0]).toBeCloseTo(a * (minimum - b), 5);
        const plain = (await end({})).server.parameters[0];
        expect(plain).toBeCloseTo(
          balance((a) => 1 - (1 - RATE * a) ** localSteps),
          6,
        );
      }),
      { numRuns: 4 },
    ));

  it("reaches it with some clients a round, who leave now and then and take different numbers of steps", async () => {
    const clients = [1, 2, 0.5, 1.5].map((a, k) => ({ a: [a], b: [3 * k - 4], samples: k + 1 }));
    const problem = quadratics(clients, [0]);
    const uneven = { participation: 2, dropout: 0.2, localSteps: 4, localStepsMin: 1 };
    const states = await exactRounds(problem, optionsWith({ strategy, rounds: 600, ...uneven }));
    const weight = (k: number) => (k + 1) / 10;
    const minimum =
      clients.reduce((sum, { a, b }, k) => sum + weight(k) * a[0] * b[0], 0) /
      clients.reduce((sum, { a }, k) => sum + weight(k) * a[0], 0);
    expect(states.at(-1)!.server.parameters[0]).toBeCloseTo(minimum, 6);
    expect(states.at(-1)!.server.control[0]).toBeCloseTo(0, 6);
  });
});
