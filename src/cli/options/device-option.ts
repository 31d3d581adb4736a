import { Option } from "commander";
import { checkDevice, DEVICES, type DeviceName } from "../../federation/backends.js";
import { isWithoutGpu } from "../../schedulers/granted.js";
import { warn } from "../warning.js";

/** `--device`, of commands that train. */
export function deviceOption(): Option {
  return new Option("--device <name>", "device to train on; auto uses a GPU if CUDA works")
    .choices(DEVICES)
    .default("auto");
}

/** The device to train on. A job of a cluster that was given no GPU takes none, though its machine may have some. */
export async function chosenDevice(device: DeviceName): Promise<DeviceName> {
  await checkDevice(device);
  if (device !== "auto" || !isWithoutGpu()) return device;
  const { findDevices } = await import("../../engine/cuda/device/device.js");
  if (!("why" in (await findDevices())))
    warn(
      "this job was given no GPU: training on the CPU; --device cuda uses a GPU of the machine all the same",
    );
  return "cpu";
}
