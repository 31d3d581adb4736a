import { afterAll, beforeAll } from "vitest";
import type { Backend } from "../../src/engine/backend.js";
import { cudaBackend } from "../../src/engine/cuda/cuda-backend.js";
import { type Device, openDevice } from "../../src/engine/cuda/device/device.js";
import type { PlanOptions } from "../../src/engine/cuda/plan/compile-plan.js";
import { agreementTests } from "./agreement.js";
import { describeOnGpu } from "./gpu.js";

/** Tests on a GPU that the backend with these options computes what the reference does. */
export function backendTests(title: string, options: PlanOptions = {}): void {
  describeOnGpu(title, () => {
    let device: Device;
    let backend: Backend;
    beforeAll(async () => {
      device = await openDevice();
      backend = cudaBackend(device, options);
    });
    afterAll(() => device?.close());

    agreementTests(() => backend);
  });
}
