import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { GivenRunOptions } from "../../../src/federation/run-options.js";
import { exactRounds, firstState } from "./quadratic-rounds.js";
import { quadraticOptions, quadratics } from "./quadratics.js";

const real = (min: number, max: number) => fc.double({ min, max, noNaN: true });

/** Random federations under SCAFFOLD, whatever option, optimiser, weights and server's rate. */
const federation = fc
  .record({
    clients: fc.array(
      fc.record({ a: real(0.5, 2), b: real(-5, 5), samples: fc.integer({ min: 1, max: 5 }) }),
      {
        ...{ minLength: 3, maxLength: 5 },
      },
    ),
    control: fc.constantFrom("I", "II"),
    server_rate: real(0.3, 1),
    momentum: fc.constantFrom(0, 0.5),
    isAdam: fc.boolean(),
    rounds: fc.integer({ min: 1, max: 5 }),
    localSteps: fc.integer({ min: 1, max: 4 }),
    weights: fc.constantFrom("size" as const, "uniform" as const),
  })
  .map(({ clients, control, server_rate, momentum, isAdam, ...rest }) => {
    const given: Partial<GivenRunOptions> = {
      ...{ ...rest, strategy: { name: "scaffold", control, server_rate } },
      optimizer:
        isAdam && control === "I" ? { name: "adam", rate: 0.05 } : { name: "sgd", rate: 0.1, momentum },
    };
    const problem = quadratics(
      clients.map(({ a, b, samples }) => ({ a: [a], b: [b], samples })),
      [1],
    );
    return { problem, given };
  });

describe("SCAFFOLD's controls", () => {
  it("sum to the server's in full participation: sum_k p_k c_k = c", () =>
    fc.assert(
      fc.asyncProperty(federation, async ({ problem, given }) => {
        for (const { server, clients, present } of await exactRounds(problem, quadraticOptions(given))) {
          const sum = present.reduce(
            (total, { client, share }) => total + share * clients.control[client][0],
            0,
          );
          expect(sum).toBeCloseTo(server.control[0], 9);
        }
      }),
      { numRuns: 30 },
    ));

  it("change the server's by the participants' changes, by their weights among all clients: c += sum_S p_k (c_k+ - c_k)", () =>
    fc.assert(
      fc.asyncProperty(federation, real(0, 0.6), async ({ problem, given }, dropout) => {
        const options = quadraticOptions({ ...given, participation: 2, dropout, localStepsMin: 1 });
        const all = problem.weights.length;
        let before = firstState(problem, options);
        for (const after of await exactRounds(problem, options)) {
          let change = 0;
          for (const [k, [control]] of after.clients.control.entries()) {
            const [own] = before.clients.control[k];
            change += (options.weights === "uniform" ? 1 / all : problem.weights[k]) * (control - own);
            const isThere = after.present.some(({ client, share }) => client === k && share > 0);
            if (!isThere) expect(control).toBe(own);
          }
          expect(after.server.control[0] - before.server.control[0]).toBeCloseTo(change, 9);
          before = after;
        }
      }),
      { numRuns: 30 },
    ));
});
