import { encodeOnnx } from "../engine/onnx/encode.js";
import { Program, type Tensor } from "../engine/program.js";
import { parameterCount, weightsOf } from "../models/parameter-layout.js";
import { elements } from "../numerics/shape.js";
import type { Federation } from "./federation.js";
import { scaledTensor, unscaledTensor } from "./scaled-tensors.js";

/**
 * The trained operator as the bytes of an `.onnx` file: `inputs` [samples, numbers of an input] in,
 * `responses` [samples, numbers of a response] out, both in the
 * units of the data; for any number of samples where the operator allows it, else for one.
 */
export function operatorModel(given: Predicting, parameters: Float32Array): Uint8Array {
  const program = new Program();
  const inputs = program.input("inputs", [1, elements(given.inputShape)]);
  program.output("responses", predicted(given, program.constant(parameters), inputs));
  const samples = { 0: "samples" };
  return encodeOnnx(program, {
    openAxes: given.operator.anySamples ? { inputs: samples, responses: samples } : {},
  });
}

/** A program with `parameters` and one sample's `inputs` in and its `responses` out, both in the units of the data. */
export function predictionProgram(given: Predicting): Program {
  const program = new Program();
  const parameters = program.input("parameters", [parameterCount(given.operator.layout)]);
  const inputs = program.input("inputs", [1, elements(given.inputShape)]);
  program.output("responses", predicted(given, parameters, inputs));
  return program;
}

type Predicting = Pick<Federation, "operator" | "scaling" | "inputShape">;

function predicted({ operator, scaling }: Predicting, parameters: Tensor, inputs: Tensor): Tensor {
  const weights = weightsOf(parameters, operator.layout);
  return unscaledTensor(operator.predict(weights, scaledTensor(inputs, scaling.inputs)), scaling.responses);
}
