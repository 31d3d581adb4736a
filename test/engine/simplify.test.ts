import { describe, expect, it } from "vitest";
import { gradient } from "../../src/engine/gradient.js";
import { broadcast, exp, matmul, multiply, reshape, sum } from "../../src/engine/operations.js";
import { type OperationName, Program } from "../../src/engine/program.js";
import { simplify } from "../../src/engine/simplify.js";

const operations = (program: Program, name: OperationName) =>
  program.liveTensors().filter(({ id }) => {
    const node = program.nodes[id];
    return node.kind === "operation" && node.operation === name;
  });

describe("a simplified program", () => {
  it("multiplies small tensors before it repeats them", () => {
    const program = new Program();
    const x = program.input("x", [64, 1000]);
    const weights = program.input("weights", [64, 1]);
    const [g] = gradient(sum(multiply(multiply(x, x), weights)), [x]);
    program.output("g", g);
    const live = simplify(program).liveTensors();
    expect(live.filter(({ shape }) => shape[0] === 64 && shape[1] === 1000)).toHaveLength(2);
  });

  it("multiplies matrices before it repeats them", () => {
    const program = new Program();
    const x = program.input("x", [64, 7]);
    const weights = broadcast(program.input("weights", [7, 5]), [10, 7, 5]);
    program.output("y", matmul(x, weights));
    program.output("z", matmul(program.input("each", [10, 3, 7]), weights));
    const products = operations(simplify(program), "matmul").map(({ shape }) => shape);
    expect(products).toEqual([
      [64, 5],
      [10, 3, 5],
    ]);
  });

  it("repeats a row before it is multiplied as a matrix", () => {
    const program = new Program();
    const row = broadcast(program.input("row", [1, 5]), [7, 5]);
    program.output("y", matmul(program.input("x", [2, 7]), row));
    expect(operations(simplify(program), "broadcast")).toHaveLength(1);
  });

  it("reshapes once, or not at all", () => {
    const program = new Program();
    const x = program.input("x", [4, 6]);
    const there = reshape(reshape(x, [24]), [2, 12]);
    program.output("there", there);
    program.output("back", exp(reshape(there, [4, 6])));
    const simple = simplify(program);
    expect(operations(simple, "reshape").map(({ shape }) => shape)).toEqual([[2, 12]]);
  });

  it("keeps inputs, outputs and what is carried", () => {
    const program = new Program();
    program.input("unused", [2], "int");
    program.output("next", exp(program.input("x", [3])));
    program.carry("next", "x");
    const simple = simplify(program);
    expect([...simple.inputs.keys()]).toEqual(["unused", "x"]);
    expect([...simple.outputs.keys()]).toEqual(["next"]);
    expect([...simple.carried]).toEqual([["next", "x"]]);
  });

  it("leaves the gradient with respect to a repeated tensor to the program as it was written", () => {
    const program = new Program();
    const repeated = broadcast(program.input("x", [3]), [2, 3]);
    const [g] = gradient(sum(multiply(repeated, repeated)), [repeated]);
    const node = program.nodes[g.id];
    expect(node.kind === "operation" && node.operation).toBe("multiply");
  });
});
