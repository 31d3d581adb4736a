import { expect } from "vitest";
import type { Backend, OutputValues } from "../../src/engine/backend.js";
import { Program, type Tensor } from "../../src/engine/program.js";
import { referenceBackend } from "../../src/engine/reference.js";
import type { Shape } from "../../src/engine/shape.js";
import { elements } from "../../src/numerics/shape.js";
import { stream } from "../../src/random/stream.js";

/** Uniform numbers from a named stream. */
export function draw(shape: Shape, name: string, [low, high] = [-1, 1]): Float64Array {
  const random = stream(7, name);
  return Float64Array.from({ length: elements(shape) }, () => low + (high - low) * random.uniform());
}

/** Traces a function of float tensors and runs it; one array for each tensor that it returns. */
export async function evaluate(
  build: (inputs: readonly Tensor[]) => readonly Tensor[],
  shapes: readonly Shape[],
  values: readonly Float64Array[],
  backend: Backend = referenceBackend,
): Promise<OutputValues[]> {
  const run = await compile(build, shapes, backend);
  const outputs = await run(values);
  await run.close();
  return outputs;
}

/** The same, for many runs. */
export async function compile(
  build: (inputs: readonly Tensor[]) => readonly Tensor[],
  shapes: readonly Shape[],
  backend: Backend = referenceBackend,
) {
  const program = new Program();
  const inputs = shapes.map((shape, i) => program.input(`x${i}`, shape));
  build(inputs).forEach((tensor, i) => {
    program.output(`y${i}`, tensor);
  });
  const executable = await backend.compile(program);
  const run = async (values: readonly Float64Array[]): Promise<OutputValues[]> =>
    Object.values(await executable.run(Object.fromEntries(values.map((value, i) => [`x${i}`, value]))));
  return Object.assign(run, { close: () => executable.close() });
}

/** Expects of a backend what the reference computes of drawn numbers, in float32, and the same bits twice. */
export async function expectTwice(
  build: (inputs: readonly Tensor[]) => readonly Tensor[],
  shapes: readonly Shape[],
  name: string,
  backend: Backend,
): Promise<void> {
  const values = shapes.map((shape, i) => draw(shape, `${name} ${i}`));
  const run = await compile(build, shapes, backend);
  const [first, again] = [await run(values), await run(values)];
  await run.close();
  const expected = await evaluate(build, shapes, values);
  expected.forEach((y, i) => {
    expect(error(first[i], y)).toBeLessThan(5e-6);
    expect(error(again[i], first[i])).toBe(0);
  });
}

/** Central differences of a scalar function with respect to each element of each operand. */
export async function differences(
  f: (values: readonly Float64Array[]) => Promise<number>,
  values: readonly Float64Array[],
  width = 1e-5,
): Promise<Float64Array[]> {
  const results = values.map((value) => new Float64Array(value.length));
  for (const [i, result] of results.entries()) {
    for (let k = 0; k < result.length; k++) {
      const at = async (shift: number) => {
        const moved = values.map((value) => value.slice());
        moved[i][k] += shift;
        return f(moved);
      };
      result[k] = ((await at(width)) - (await at(-width))) / (2 * width);
    }
  }
  return results;
}

/** The largest difference, relative to the largest of 1 and the expected values. */
export function error(actual: ArrayLike<number>, expected: ArrayLike<number>): number {
  if (actual.length !== expected.length) return Infinity;
  let difference = 0;
  let scale = 1;
  for (let i = 0; i < expected.length; i++) {
    difference = Math.max(difference, Math.abs(actual[i] - expected[i]));
    if (Number.isNaN(actual[i])) return NaN;
    scale = Math.max(scale, Math.abs(expected[i]));
  }
  return difference / scale;
}
