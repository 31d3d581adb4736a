import { expect } from "vitest";
import { type PlanOptions, planOf } from "../../../../src/engine/cuda/compile-plan.js";
import type { Plan } from "../../../../src/engine/cuda/plan/plan.js";
import { Program, type Tensor } from "../../../../src/engine/program.js";
import type { Shape } from "../../../../src/engine/shape.js";
import { draw, error, evaluate } from "../../evaluation.js";
import { interpretingBackend } from "./interpret.js";

/** What is made of inputs. */
export type Build = (xs: readonly Tensor[]) => readonly Tensor[];

/** Plans of programs with inputs of some shapes, by default with these options. */
export function plansWith(usual: PlanOptions) {
  return (shapes: readonly Shape[], build: Build, options = usual): Plan => {
    const program = new Program();
    const inputs = shapes.map((shape, i) => program.input(`x${i}`, shape));
    build(inputs).forEach((tensor, i) => {
      program.output(`y${i}`, tensor);
    });
    return planOf(program, options);
  };
}

/** Expects that such plans, carried out, come to what the reference computes. */
export function agreementWith(usual: PlanOptions) {
  return async (shapes: readonly Shape[], build: Build, options = usual): Promise<void> => {
    const values = shapes.map((shape, i) => draw(shape, `input ${i}`));
    const expected = await evaluate(build, shapes, values);
    const actual = await evaluate(build, shapes, values, interpretingBackend(options));
    actual.forEach((y, i) => {
      expect(error(y, expected[i])).toBeLessThan(1e-10);
    });
  };
}
