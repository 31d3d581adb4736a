import { afterAll, beforeAll, describe } from "vitest";
import { type Device, findDevices, openDevice } from "../../src/engine/cuda/device/device.js";

const found = await findDevices();

/** Why there is no GPU to test on; undefined if there is one. */
export const missing = "why" in found ? found.why : undefined;

/** Tests that need a GPU. Without one they are skipped, and their title says why. */
export function describeOnGpu(title: string, tests: () => void): void {
  if (missing === undefined) describe(title, tests);
  else describe.skip(`${title} (skipped: ${missing})`, tests);
}

/** Tests that share a device, which is closed after them. */
export function describeOnDevice(title: string, tests: (device: () => Device) => void): void {
  describeOnGpu(title, () => {
    let device: Device;
    beforeAll(async () => {
      device = await openDevice();
    });
    afterAll(() => device?.close());

    tests(() => device);
  });
}
