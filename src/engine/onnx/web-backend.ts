import type { Backend } from "../backend.js";
import { encodeOnnx } from "./encode.js";
import { OnnxExecutable, type TensorClass } from "./onnx-executable.js";
import type { InferenceSession } from "./onnx-runtime.js";

/** What is used of ONNX Runtime's build for the web, `onnxruntime-web/wasm`. */
export interface WebRuntime {
  readonly InferenceSession: {
    create(model: Uint8Array, options: InferenceSession.SessionOptions): Promise<InferenceSession>;
  };
  readonly Tensor: TensorClass;
}

/**
 * ONNX Runtime in WebAssembly, in float32: the programs of `onnxBackend`, in a page. The caller loads the runtime and sets
 * its threads, since a page loads it late and only a build of the page knows where its files are.
 */
export function webBackend({ InferenceSession, Tensor }: WebRuntime): Backend {
  return {
    name: "onnx-web",
    async compile(program) {
      // WebAssembly has no layout of fields in blocks.
      const session = await InferenceSession.create(encodeOnnx(program, { extensions: true }), {
        executionProviders: ["wasm"],
        executionMode: "sequential",
        graphOptimizationLevel: "all",
        logSeverityLevel: 3,
      });
      return new OnnxExecutable(program, session, { Tensor, precision: "float32" });
    },
  };
}
