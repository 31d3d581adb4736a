import type { Backend } from "../backend.js";
import { blockSize } from "./block-size.js";
import { encodeOnnx } from "./encode.js";
import type { OnnxPrecision } from "./graph.js";
import { OnnxExecutable } from "./onnx-executable.js";
import { InferenceSession, OrtTensor } from "./onnx-runtime.js";

/** ONNX Runtime on the CPU, in float32. Needs Node. */
export const onnxBackend: Backend = backendIn("float32");

/** The same in float64, for statements about remainders: slower, and as exact as the reference. Needs Node. */
export const onnxDoubleBackend: Backend = backendIn("float64");

function backendIn(precision: OnnxPrecision): Backend {
  return {
    name: precision === "float32" ? "onnx" : "onnx-double",
    async compile(program, { threads = 1 } = {}) {
      const block = precision === "float32" ? await blockSize() : 1;
      const bytes = encodeOnnx(program, { extensions: true, block, precision });
      const session = await InferenceSession.create(bytes, {
        executionProviders: ["cpu"],
        executionMode: "sequential",
        graphOptimizationLevel: "all",
        intraOpNumThreads: threads,
        interOpNumThreads: 1,
        logSeverityLevel: 3,
      });
      return new OnnxExecutable(program, session, { Tensor: OrtTensor, precision });
    },
  };
}
