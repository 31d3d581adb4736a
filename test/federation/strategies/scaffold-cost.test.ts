import { expect, it } from "vitest";
import { simplify } from "../../../src/engine/simplify.js";
import { replicaData } from "../../../src/federation/replicas/replicas-data.js";
import { chosenInRound, programOfRound } from "../../../src/federation/rounds/round-sizes.js";
import { type GivenRunOptions, runOptions } from "../../../src/federation/run-options.js";
import { replicaOf } from "../replica-of.js";
import { smallProblem } from "../small-problem.js";

const SIZES = [9, 20, 40];
const STEPS = 3;

/** Operations of a round by their names, as a backend gets them. */
function operations(more: Partial<GivenRunOptions>): ReadonlyMap<string, number> {
  const problem = smallProblem(SIZES);
  const options = runOptions({
    ...{ task: "antiderivative", alpha: 1, clients: SIZES.length, localSteps: STEPS, batch: 17 },
    ...{ optimizer: { name: "sgd", rate: 1e-2, momentum: 0.5 }, clientState: "reset", ...more },
  });
  const replicas = [replicaOf(problem, options)];
  const { shape } = replicaData([problem], {}).training(chosenInRound(replicas));
  const program = simplify(programOfRound(replicas, shape, {}));
  const counts = new Map<string, number>();
  for (const { id } of program.liveTensors()) {
    const node = program.nodes[id];
    if (node.kind === "operation") counts.set(node.operation, (counts.get(node.operation) ?? 0) + 1);
  }
  return counts;
}

it("SCAFFOLD II makes its correction once a round, and repeats and joins no vector that comes in one piece", () => {
  const [plain, corrected] = [{}, { strategy: { name: "scaffold", control: "II" } }].map(operations);
  const more = (name: string) => (corrected.get(name) ?? 0) - (plain.get(name) ?? 0);
  const blocks = smallProblem(SIZES).operator.layout.length;
  expect(more("broadcast")).toBe(0);
  expect(more("concat")).toBeLessThanOrEqual(1); // of the small weights of the correction
  expect(more("slice")).toBeLessThanOrEqual(blocks);
  expect(more("multiply")).toBe(2); // by what a step counts, and by the server's rate
  // The correction; x - y_k; c_k+; its difference from c_k; and x + rate (mean - x).
  expect(more("subtract")).toBe(5);
});
