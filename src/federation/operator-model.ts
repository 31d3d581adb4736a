import { encodeOnnx } from "../engine/onnx/encode.js";
import { Program } from "../engine/program.js";
import { weightsOf } from "../models/parameter-layout.js";
import type { Operator } from "./operator.js";

/**
 * The trained operator as the bytes of an `.onnx` file: `inputs` [samples, numbers of an input] in,
 * `responses` [samples, numbers of a response] out, for any number of samples.
 */
export function operatorModel(operator: Operator, inputSize: number, parameters: Float32Array): Uint8Array {
  const program = new Program();
  const inputs = program.input("inputs", [1, inputSize]);
  const weights = weightsOf(program.constant(parameters), operator.layout);
  program.output("responses", operator.predict(weights, inputs));
  const samples = { 0: "samples" };
  return encodeOnnx(program, { openAxes: { inputs: samples, responses: samples } });
}
