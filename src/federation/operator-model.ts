import { encodeOnnx } from "../engine/onnx/encode.js";
import { Program } from "../engine/program.js";
import { weightsOf } from "../models/parameter-layout.js";
import { elements } from "../numerics/shape.js";
import type { Federation } from "./federation.js";
import { scaledTensor, unscaledTensor } from "./scaled-tensors.js";

/**
 * The trained operator as the bytes of an `.onnx` file: `inputs` [samples, numbers of an input] in,
 * `responses` [samples, numbers of a response] out, both in the
 * units of the data; for any number of samples where the operator allows it, else for one.
 */
export function operatorModel(
  { operator, scaling, inputShape }: Pick<Federation, "operator" | "scaling" | "inputShape">,
  parameters: Float32Array,
): Uint8Array {
  const program = new Program();
  const inputs = program.input("inputs", [1, elements(inputShape)]);
  const weights = weightsOf(program.constant(parameters), operator.layout);
  const prediction = operator.predict(weights, scaledTensor(inputs, scaling.inputs));
  program.output("responses", unscaledTensor(prediction, scaling.responses));
  const samples = { 0: "samples" };
  return encodeOnnx(program, {
    openAxes: operator.anySamples ? { inputs: samples, responses: samples } : {},
  });
}
