import { describe, expect, it } from "vitest";
import { gradient } from "../../src/engine/gradient.js";
import { add, matmul, multiply, relu, reshape, slice, subtract, sum } from "../../src/engine/operations.js";
import { Program } from "../../src/engine/program.js";
import { referenceBackend } from "../../src/engine/reference.js";

describe("gradient", () => {
  it("is that of least squares", async () => {
    const program = new Program();
    const x = program.constant([1, 2, 3, 4, 5, 6], [3, 2]);
    const y = program.constant([1, 0, 1], [3, 1]);
    const w = program.input("w", [2, 1]);
    const residual = subtract(matmul(x, w), y);
    program.output("g", gradient(multiply(0.5, sum(multiply(residual, residual))), [w])[0]);
    const executable = await referenceBackend.compile(program);
    const { g } = await executable.run({ w: Float64Array.of(1, -1) });
    expect([...g]).toEqual([-2 * 1 - 1 * 3 - 2 * 5, -2 * 2 - 1 * 4 - 2 * 6]);
  });

  it("lays the gradients of slices side by side", () => {
    const program = new Program();
    const theta = program.input("theta", [9]);
    const w = reshape(slice(theta, 0, 0, 6), [2, 3]);
    const b = slice(theta, 0, 6, 9);
    const hidden = relu(add(matmul(program.constant([1, 2, 3, 4], [2, 2]), w), b));
    const [g] = gradient(sum(multiply(hidden, hidden)), [theta]);
    const node = program.nodes[g.id];
    expect(node.kind === "operation" && node.operation).toBe("concat");
  });
});
