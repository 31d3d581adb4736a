import * as ort from "onnxruntime-web/wasm";
import { beforeAll, describe, expect, it } from "vitest";
import { gradient } from "../../../src/engine/gradient.js";
import { onnxBackend } from "../../../src/engine/onnx/onnx-backend.js";
import { webBackend } from "../../../src/engine/onnx/web-backend.js";
import * as ops from "../../../src/engine/operations.js";
import type { Tensor } from "../../../src/engine/program.js";
import { federate } from "../../../src/federation/federation.js";
import { prepareData } from "../../../src/federation/prepared-data.js";
import { runOptions } from "../../../src/federation/run-options.js";
import { train } from "../../../src/federation/trainer.js";
import { draw, error, evaluate } from "../evaluation.js";
import { OPERATION_CASES } from "../operation-cases.js";

/** ONNX Runtime's WebAssembly runs in Node too, on one thread. */
describe("ONNX Runtime in WebAssembly", () => {
  beforeAll(() => {
    ort.env.wasm.numThreads = 1;
  });

  it.each(OPERATION_CASES)("computes what it computes natively: $title", async (given) => {
    const values = given.shapes.map((shape, i) =>
      draw(shape, `${given.title} ${i}`, given.positive ? [0.5, 2] : [-1, 1]),
    );
    const build = (xs: readonly Tensor[]) => {
      const y = given.apply(xs);
      return [y, ...gradient(ops.sum(ops.multiply(y, y)), xs)];
    };
    const expected = await evaluate(build, given.shapes, values, onnxBackend);
    const actual = await evaluate(build, given.shapes, values, webBackend(ort));
    actual.forEach((y, i) => {
      expect(error(y, expected[i])).toBeLessThan(2e-6);
    });
  });

  it("trains to the same error to four digits", async () => {
    const options = runOptions({
      ...{ task: "antiderivative", train: 120, test: 20, clients: 5, bins: 6, minSize: 8 },
      ...{ alpha: 0.1, seed: 42, rounds: 8, localSteps: 2, batch: 16, checkpoints: [8] },
    });
    const problem = await federate(await prepareData(options), options);
    const found = await Promise.all(
      [onnxBackend, webBackend(ort)].map((backend) => train(problem, options, { backend })),
    );
    const [native, web] = found.map(({ checkpoints }) => checkpoints[0]);
    expect(web.testError / native.testError).toBeCloseTo(1, 4);
    expect(web.localDispersion / native.localDispersion).toBeCloseTo(1, 3);
  });
});
