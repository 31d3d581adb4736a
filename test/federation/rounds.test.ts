import { describe, expect, it } from "vitest";
import type { Backend } from "../../src/engine/backend.js";
import { backendOf } from "../../src/federation/backends.js";
import type { Replica } from "../../src/federation/replicas/replicas.js";
import { type ReplicaData, replicaData } from "../../src/federation/replicas/replicas-data.js";
import { roundsClientByClient } from "../../src/federation/rounds/client-by-client.js";
import { roundsTogether } from "../../src/federation/rounds/rounds.js";
import { CLIENT_STATES, runOptions } from "../../src/federation/run-options.js";
import { plainFederation } from "./plain-federation.js";
import { replicaOf } from "./replica-of.js";
import { smallProblem } from "./small-problem.js";

/** Clients below a batch, with several batches, with a short last batch, and of different program sizes. */
const problem = smallProblem([3, 20, 40]);
type Rest = [ReplicaData, Backend];
const optimizers = [
  { name: "adam", rate: 1e-2 },
  { name: "sgd", rate: 1e-2, momentum: 0.9 },
] as const;
const ways = {
  "all clients at once": (replica: Replica, ...rest: Rest) => roundsTogether([replica], ...rest),
  "one client after another": roundsClientByClient,
};
const cases = Object.keys(ways).flatMap((way) =>
  optimizers.flatMap((optimizer) =>
    CLIENT_STATES.map((clientState) => ({ way: way as keyof typeof ways, optimizer, clientState })),
  ),
);

describe.each(["reference", "onnx"] as const)("rounds by the %s backend", (backend) => {
  it.each(cases)("are federated averaging by loops: $way, $optimizer.name, $clientState", async (chosen) => {
    const { way, optimizer, clientState } = chosen;
    const options = runOptions({
      ...{ task: "antiderivative", alpha: 1, seed: 3, rounds: 3, localSteps: 2, batch: 17 },
      ...{ optimizer, clientState, backend },
    });
    const replica = replicaOf(problem, options);
    const expected = plainFederation(problem, options, replica.start.server.parameters);
    const engine = await backendOf(backend);
    const rounds = await ways[way](replica, replicaData([problem], engine), engine);
    await rounds.next(false);
    await rounds.next(false);
    const [dispersion] = Array.from(await rounds.next(true));
    const [{ round, server }] = rounds.states();
    await rounds.close();
    expect(round).toBe(3);
    expect(dispersion / expected.dispersion).toBeCloseTo(1, 4);
    const worst = expected.parameters.reduce(
      (most, v, i) => Math.max(most, Math.abs(v - server.parameters[i])),
      0,
    );
    expect(worst).toBeLessThan(backend === "reference" ? 1e-6 : 1e-5);
  });
});
