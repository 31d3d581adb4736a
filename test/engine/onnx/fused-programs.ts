import { expect } from "vitest";
import { encodeOnnx } from "../../../src/engine/onnx/encode.js";
import { onnxBackend, onnxDoubleBackend } from "../../../src/engine/onnx/onnx-backend.js";
import { Program, type Tensor } from "../../../src/engine/program.js";
import { referenceBackend } from "../../../src/engine/reference.js";
import { draw, error } from "../evaluation.js";

const FIELDS = [2, 3, 6, 7];
const NUMBERS = [2, 3, 1, 1];

/** A program of fields x, and of a scale and a shift for each of them. */
export function written(build: (x: Tensor, scale: Tensor, shift: Tensor) => Tensor): Program {
  const program = new Program();
  const [scale, shift] = ["scale", "shift"].map((name) => program.input(name, NUMBERS));
  program.output("y", build(program.input("x", FIELDS), scale, shift));
  return program;
}

/** Checks a program in float32 and in float64 against the reference. */
export async function expectRight(program: Program): Promise<void> {
  const values = { x: draw(FIELDS, "x"), scale: draw(NUMBERS, "scale"), shift: draw(NUMBERS, "shift") };
  const [ours, inDouble, right] = await Promise.all(
    [onnxBackend, onnxDoubleBackend, referenceBackend].map(async (backend) =>
      (await backend.compile(program)).run(values),
    ),
  );
  expect(error(ours.y, right.y)).toBeLessThan(1e-6);
  expect(error(inDouble.y, right.y)).toBeLessThan(1e-14);
}

/** The bytes of a program as text, in which the types of nodes can be found. */
export const types = (program: Program): string =>
  Buffer.from(encodeOnnx(program, { extensions: true })).toString("latin1");

/** How many nodes of a type a program becomes. */
export const countOf = (type: string, program: Program): number =>
  types(program).split(`\x22${String.fromCharCode(type.length)}${type}`).length - 1;
