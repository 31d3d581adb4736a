import { describe, expect, it } from "vitest";
import { backendOf } from "../../src/federation/backends.js";
import type { Federation } from "../../src/federation/federation.js";
import { weightedError } from "../../src/federation/observables/client-measures.js";
import { openObservables } from "../../src/federation/observables/observables.js";
import { replicaData } from "../../src/federation/replicas/replicas-data.js";
import { type GivenRunOptions, runOptions } from "../../src/federation/run-options.js";
import { communication } from "../../src/federation/strategies/communication.js";
import { type Checkpoint, initialState, train } from "../../src/federation/trainer.js";
import { plainDeepOnet } from "./plain-federation.js";
import { type SmallProblem, smallProblem } from "./small-problem.js";

const BINS = 3;
const plain = smallProblem([6, 11, 20]);
/** Bins of training and of test samples; bin 2 has no test samples. */
const binOfSample = Int32Array.from({ length: 37 }, (_, i) => (i < 6 ? 2 : i % BINS));
const binOfTest = Int32Array.from({ length: 9 }, (_, i) => i % 2);
const problem: SmallProblem = {
  ...plain,
  binOfTest,
  measured: { bins: { bins: BINS, binOfSample } } as unknown as Federation["measured"],
};
const optionsOf = (more: Partial<GivenRunOptions>) =>
  runOptions({
    ...{ task: "antiderivative", alpha: 1, seed: 3, rounds: 3, localSteps: 2, batch: 8, clients: 3 },
    ...{ checkpoints: [0, 3], optimizer: { name: "adam", rate: 1e-2 }, backend: "reference", ...more },
  });

/** Squared error and squared norm of one sample, by loops. */
function sampleSquares(samples: Federation["train"], i: number, parameters: ArrayLike<number>) {
  const { values } = plainDeepOnet(problem, parameters, samples.inputs.subarray(5 * i, 5 * i + 5));
  const truth = values.map((_, p) => samples.responses[7 * i + p]);
  return {
    error: values.reduce((sum, value, p) => sum + (value - truth[p]) ** 2, 0),
    norm: truth.reduce((sum, value) => sum + value ** 2, 0),
  };
}

/** The error of a client by drawing every test sample as often as its bin asks. */
function clientError(client: number, parameters: ArrayLike<number>): number {
  let [error, norm] = [0, 0];
  for (const sample of problem.clientIndices[client]) {
    const alike = [...binOfTest.keys()].filter((test) => binOfTest[test] === binOfSample[sample]);
    for (const test of alike) {
      const found = sampleSquares(problem.test, test, parameters);
      error += found.error / alike.length;
      norm += found.norm / alike.length;
    }
  }
  return Math.sqrt(error / norm);
}

describe.each(["reference", "onnx"] as const)("measures of clients by the %s backend", (name) => {
  it("weight the test set by the bins of each client", async () => {
    const { parameters } = initialState(problem, optionsOf({})).server;
    const backend = await backendOf(name);
    const observables = await openObservables([problem], replicaData([problem], backend), backend);
    const [found] = await observables.measures([parameters]);
    expect(found.testErrors[0]).toBeNaN(); // all its samples are in the bin that the test set lacks
    for (const client of [1, 2])
      expect(found.testErrors[client]).toBeCloseTo(clientError(client, parameters), 5);
    for (const bin of [0, 1]) {
      const own = [...binOfTest.keys()].filter((test) => binOfTest[test] === bin);
      const squares = own.map((test) => sampleSquares(problem.test, test, parameters));
      const sum = (of: "error" | "norm") => squares.reduce((total, each) => total + each[of], 0);
      expect(found.binErrors[bin]).toBeCloseTo(Math.sqrt(sum("error") / sum("norm")), 5);
    }
    expect(found.binErrors[2]).toBeNaN();
    for (const [client, own] of problem.clientIndices.entries()) {
      const loss = [...own].reduce(
        (sum, sample) => sum + sampleSquares(problem.train, sample, parameters).error / (7 * own.length),
        0,
      );
      expect(found.trainLosses[client]).toBeCloseTo(loss, 5);
    }
    const [losses] = await observables.clientLosses([parameters], [[2, 0]]);
    expect(losses[0]).toBeCloseTo(found.trainLosses[0], 6);
    expect(losses[1]).toBeNaN();
    expect(losses[2]).toBeCloseTo(found.trainLosses[2], 6);
    await observables.close();
  });

  it("take the model that a client has of its own", async () => {
    const [own, other] = [3, 4].map((seed) => initialState(problem, optionsOf({ seed })).server.parameters);
    const backend = await backendOf(name);
    const observables = await openObservables([problem], replicaData([problem], backend), backend);
    const [found] = await observables.measures([own], {
      ofClients: [(client) => [own, other, own][client]],
      replaceServer: false,
    });
    expect(found.testErrors[1]).toBeCloseTo(clientError(1, other), 5);
    expect(found.testErrors[2]).toBeCloseTo(clientError(2, own), 5);
    const [alone] = await observables.measures([other]);
    expect(found.trainLosses[1]).toBeCloseTo(alone.trainLosses[1], 6);
    expect(found.testError).toBe((await observables.testErrors([own]))[0]);
    const [asClients] = await observables.measures([own], {
      ofClients: [(client) => [own, other, own][client]],
      replaceServer: true,
    });
    const [[a], [b]] = [await observables.testErrors([own]), await observables.testErrors([other])];
    const share = problem.weights[1];
    expect(asClients.testError).toBeCloseTo(Math.sqrt((1 - share) * a ** 2 + share * b ** 2), 6);
    const losses = asClients.trainLosses.map((loss, client) => problem.weights[client] * loss);
    expect(asClients.trainLoss).toBeCloseTo(
      losses.reduce((sum, loss) => sum + loss, 0),
      6,
    );
    await observables.close();
  });
});

