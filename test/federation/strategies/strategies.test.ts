import { describe, expect, it } from "vitest";
import type { Backend } from "../../../src/engine/backend.js";
import { referenceBackend } from "../../../src/engine/reference.js";
import { backendOf } from "../../../src/federation/backends.js";
import type { Replica } from "../../../src/federation/replicas/replicas.js";
import { type ReplicaData, replicaData } from "../../../src/federation/replicas/replicas-data.js";
import { roundsClientByClient } from "../../../src/federation/rounds/client-by-client.js";
import { aggregateProgram, serverCoefficients } from "../../../src/federation/rounds/round-program.js";
import { roundsTogether } from "../../../src/federation/rounds/rounds.js";
import { type GivenRunOptions, runOptions } from "../../../src/federation/run-options.js";
import { STRATEGY_NAMES } from "../../../src/federation/strategies/strategies.js";
import { trainedReplica } from "../../../src/federation/trained-clients.js";
import { modelsOfState } from "../models-of-state.js";
import { plainFederation } from "../plain-federation.js";
import { replicaOf } from "../replica-of.js";
import { smallProblem } from "../small-problem.js";

const problem = smallProblem([3, 20, 40]);
type Given = NonNullable<GivenRunOptions["strategy"]>;
const optionsWith = (strategy: Given, more: Partial<GivenRunOptions> = {}) =>
  runOptions({
    ...{ task: "antiderivative", alpha: 1, seed: 3, rounds: 4, localSteps: 3, batch: 17 },
    ...{ strategy, backend: "reference", optimizer: { name: "adam", rate: 1e-2 }, ...more },
  });

type Rest = [ReplicaData, Backend];
const WAYS = {
  "all clients at once": (replica: Replica, ...rest: Rest) => roundsTogether([replica], ...rest),
  "one client after another": roundsClientByClient,
};

/** Every strategy, with other values than its defaults where these would hide a mistake. */
const CASES: readonly Given[] = [
  ...STRATEGY_NAMES.map((name) => ({ name })),
  { name: "fedprox", mu: 30 },
  { name: "fedprox", mu: 7, proximal: "decoupled" },
  { name: "fedavgm", server_rate: 0.5, server_momentum: 0.6 },
  { name: "fedadagrad", server_beta1: 0.5, tau: 0.01 },
  { name: "fedadam", server_rate: 0.02, server_beta1: 0.7, tau: 1e-3, bias_correction: true },
  { name: "fedyogi", server_rate: 0.02, server_beta2: 0.9, tau: 1e-3, bias_correction: true },
  { name: "scaffold", server_rate: 0.7 },
  { name: "scaffold", control: "II" },
  { name: "ditto", lambda: 5 },
];

const ADAM = { name: "adam", rate: 1e-2 };
const SGD = { name: "sgd", rate: 1e-2, momentum: 0.5 };

/** Options of clients that a strategy takes. */
function clientsFor({ name, control }: Given): readonly Partial<GivenRunOptions>[] {
  if (name === "fednova") return [{ optimizer: ADAM }, { optimizer: SGD, clientState: "reset" }];
  // In float32 means are inexact, and Adam makes steps of what should be zero: dead units would differ.
  if (name === "ditto") return [{ optimizer: SGD }, { optimizer: ADAM, rounds: 1 }];
  if (control === "II") return [{ optimizer: SGD }, { optimizer: SGD, clientState: "reset" }];
  return [{ optimizer: ADAM }, { optimizer: SGD }];
}

async function trained(
  options: ReturnType<typeof optionsWith>,
  { way = "all clients at once" as keyof typeof WAYS, backend = "reference" as "reference" | "onnx" } = {},
) {
  const replica = trainedReplica(replicaOf(problem, options));
  const engine = await backendOf(backend);
  const rounds = await WAYS[way](replica, replicaData([problem], engine), engine);
  let dispersion = 0;
  for (let round = 1; round <= options.rounds; round++) [dispersion] = Array.from(await rounds.next(true));
  const [state] = rounds.states();
  await rounds.close();
  return { ...state, dispersion };
}

const worst = (a: ArrayLike<number>, b: ArrayLike<number>) =>
  Array.from(a).reduce((most, value, i) => Math.max(most, Math.abs(value - b[i])), 0);

describe.each(["reference", "onnx"] as const)("strategies by the %s backend", (backend) => {
  it.each(
    Object.keys(WAYS).flatMap((way) =>
      CASES.map((strategy) => ({ way: way as keyof typeof WAYS, strategy })),
    ),
  )("are what loops over numbers give: $strategy, $way", async ({ way, strategy }) => {
    for (const clients of clientsFor(strategy)) {
      const options = optionsWith(strategy, clients);
      const { parameters } = replicaOf(problem, options).start.server;
      const expected = plainFederation(problem, options, parameters);
      const found = await trained(options, { way, backend });
      expect(worst(found.server.parameters, expected.parameters)).toBeLessThan(
        backend === "reference" ? 2e-6 : 2e-5,
      );
      if (strategy.name !== "centralised") expect(found.dispersion / expected.dispersion).toBeCloseTo(1, 3);
      const own = modelsOfState(found, options, problem.operator.layout, problem.weights.length);
      expect(own.length > 0).toBe(strategy.name === "ditto" || strategy.name === "local-only");
      for (const [client, model] of own.entries())
        expect(worst(model, expected.personal[client])).toBeLessThan(backend === "reference" ? 2e-6 : 2e-5);
    }
  });
});

