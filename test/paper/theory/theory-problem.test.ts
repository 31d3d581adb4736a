import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { federate } from "../../../src/federation/federation.js";
import { prepareData } from "../../../src/federation/prepared-data.js";
import { runOptions } from "../../../src/federation/run-options.js";
import { train } from "../../../src/federation/trainer.js";
import {
  openTheoryProblems,
  type TheoryProblem,
  type TheoryProblems,
} from "../../../src/paper/theory/theory-problem.js";

/** The sizes of the published page, whose ReLU operator ends at a test error of about 8 %. */
const SIZES = { task: "antiderivative", seed: 42 } as const;
const ROUNDS = 200;

let problems: TheoryProblems;
let cache: string;
const before = process.env.PDE_DIRICHLET_CACHE;
beforeAll(async () => {
  cache = mkdtempSync(join(tmpdir(), "pde-dirichlet-theory-problem-"));
  process.env.PDE_DIRICHLET_CACHE = cache;
  const options = runOptions({ ...SIZES, alpha: 1 });
  problems = await openTheoryProblems({ options, data: await prepareData(options) }, { rounds: ROUNDS });
}, 60_000);
afterAll(async () => {
  if (before === undefined) delete process.env.PDE_DIRICHLET_CACHE;
  else process.env.PDE_DIRICHLET_CACHE = before;
  rmSync(cache, { recursive: true, force: true });
  await problems.close();
});

const trainedPoint = ({ starts }: TheoryProblem) => starts.find(({ name }) => name === "trained")!.theta;

describe("two operators trained on the same samples", () => {
  it("learn from gradients of their own", async () => {
    const { smooth, kinked } = problems;
    expect([smooth.activation, kinked.activation]).toEqual(["tanh", "relu"]);
    expect(trainedPoint(kinked)).not.toEqual(trainedPoint(smooth));
  });

  it("end where a training with nothing but that operator ends", async () => {
    for (const problem of [problems.smooth, problems.kinked]) {
      const { activation } = problem;
      const options = runOptions({
        ...SIZES,
        model: { activation },
        alpha: 100,
        rounds: ROUNDS,
        checkpoints: [0, ROUNDS],
      });
      const data = await prepareData(options);
      const alone = await train(await federate(data, options), options);
      const last = alone.checkpoints.at(-1)!;
      expect(trainedPoint(problem)).toEqual(Float64Array.from(last.parameters));
      expect(last.testError, activation).toBeLessThan(activation === "relu" ? 0.1 : 0.3);
      const { responses } = data.test;
      const meanSquare = responses.reduce((sum, u) => sum + u * u, 0) / responses.length;
      const risk = await problem.risk.loss(trainedPoint(problem));
      expect(Math.sqrt(risk / meanSquare), activation).toBeCloseTo(last.testError, 5);
    }
  }, 60_000);
});
