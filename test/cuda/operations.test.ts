import { afterAll, beforeAll } from "vitest";
import type { Backend } from "../../src/engine/backend.js";
import { cudaBackend } from "../../src/engine/cuda/cuda-backend.js";
import { type Device, openDevice } from "../../src/engine/cuda/device/device.js";
import { agreementTests } from "./agreement.js";
import { describeOnGpu } from "./gpu.js";

const ways = {
  "the CUDA backend": {},
  "the CUDA backend with kernels of ours for all products": { suits: () => true },
};

for (const [title, options] of Object.entries(ways))
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
