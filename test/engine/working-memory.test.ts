import { describe, expect, it } from "vitest";
import { add, broadcast, exp, matmul, multiply, reshape, sum } from "../../src/engine/operations.js";
import { Program } from "../../src/engine/program.js";
import { largestTensor, workingNumbers } from "../../src/engine/working-memory.js";

describe("the memory of a program", () => {
  it("is that of the tensors which are needed at the same time", () => {
    const program = new Program();
    let x = program.input("x", [10]);
    for (let i = 0; i < 5; i++) x = exp(x);
    program.output("y", x);
    expect(workingNumbers(program)).toBe(20); // an operand and its result
  });

  it("keeps what is used later, and outputs to the end", () => {
    const program = new Program();
    const x = exp(program.input("x", [10]));
    const later = exp(exp(exp(x)));
    program.output("z", x);
    program.output("y", add(later, multiply(x, 2)));
    expect(workingNumbers(program)).toBe(40); // x, later, 2 x, and their sum
  });

  it("counts neither reshapes, nor what is repeated only in being used", () => {
    const program = new Program();
    const x = program.input("x", [4, 5]);
    const products = matmul(broadcast(reshape(exp(x), [1, 4, 5]), [30, 4, 5]), program.input("w", [5, 1]));
    program.output("y", sum(products, [1, 2]));
    expect(workingNumbers(program)).toBeLessThan(200);
    expect(largestTensor(program)).toBe(600);
  });
});
