import type { Backend } from "../../src/engine/backend.js";
import type { PlanOptions } from "../../src/engine/cuda/compile-plan.js";
import { cudaBackend } from "../../src/engine/cuda/cuda-backend.js";
import { agreementTests } from "./agreement.js";
import { describeOnDevice } from "./gpu.js";

/** Tests on a GPU that the backend with these options computes what the reference does. */
export function backendTests(title: string, options: PlanOptions = {}): void {
  describeOnDevice(title, (device) => {
    let backend: Backend | undefined;
    agreementTests(() => {
      backend ??= cudaBackend(device(), options);
      return backend;
    });
  });
}
