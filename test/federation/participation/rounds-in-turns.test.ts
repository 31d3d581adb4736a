import { describe, expect, it } from "vitest";
import type { Backend } from "../../../src/engine/backend.js";
import { backendOf } from "../../../src/federation/backends.js";
import { roundsClientByClient } from "../../../src/federation/client-by-client.js";
import { roundsInTurns } from "../../../src/federation/participation/rounds-in-turns.js";
import type { Replica } from "../../../src/federation/replicas.js";
import { type ReplicaData, replicaData } from "../../../src/federation/replicas-data.js";
import { CLIENT_STATES, type GivenRunOptions, runOptions } from "../../../src/federation/run-options.js";
import { plainFederation } from "../plain-federation.js";
import { replicaOf } from "../replica-of.js";
import { smallProblem } from "../small-problem.js";

const SIZES = [3, 20, 40, 9, 17];
const problem = smallProblem(SIZES);
const ROUNDS = 5;
const optionsWith = (more: Partial<GivenRunOptions>) =>
  runOptions({
    ...{ task: "antiderivative", alpha: 1, seed: 3, rounds: ROUNDS, localSteps: 2, batch: 17 },
    ...{ participation: 2, optimizer: { name: "adam", rate: 1e-2 }, backend: "reference", ...more },
  });

type Rest = [ReplicaData, Backend];
const WAYS = {
  "in one program": (replica: Replica, ...rest: Rest) => roundsInTurns([replica], ...rest),
  "one after another": roundsClientByClient,
};
const worst = (a: ArrayLike<number>, b: ArrayLike<number>) =>
  Array.from(a).reduce((most, value, i) => Math.max(most, Math.abs(value - b[i])), 0);

async function roundsOf(replica: Replica, way: keyof typeof WAYS, name: "reference" | "onnx") {
  const engine = await backendOf(name);
  return WAYS[way](replica, replicaData([problem], engine), engine);
}

describe.each(["reference", "onnx"] as const)("two of five clients a round by the %s backend", (backend) => {
  const cases = (Object.keys(WAYS) as (keyof typeof WAYS)[]).flatMap((way) =>
    [...CLIENT_STATES.map((clientState) => ({ clientState })), { strategy: { name: "fedyogi" } }].flatMap(
      (more) => ["size", "uniform"].map((weights) => ({ way, more: { ...more, weights } })),
    ),
  );
  it.each(cases)("are what loops over numbers give, $way, $more", async ({ way, more }) => {
    const options = optionsWith(more as Partial<GivenRunOptions>);
    const replica = replicaOf(problem, options);
    const expected = plainFederation(problem, options, replica.start.server.parameters);
    const rounds = await roundsOf(replica, way, backend);
    let dispersion = 0;
    for (let round = 0; round < ROUNDS; round++) [dispersion] = Array.from(await rounds.next(true));
    const [{ server }] = rounds.states();
    await rounds.close();
    expect(worst(server.parameters, expected.parameters)).toBeLessThan(backend === "reference" ? 2e-6 : 2e-5);
    expect(dispersion / expected.dispersion).toBeCloseTo(1, 3);
  });

  it.each(Object.keys(WAYS) as (keyof typeof WAYS)[])(
    "go on to the same bits when they are stopped, %s",
    async (way) => {
      const options = optionsWith({ strategy: { name: "fedadam" } });
      const whole = await roundsOf(replicaOf(problem, options), way, backend);
      for (let round = 0; round < ROUNDS; round++) await whole.next(true);
      const first = await roundsOf(replicaOf(problem, options), way, backend);
      for (let round = 0; round < 2; round++) await first.next(true);
      const [start] = first.states();
      const second = await roundsOf({ problem, options, start }, way, backend);
      for (let round = 2; round < ROUNDS; round++) await second.next(true);
      expect(second.states()).toEqual(whole.states());
      for (const rounds of [whole, first, second]) await rounds.close();
    },
  );
});

describe("replicas in which some clients take part", () => {
  it("come out as alone, each with participants of its own", async () => {
    const engine = await backendOf("reference");
    const problems = [problem, smallProblem(SIZES, { seed: 9 })];
    const replicas = problems.map((own, i) => replicaOf(own, optionsWith({ seed: 3 + i })));
    const together = await roundsInTurns(replicas, replicaData(problems, engine), engine);
    for (let round = 0; round < ROUNDS; round++) await together.next(true);
    for (const [i, replica] of replicas.entries()) {
      const alone = await roundsInTurns([replica], replicaData([replica.problem], engine), engine);
      for (let round = 0; round < ROUNDS; round++) await alone.next(true);
      const [one, other] = [together.states()[i], alone.states()[0]];
      expect(worst(one.server.parameters, other.server.parameters)).toBeLessThan(1e-6);
      expect(worst(one.clients.second, other.clients.second)).toBeLessThan(1e-6);
      await alone.close();
    }
    await together.close();
  });
});
