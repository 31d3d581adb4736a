import { describe, expect, it } from "vitest";
import type { Backend } from "../../src/engine/backend.js";
import { backendOf } from "../../src/federation/backends.js";
import type { Replica } from "../../src/federation/replicas/replicas.js";
import { type ReplicaData, replicaData } from "../../src/federation/replicas/replicas-data.js";
import { roundsClientByClient } from "../../src/federation/rounds/client-by-client.js";
import { OWN } from "../../src/federation/rounds/client-vectors.js";
import { type RoundHooks, roundsTogether } from "../../src/federation/rounds/rounds.js";
import { roundsInTurns } from "../../src/federation/rounds/rounds-in-turns.js";
import { runOptions } from "../../src/federation/run-options.js";
import { replicaOf } from "./replica-of.js";
import { smallProblem } from "./small-problem.js";

type Rest = [ReplicaData, Backend, RoundHooks];
const ways = {
  "all clients at once": (replica: Replica, ...rest: Rest) => roundsTogether([replica], ...rest),
  "one client after another": roundsClientByClient,
  "clients who may leave": (replica: Replica, ...rest: Rest) => roundsInTurns([replica], ...rest),
};

describe.each(["reference", "onnx"] as const)(
  "inner products of clients' updates by the %s backend",
  (name) => {
    // Clients that keep their models show where they went.
    it.each(Object.entries(ways))("are those of the clients' vectors: %s", async (way, start) => {
      const problem = smallProblem([12, 20, 40]);
      const options = runOptions({
        ...{ task: "antiderivative", alpha: 1, seed: 3, rounds: 2, localSteps: 2, batch: 8, clients: 3 },
        ...{ strategy: { name: "local-only" }, backend: name },
        dropout: way === "clients who may leave" ? 1e-9 : undefined,
      });
      const replica = replicaOf(problem, options);
      const backend = await backendOf(name);
      const rounds = await start(replica, replicaData([problem], backend), backend, { updatePairs: true });
      const models = () => {
        const [{ clients }] = rounds.states();
        const size = clients[OWN].length / 3;
        return [0, 1, 2].map((client) => clients[OWN].slice(client * size, (client + 1) * size));
      };
      await rounds.next(false);
      const before = models();
      await rounds.next(true);
      const moved = models().map((after, client) => after.map((value, i) => value - before[client][i]));
      const [updates] = rounds.updates();
      await rounds.close();
      const expected = moved.map((a) => moved.map((b) => a.reduce((sum, value, i) => sum + value * b[i], 0)));
      const scale = Math.max(...expected.flat());
      for (const [i, { products }] of updates.entries())
        for (const [j, product] of products!.entries())
          expect(Math.abs(product - expected[i][j]) / scale).toBeLessThan(1e-4);
    });

    it("are left out unless they are wanted", async () => {
      const problem = smallProblem([12, 20, 40]);
      const options = runOptions({
        task: "antiderivative",
        alpha: 1,
        seed: 3,
        rounds: 1,
        clients: 3,
        backend: name,
      });
      const backend = await backendOf(name);
      const rounds = await roundsTogether(
        [replicaOf(problem, options)],
        replicaData([problem], backend),
        backend,
      );
      await rounds.next(true);
      expect(rounds.updates()[0]).toHaveLength(3);
      expect(rounds.updates()[0].some((update) => "products" in update)).toBe(false);
      await rounds.close();
    });
  },
);
