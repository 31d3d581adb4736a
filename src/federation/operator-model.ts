import { encodeOnnx } from "../engine/onnx/encode.js";
import { Program } from "../engine/program.js";
import { deepOnet } from "../models/deeponet.js";
import type { FederatedProblem } from "./federated-problem.js";

/**
 * The trained operator as the bytes of an `.onnx` file: sampled input functions `inputs` [samples, sensors] in,
 * solutions at all points `responses` [samples, points] out, for any number of samples.
 */
export function operatorModel(
  { sizes, points }: Pick<FederatedProblem, "sizes" | "points">,
  parameters: Float32Array,
): Uint8Array {
  const program = new Program();
  const count = points.length / sizes.coordinates;
  const inputs = program.input("inputs", [1, sizes.sensors]);
  const prediction = deepOnet(
    program.constant(parameters, [parameters.length]),
    inputs,
    program.constant(points, [count, sizes.coordinates]),
    sizes,
  );
  program.output("responses", prediction);
  const samples = { 0: "samples" };
  return encodeOnnx(program, { openAxes: { inputs: samples, responses: samples } });
}
