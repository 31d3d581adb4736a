import { afterAll, beforeAll, describe, vi } from "vitest";
import type { Backend } from "../../../src/engine/backend.js";
import { cudaBackend } from "../../../src/engine/cuda/cuda-backend.js";
import type { Device } from "../../../src/engine/cuda/device.js";
import { agreementTests } from "../../cuda/agreement.js";
import { canEmulate, openEmulatedDevice } from "./emulation/emulated-device.js";

// Compilers take their time where other tests run beside.
vi.setConfig({ testTimeout: 600_000 });

describe.skipIf(!(await canEmulate()))("the CUDA backend, its kernels emulated on a CPU,", () => {
  let device: Device;
  let backend: Backend;
  beforeAll(async () => {
    device = await openEmulatedDevice();
    backend = cudaBackend(device);
  });
  afterAll(() => device?.close());

  agreementTests(() => backend, { trained: [] });
});
