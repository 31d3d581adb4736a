import type { Backend } from "../engine/backend.js";
import { referenceBackend } from "../engine/reference.js";
import type { BackendName } from "./run-options.js";

/** The backend of this name. ONNX Runtime is loaded when it is asked for. */
export async function backendOf(name: BackendName): Promise<Backend> {
  if (name === "reference") return referenceBackend;
  return (await import("../engine/onnx/onnx-backend.js")).onnxBackend;
}
