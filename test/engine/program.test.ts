import { describe, expect, it } from "vitest";
import { gradient } from "../../src/engine/gradient.js";
import { add, exp, multiply, reshape, sum, tanh } from "../../src/engine/operations.js";
import { Program } from "../../src/engine/program.js";

describe("a program", () => {
  it("computes the same thing once", () => {
    const program = new Program();
    const x = program.input("x", [3]);
    expect(exp(multiply(x, 2))).toBe(exp(multiply(x, 2)));
    expect(reshape(x, [3, 1])).not.toBe(reshape(x, [1, 3]));
    expect(program.constant(0.1)).toBe(program.constant(0.1));
    expect(program.constant(0.1)).not.toBe(program.constant(0.2));
  });

  it("keeps only what an output depends on, and all inputs", () => {
    const program = new Program();
    const x = program.input("x", [3]);
    const unused = program.input("unused", [2]);
    exp(x);
    const y = tanh(x);
    program.output("y", y);
    expect(program.liveTensors()).toEqual([x, unused, y]);
  });

  it("gives zeros for what a value does not depend on", () => {
    const program = new Program();
    const x = program.input("x", [3]);
    const [g] = gradient(sum(x), [program.input("other", [2, 2])]);
    expect(g.shape).toEqual([2, 2]);
  });

  it.each([
    ['has an input or output "x" already', (program: Program) => program.input("x", [1])],
    ['has an input or output "y" already', (program: Program) => program.output("y", program.constant(1))],
    ['has an input or output "y" already', (program: Program) => program.input("y", [1])],
    ['input "bad" has shape [2, 0]', (program: Program) => program.input("bad", [2, 0])],
    [
      "a constant of shape [2, 2] cannot hold 3 values",
      (program: Program) => program.constant([1, 2, 3], [2, 2]),
    ],
    [
      'output "z" is a tensor of another program',
      (program: Program) => program.output("z", new Program().constant(1)),
    ],
    [
      'output "z" must be float, not int',
      (program: Program) => program.output("z", program.constantInts([1])),
    ],
    ['carry needs an output and an input, not "y" and "z"', (program: Program) => program.carry("y", "z")],
    [
      'output "y" of shape [3] cannot become input "w" of shape [4]',
      (program: Program) => program.carry("y", "w"),
    ],
  ])("tells that %s", (message, mistake) => {
    const program = new Program();
    program.input("w", [4]);
    program.output("y", add(program.input("x", [3]), 1));
    expect(() => mistake(program)).toThrow(message);
  });
});
