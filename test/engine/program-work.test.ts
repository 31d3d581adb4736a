import { describe, expect, it } from "vitest";
import { gradient } from "../../src/engine/gradient.js";
import {
  add,
  convolve,
  convolveBack,
  convolveKernel,
  matmul,
  reshape,
  sum,
  tanh,
} from "../../src/engine/operations.js";
import { Program, type Tensor } from "../../src/engine/program.js";
import { workOf } from "../../src/engine/program-work.js";

/** What a program of one output computes. */
function work(build: (input: (name: string, shape: readonly number[]) => Tensor) => Tensor) {
  const program = new Program();
  program.output(
    "result",
    build((name, shape) => program.input(name, shape)),
  );
  return workOf(program);
}

describe("the work of a program", () => {
  it("is rows times columns times the inner length, of products of matrices", () => {
    const product = (options = {}) =>
      work((input) => matmul(input("a", [4, 3, 5]), input("b", [4, 5, 7]), options)).products;
    expect(product()).toBe(4 * 3 * 7 * 5);
    expect(
      work((input) => matmul(input("a", [5, 3]), input("b", [5, 7]), { transposeA: true })).products,
    ).toBe(3 * 7 * 5);
  });

  it("is the same for a convolution and its two transposes, which share one sum", () => {
    const [samples, out, of, size, kernel] = [2, 6, 3, 8, 3];
    const places = size - kernel + 1;
    const expected = samples * out * of * (places * kernel) ** 2;
    const fields = [samples, of, size, size];
    const kernels = [out, of, kernel, kernel];
    const results = [samples, out, places, places];
    expect(work((input) => convolve(input("x", fields), input("k", kernels))).products).toBe(expected);
    expect(
      work((input) => convolveBack(input("y", results), input("k", kernels), [size, size])).products,
    ).toBe(expected);
    expect(
      work((input) => convolveKernel(input("x", fields), input("y", results), [kernel, kernel])).products,
    ).toBe(expected);
  });

  it("counts what other operations write, and no reshapes", () => {
    expect(work((input) => reshape(tanh(input("x", [3, 4])), [12]))).toEqual({
      products: 0,
      numbers: 12,
      operations: 1,
    });
    expect(work((input) => sum(add(input("x", [3, 4]), 1))).numbers).toBe(13);
  });

  it("is three times as much with gradients for both factors", () => {
    const program = new Program();
    const [a, b] = [program.input("a", [3, 5]), program.input("b", [5, 7])];
    const y = matmul(a, b);
    program.output("y", y);
    gradient(y, [a, b], tanh(y)).forEach((g, i) => {
      program.output(`g${i}`, g);
    });
    expect(workOf(program).products).toBe(3 * (3 * 5 * 7));
  });
});
