import { describe, expect, it } from "vitest";
import { gradient } from "../../src/engine/gradient.js";
import { broadcast, exp, multiply, sum } from "../../src/engine/operations.js";
import { Program } from "../../src/engine/program.js";
import { simplify } from "../../src/engine/simplify.js";

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
