import { beforeAll, describe, expect, it } from "vitest";
import { backendOf } from "../../src/federation/backends.js";
import { type Federation, federate } from "../../src/federation/federation.js";
import { openObservables } from "../../src/federation/observables/observables.js";
import { prepareData } from "../../src/federation/prepared-data.js";
import { replicaData } from "../../src/federation/replicas/replicas-data.js";
import { type GivenRunOptions, type RunOptions, runOptions } from "../../src/federation/run-options.js";
import { initialState, type TrainerState, train } from "../../src/federation/trainer.js";
import { plainDeepOnet, plainGradient } from "./plain-federation.js";
import { smallProblem } from "./small-problem.js";

const options = (changes: Partial<GivenRunOptions>): RunOptions =>
  runOptions({ task: "antiderivative", alpha: 1, seed: 3, rounds: 3, localSteps: 2, batch: 4, ...changes });

/** Clients of uneven sizes: below a batch, several batches, a short last batch. */
const problem = smallProblem([3, 4, 10]);
/** The same on so many points that clients go one by one, in two tiles. */
const large = smallProblem([3, 20, 40], { points: 8000 });

const close = (found: ArrayLike<number>, expected: ArrayLike<number>, tolerance: number): void => {
  expect(found.length).toBe(expected.length);
  const worst = Array.from(expected).reduce(
    (most, value, i) => Math.max(most, Math.abs(found[i] - value)),
    0,
  );
  expect(worst).toBeLessThan(tolerance);
};

describe("train", () => {
  it("measures the same by ONNX Runtime and by the reference", async () => {
    const found = await train(problem, options({}));
    const reference = await train(problem, options({ backend: "reference" }));
    found.checkpoints.forEach((checkpoint, i) => {
      const expected = reference.checkpoints[i];
      expect(checkpoint.testError).toBeCloseTo(expected.testError, 4);
      expect(checkpoint.trainLoss).toBeCloseTo(expected.trainLoss, 4);
      expect(checkpoint.localDispersion).toBeCloseTo(expected.localDispersion, 4);
    });
  });

  it("takes a centralised step when clients take one step on all their data by plain descent", async () => {
    const chosen = options({
      rounds: 1,
      localSteps: 1,
      batch: 1000,
      optimizer: { name: "sgd", rate: 0.1, momentum: 0 },
      backend: "reference",
    });
    const { parameters } = initialState(problem, chosen).server;
    const gradient = plainGradient(
      problem,
      parameters,
      Array.from({ length: 17 }, (_, i) => i),
    );
    const found = await train(problem, chosen);
    close(
      found.parameters,
      parameters.map((value, i) => value - 0.1 * gradient[i]),
      1e-6,
    );
  });

  it.each([
    ["all clients at once", problem],
    ["one client after another", large],
  ])("gives the same bits again, and when it is stopped and resumed: %s", async (_, chosenProblem) => {
    for (const [clientState, stopped] of [
      ["keep", 3],
      ["reset", 1],
      ["average", 6],
    ] as const) {
      const chosen = options({ rounds: 7, clientState, checkpoints: [0, 2, 5] });
      const states: TrainerState[] = [];
      const saveState = async (state: () => TrainerState) => void states.push(state());
      const whole = await train(chosenProblem, chosen, { saveState });
      expect((await train(chosenProblem, chosen)).parameters).toEqual(whole.parameters);
      const resume = structuredClone(states[stopped - 1]);
      expect(resume.round).toBe(stopped);
      const resumed = await train(chosenProblem, chosen, { resume });
      expect(resumed.parameters).toEqual(whole.parameters);
      expect(resumed.checkpoints).toEqual(whole.checkpoints.filter(({ round }) => round > stopped));
    }
  });

  it("resumes to the same bits with the reference backend too", async () => {
    const chosen = options({ rounds: 3, backend: "reference" });
    const states: TrainerState[] = [];
    const saveState = async (state: () => TrainerState) => void states.push(state());
    const whole = await train(problem, chosen, { saveState });
    expect((await train(problem, chosen, { resume: states[1] })).parameters).toEqual(whole.parameters);
  });

  it("ends differently when optimiser states are kept, reset or averaged", async () => {
    const ends = await Promise.all(
      (["keep", "reset", "average"] as const).map((clientState) => train(problem, options({ clientState }))),
    );
    const distinct = new Set(ends.map(({ parameters }) => String(parameters)));
    expect(distinct.size).toBe(3);
  });

  it("refuses rounds that are too long for a program", async () => {
    const long = options({ localEpochs: 900, batch: 1 });
    await expect(train(problem, long)).rejects.toThrow(
      /takes \d+ steps in a round, and a round has 512 at most/,
    );
  });

  it("stops between rounds when it is told to", async () => {
    const controller = new AbortController();
    const onRound = (round: number) => round === 2 && controller.abort(new Error("enough"));
    const hooks = { signal: controller.signal, onRound: (round: number) => void onRound(round) };
    await expect(train(problem, options({ rounds: 9 }), hooks)).rejects.toThrow("enough");
  });
});

