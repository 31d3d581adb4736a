import { expect } from "vitest";
import type { GivenRunOptions } from "../../../src/federation/run-options.js";
import { exactRounds, runRounds, waysOf } from "./quadratic-rounds.js";
import { type QuadraticClient, quadraticOptions, quadratics } from "./quadratics.js";

/** What the server and each client have after a round, by name, for one weight. */
export interface AfterRound {
  readonly server: Readonly<Record<string, number>>;
  readonly clients?: Readonly<Record<string, readonly number[]>>;
}

/**
 * Two clients with one sample and three, so that their weights are 1/4 and 3/4; the server starts at x = 2.
 *
 * Client 1 has the loss (w - 34)^2 / 2 and the gradient w - 34. Client 2 has the loss (w + 6)^2 and the gradient
 * 2 (w + 6). At the rate 1/4 a plain step takes w to 3/4 w + 8.5 and to w/2 - 3. Two steps from 2 are 2, 10, 16 and
 * 2, -2, -4.
 */
export const TWO_CLIENTS: readonly QuadraticClient[] = [
  { a: [1], b: [34], samples: 1 },
  { a: [2], b: [-6], samples: 3 },
];

/** Compares a run with the values of each round: exact rounds to 13 digits, those of a training run in float32. */
export async function expectRounds(
  more: Partial<GivenRunOptions>,
  rounds: readonly AfterRound[],
  clients: readonly QuadraticClient[] = TWO_CLIENTS,
  start = 2,
): Promise<void> {
  const options = quadraticOptions({ rounds: rounds.length, ...more });
  const problem = quadratics(clients, [start]);
  const exact = await exactRounds(problem, options);
  const runs = await Promise.all(waysOf(problem, options).map((way) => runRounds(problem, options, way)));
  for (const [found, digits] of [[exact, 13] as const, ...runs.map((run) => [run, 6] as const)])
    for (const [round, expected] of rounds.entries()) {
      const near = (value: number) =>
        expect.closeTo(value, digits - Math.ceil(Math.log10(Math.abs(value) + 1)));
      const { server, clients: own } = found[round];
      for (const [name, value] of Object.entries(expected.server))
        expect(server[name]).toEqual([near(value)]);
      for (const [name, values] of Object.entries(expected.clients ?? {}))
        expect(own[name]).toEqual(values.map((value) => [near(value)]));
    }
}
