import { afterAll, beforeAll } from "vitest";
import type { Backend } from "../../src/engine/backend.js";
import { cudaBackend } from "../../src/engine/cuda/cuda-backend.js";
import { type Device, openDevice } from "../../src/engine/cuda/device.js";
import { agreementTests } from "./agreement.js";
import { describeOnGpu } from "./gpu.js";

describeOnGpu("the CUDA backend", () => {
  let device: Device;
  let backend: Backend;
  beforeAll(async () => {
    device = await openDevice();
    backend = cudaBackend(device);
  });
  afterAll(() => device?.close());

  agreementTests(() => backend);
});
