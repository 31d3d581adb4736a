import { findDevices } from "../../src/engine/cuda/device/device.js";

/** Says once, before all tests, on what they run or that they do not. */
export default async function announce(): Promise<void> {
  const found = await findDevices();
  if ("why" in found) console.log(`skipped: ${found.why}`);
  else console.log(`on ${found.gpus[0].name}, CUDA ${found.libraries.driver.version}`);
}
