/** ONNX Runtime, which keeps to itself what it is used for. */
import "./no-telemetry.js";

export { env, InferenceSession, Tensor as OrtTensor } from "onnxruntime-node";