describe("observables", () => {
  it.each(["reference", "onnx"] as const)("are what loops give, by the %s backend", async (name) => {
    const { parameters } = initialState(problem, options({})).server;
    const backend = await backendOf(name);
    const observables = await openObservables([problem], replicaData([problem], backend), backend);
    const measured = async (of: "testErrors" | "trainLosses" | "gradientDissimilarities") =>
      (await observables[of]([parameters]))[0];
    const squares = (samples: Federation["train"]) => {
      let total = 0;
      for (let i = 0; i < samples.samples; i++) {
        const { values } = plainDeepOnet(problem, parameters, samples.inputs.subarray(5 * i, 5 * i + 5));
        values.forEach((value, p) => {
          total += (value - samples.responses[7 * i + p]) ** 2;
        });
      }
      return total;
    };
    const norm = problem.test.responses.reduce((sum, value) => sum + value * value, 0);
    expect(await measured("testErrors")).toBeCloseTo(Math.sqrt(squares(problem.test) / norm), 5);
    expect(await measured("trainLosses")).toBeCloseTo(squares(problem.train) / (17 * 7), 5);
    const gradients = problem.clientIndices.map((samples) => plainGradient(problem, parameters, samples));
    const mean = gradients[0].map((_, i) =>
      gradients.reduce((sum, g, k) => sum + problem.weights[k] * g[i], 0),
    );
    const square = (vector: Float64Array) => vector.reduce((sum, value) => sum + value * value, 0);
    const weighted = (of: (gradient: Float64Array) => number) =>
      gradients.reduce((sum, gradient, k) => sum + problem.weights[k] * of(gradient), 0);
    const expected = weighted((g) => square(g.map((value, i) => value - mean[i]))) / weighted(square);
    expect(await measured("gradientDissimilarities")).toBeCloseTo(expected, 5);
    await observables.close();
  });
});

describe("a run on the antiderivative", () => {
  let learned: (alpha: number) => Promise<{ problem: Federation; chosen: RunOptions }>;
  beforeAll(async () => {
    const shared = { task: "antiderivative", seed: 1, train: 300, test: 100, rounds: 60 } as const;
    const data = await prepareData(runOptions({ ...shared, alpha: 100 }));
    learned = async (alpha) => {
      const chosen = runOptions({ ...shared, alpha });
      return { problem: await federate(data, chosen), chosen };
    };
  });

  it("learns", async () => {
    const { problem, chosen } = await learned(100);
    const { checkpoints } = await train(problem, chosen);
    expect(checkpoints.map(({ round }) => round)).toEqual([0, 1, 5, 10, 20, 50, 60]);
    const errors = checkpoints.map(({ testError }) => testError);
    expect(errors[0]).toBeGreaterThan(0.8);
    expect(errors[6]).toBeLessThan(0.25);
    expect(checkpoints[6].trainLoss).toBeLessThan(0.1 * checkpoints[0].trainLoss);
    expect(problem.weights.reduce((sum, share) => sum + share)).toBeCloseTo(1, 12);
  });

  it("starts from one model whatever alpha is, with gradients that differ more where alpha is small", async () => {
    const starts = [];
    for (const alpha of [100, 0.01]) {
      const { problem, chosen } = await learned(alpha);
      const { checkpoints } = await train(problem, { ...chosen, rounds: 1, checkpoints: [0, 1] });
      starts.push(checkpoints);
    }
    const [[even, evenNext], [uneven, unevenNext]] = starts;
    expect(uneven.parameters).toEqual(even.parameters);
    expect(uneven.testError).toBe(even.testError);
    expect(uneven.gradientDissimilarity!).toBeGreaterThan(2 * even.gradientDissimilarity!);
    expect(unevenNext.localDispersion).toBeGreaterThan(evenNext.localDispersion);
  });
});