describe("a server", () => {
  /** One weight: the server has 1, clients of weights 1/4 and 3/4 come to 1.2 and 0.6, so their mean is 0.75. */
  const update = async (strategy: Given, round = 0, state: Record<string, number> = {}) => {
    const options = optionsWith(strategy);
    const executable = await referenceBackend.compile(aggregateProgram(2, 1, options));
    const found = await executable.run({
      local: Float64Array.of(1.2, 0.6),
      shares: Float64Array.of(0.25, 0.75),
      "server.parameters": Float64Array.of(1),
      ...serverCoefficients(round, options),
      ...Object.fromEntries(
        Object.entries(state).map(([name, value]) => [`server.${name}`, Float64Array.of(value)]),
      ),
    });
    await executable.close();
    return Object.fromEntries(
      Object.entries(found).map(([name, values]) => [name.replace("new server.", ""), values[0]]),
    );
  };
  const none = { first: 0, second: 0 };
  const near = (expected: Record<string, number>) =>
    expect.objectContaining(
      Object.fromEntries(Object.entries(expected).map(([name, value]) => [name, expect.closeTo(value, 12)])),
    );

  it("averages", async () => {
    expect(await update({ name: "fedavg" })).toEqual(near({ parameters: 0.75, mean: 0.75 }));
  });

  it("has momentum: v = 0.9 * 0.1 - 0.25 = -0.16, x = 1 - 0.5 * 0.16", async () => {
    const fedavgm = { name: "fedavgm", server_rate: 0.5, server_momentum: 0.9 };
    expect(await update(fedavgm, 3, { velocity: 0.1 })).toEqual(near({ velocity: -0.16, parameters: 0.92 }));
  });

  it("is Adagrad: v = 0.0625 + 0.0975 = 0.16, x = 1 - 0.1 * 0.25 / (0.4 + 0.1)", async () => {
    const fedadagrad = { name: "fedadagrad", server_rate: 0.1, tau: 0.1 };
    expect(await update(fedadagrad, 3, { first: 9, second: 0.0975 })).toEqual(
      near({ first: -0.25, second: 0.16, parameters: 0.95 }),
    );
  });

  it("is Adam without bias correction: m = -0.025, v = 0.000625, x = 1 - 0.1 * 0.025 / (0.025 + 0.1)", async () => {
    const fedadam = { name: "fedadam", server_rate: 0.1, tau: 0.1, server_beta1: 0.9, server_beta2: 0.99 };
    expect(await update(fedadam, 0, none)).toEqual(
      near({ first: -0.025, second: 0.000625, parameters: 0.98 }),
    );
  });

  it("is Adam with bias correction, whose exponent is 1 in the first round: x = 1 - 0.1 * 0.25 / (0.25 + 0.25)", async () => {
    const corrected = { name: "fedadam", server_rate: 0.1, tau: 0.25, bias_correction: true };
    expect(await update(corrected, 0, none)).toEqual(near({ parameters: 0.95 }));
  });

  it("is Yogi: v grows by 0.01 * 0.0625 where it is smaller than the square, and shrinks where larger", async () => {
    const fedyogi = { name: "fedyogi", server_beta2: 0.99 };
    expect(await update(fedyogi, 0, none)).toEqual(near({ second: 0.000625 }));
    expect(await update(fedyogi, 0, { first: 0, second: 1 })).toEqual(near({ second: 0.999375 }));
    expect(await update(fedyogi, 0, { first: 0, second: 0.0625 })).toEqual(near({ second: 0.0625 }));
  });
});

describe("federated averaging", () => {
  const plain = optionsWith({ name: "fedavg" });

  it.each([
    [{ name: "fedprox", mu: 0 }],
    [{ name: "fedprox", mu: 0, proximal: "decoupled" }],
    [{ name: "fedavgm", server_rate: 1, server_momentum: 0 }],
  ])("is what %j comes down to", async (strategy) => {
    const [one, other] = [await trained(plain), await trained(optionsWith(strategy))];
    expect(worst(one.server.parameters, other.server.parameters)).toBeLessThan(1e-6);
  });

  it("is what FedProx comes down to with a single step, which starts at the server", async () => {
    const [one, other] = await Promise.all(
      [plain, optionsWith({ name: "fedprox", mu: 50 })].map((options) =>
        trained({ ...options, localSteps: 1 }),
      ),
    );
    expect(worst(other.server.parameters, one.server.parameters)).toBeLessThan(1e-12);
  });

  it("needs no name in the options of a run", () => {
    expect(plain).not.toHaveProperty("strategy");
    expect(optionsWith({ name: "fedprox" }).strategy).toEqual({
      name: "fedprox",
      mu: 0.01,
      proximal: "gradient",
    });
  });
});

describe("options of a strategy", () => {
  it.each([
    [{ name: "fedsgd" }, "strategy is one of fedavg, fedprox"],
    [{ name: "fedprox", mu: -1 }, "mu"],
    [{ name: "fedavg", mu: 1 }, "mu"],
    [{ name: "fedadam", tau: 0 }, "tau"],
  ])("refuse %j", (strategy, message) => {
    expect(() => optionsWith(strategy as Given)).toThrow(message);
  });
});
