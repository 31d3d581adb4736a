import { describe, expect, it } from "vitest";
import { gradient } from "../../src/engine/gradient.js";
import { onnxBackend } from "../../src/engine/onnx/onnx-backend.js";
import { multiply, subtract, sum } from "../../src/engine/operations.js";
import { adam, awayFromZero, type Optimizer, sgd } from "../../src/engine/optimizers.js";
import { Program } from "../../src/engine/program.js";
import { referenceBackend } from "../../src/engine/reference.js";
import { draw, error } from "./evaluation.js";

const REPLICAS = 3;
const SIZE = 7;
const STEPS = 60;
const RATE = 0.05;

const start = draw([REPLICAS, SIZE], "start");
const curvature = draw([REPLICAS, SIZE], "curvature", [1e-3, 3]);
const target = draw([REPLICAS, SIZE], "target");

/** Least squares with its gradient curvature (theta - target), one number after another. */
function plainly(step: (theta: number, g: number, t: number, memory: number[]) => number): Float64Array {
  return start.map((theta, i) => {
    const memory = [0, 0];
    let at = theta;
    for (let t = 1; t <= STEPS; t++) at = step(at, curvature[i] * (at - target[i]), t, memory);
    return at;
  });
}

/** torch.optim.Adam and torch.optim.SGD by their documentation. */
const plainAdam = plainly((theta, g, t, memory) => {
  memory[0] = 0.9 * memory[0] + 0.1 * g;
  memory[1] = 0.999 * memory[1] + 0.001 * g * g;
  const mean = memory[0] / (1 - 0.9 ** t);
  const square = memory[1] / (1 - 0.999 ** t);
  return theta - (RATE * mean) / (Math.sqrt(square) + 1e-8);
});
const plainSgd = (momentum: number) =>
  plainly((theta, g, _, memory) => {
    memory[0] = momentum * memory[0] + g;
    return theta - RATE * memory[0];
  });

async function trained(optimizer: Optimizer, backend: typeof referenceBackend) {
  const shape = [REPLICAS, SIZE];
  const program = new Program();
  const theta = program.input("theta", shape);
  const numbers = optimizer.coefficients(1).map((_, i) => program.input(`coefficient ${i}`, []));
  const state = optimizer.stateVectors.map((name) => program.input(name, shape));
  const distance = subtract(theta, program.constant(target, shape));
  const energy = multiply(
    0.5,
    sum(multiply(multiply(distance, distance), program.constant(curvature, shape))),
  );
  const next = optimizer.update(theta, gradient(energy, [theta])[0], state, numbers);
  program.output("next theta", next.parameters);
  program.carry("next theta", "theta");
  next.state.forEach((tensor, i) => {
    const name = optimizer.stateVectors[i];
    program.output(`next ${name}`, tensor);
    program.carry(`next ${name}`, name);
  });
  const executable = await backend.compile(program);
  executable.write("theta", start);
  for (const name of optimizer.stateVectors) executable.write(name, new Float32Array(REPLICAS * SIZE));
  for (let t = 1; t <= STEPS; t++) {
    const now = optimizer.coefficients(t).map((value, i) => [`coefficient ${i}`, Float64Array.of(value)]);
    await executable.run(Object.fromEntries(now));
  }
  const result = executable.read("theta");
  await executable.close();
  return result;
}

describe.each([
  ["Adam", adam({ rate: RATE }), plainAdam],
  ["SGD with momentum", sgd({ rate: RATE, momentum: 0.9 }), plainSgd(0.9)],
  ["SGD without momentum", sgd({ rate: RATE, momentum: 0 }), plainSgd(0)],
])("%s", (_, optimizer, expected) => {
  it("takes the steps that its formulas give", async () => {
    expect(error(await trained(optimizer, referenceBackend), expected)).toBeLessThan(1e-12);
  });

  it("takes the same steps in float32", async () => {
    expect(error(await trained(optimizer, onnxBackend), expected)).toBeLessThan(2e-6);
  });
});

describe.each([
  ["Adam", adam()],
  ["SGD", sgd()],
])("%s", (_, optimizer) => {
  it("does not remember in subnormal numbers where gradients have stopped", async () => {
    const program = new Program();
    const state = optimizer.stateVectors.map((name) => program.input(name, [1]));
    const next = optimizer.update(
      program.input("theta", [1]),
      program.constant([0]),
      state.map(awayFromZero),
      optimizer.coefficients(1).map((value) => program.constant(value)),
    );
    program.output("next theta", next.parameters);
    const [remembered] = optimizer.stateVectors;
    program.output("next state", next.state[0]);
    program.carry("next theta", "theta");
    program.carry("next state", remembered);
    const executable = await onnxBackend.compile(program);
    executable.write("theta", Float32Array.of(0.1));
    for (const name of optimizer.stateVectors) executable.write(name, Float32Array.of(1));
    for (let i = 0; i < 2000; i++) await executable.run();
    expect(executable.read(remembered)[0]).toBeGreaterThan(1.2e-38);
    const settled = executable.read("theta")[0];
    await executable.run();
    expect(executable.read("theta")[0]).toBe(settled);
    await executable.close();
  });
});