const last = async (more: Partial<GivenRunOptions>): Promise<Checkpoint> =>
  (await train(problem, optionsOf(more))).checkpoints.at(-1)!;

describe("updates of clients", () => {
  it("are as long as the way from the server's parameters, and point where their mean does", async () => {
    // With one step of plain SGD an update is the gradient times the rate.
    const sgd = { optimizer: { name: "sgd", rate: 1e-2, momentum: 0 }, localSteps: 1, rounds: 1 };
    const { clients } = await last({ ...sgd, checkpoints: [1], batch: 40 });
    const { plainGradient } = await import("./plain-federation.js");
    const start = initialState(problem, optionsOf(sgd)).server.parameters;
    const gradients = problem.clientIndices.map((own) => plainGradient(problem, start, own));
    const mean = gradients[0].map((_, i) =>
      gradients.reduce((sum, gradient, k) => sum + problem.weights[k] * gradient[i], 0),
    );
    const dot = (a: Float64Array, b: Float64Array) => a.reduce((sum, value, i) => sum + value * b[i], 0);
    for (const [client, gradient] of gradients.entries()) {
      expect(clients.updates[client] / (0.01 * Math.sqrt(dot(gradient, gradient)))).toBeCloseTo(1, 3);
      const cosine = dot(gradient, mean) / Math.sqrt(dot(gradient, gradient) * dot(mean, mean));
      expect(clients.cosines[client]).toBeCloseTo(cosine, 3);
    }
  });

  it.each(["reference", "onnx"] as const)("are the same in every way of executing, %s", async (backend) => {
    const together = await last({ backend });
    const onItsOwn = await last({ backend, dropout: 1e-9 });
    for (const key of ["updates", "cosines", "testErrors", "trainLosses"] as const)
      for (const [client, value] of together.clients[key].entries())
        if (!Number.isNaN(value)) expect(onItsOwn.clients[key][client] / value).toBeCloseTo(1, 4);
  });

  it("are unknown of clients that did not take part, and of all where samples are at one place", async () => {
    const { clients } = await last({ participation: 2 });
    expect(clients.updates.filter((size) => size > 0)).toHaveLength(2);
    expect(clients.updates.filter(Number.isNaN)).toHaveLength(1);
    const pooled = await last({ strategy: { name: "centralised" } });
    expect(pooled.clients.updates.every(Number.isNaN)).toBe(true);
    expect(pooled.clients.testErrors[2]).toBeGreaterThan(0);
  });
});

describe("personal models", () => {
  it("fit the data of their client better than the common one", async () => {
    const more = { rounds: 30, checkpoints: [30] };
    const common = await last(more);
    for (const strategy of [{ name: "local-only" }, { name: "ditto", lambda: 0.01 }]) {
      const own = await last({ ...more, strategy });
      for (const [client, loss] of own.clients.trainLosses.entries())
        expect(loss).toBeLessThan(common.clients.trainLosses[client]);
    }
  });
});

describe("power of choice", () => {
  it("asks the candidates for their losses, and takes those with the largest", async () => {
    const { clients } = await last({
      ...{ participation: 2, sampling: "power-of-choice", candidates: 3, rounds: 1, checkpoints: [1] },
    });
    const start = initialState(problem, optionsOf({})).server.parameters;
    const losses = problem.clientIndices.map(
      (own) =>
        [...own].reduce((sum, sample) => sum + sampleSquares(problem.train, sample, start).error, 0) /
        own.length,
    );
    const least = losses.indexOf(Math.min(...losses));
    expect(clients.updates.map(Number.isNaN)).toEqual(losses.map((_, client) => client === least));
  });
});

describe("an error weighted to bins", () => {
  it("is that of the test set where all bins are as often as there", () => {
    const squares = Float64Array.of(2, 3);
    const norms = Float64Array.of(8, 12);
    const samples = Float64Array.of(5, 15);
    expect(weightedError(samples, { squares, norms, samples })).toBeCloseTo(Math.sqrt(5 / 20), 12);
    expect(weightedError([0, 0], { squares, norms, samples })).toBeNaN();
  });
});

describe("communication of a round", () => {
  const { layout } = problem.operator;
  const count = layout.reduce((sum, { size }) => sum + size, 0);
  const branch = layout
    .filter(({ name }) => name.startsWith("branch."))
    .reduce((sum, { size }) => sum + size, 0);
  const bytes = (more: Partial<GivenRunOptions>) => communication(layout, optionsOf(more));
  it.each([
    [{}, 3 * 4 * count, 3 * 4 * count],
    [{ participation: 2 }, 2 * 4 * count, 2 * 4 * count],
    [{ strategy: { name: "scaffold" } }, 2 * 3 * 4 * count, 2 * 3 * 4 * count],
    [{ clientState: "average" }, 3 * 3 * 4 * count, 3 * 3 * 4 * count],
    [{ local: "branch.*" }, 3 * 4 * (count - branch), 3 * 4 * (count - branch)],
    [{ strategy: { name: "local-only" } }, 0, 0],
    [{ strategy: { name: "centralised" } }, 0, 0],
  ] as const)("of %j is what participants receive and send", (more, down, up) => {
    expect(bytes(more as Partial<GivenRunOptions>)).toEqual({ down, up });
  });
});
