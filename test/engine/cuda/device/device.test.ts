import { describe, expect, it } from "vitest";
import { findDevices, openDevice } from "../../../../src/engine/cuda/device/device.js";
import { machineWith } from "./machine.js";

// A driver that the loader does not find by its plain name either: that of another system.
const nowhere = machineWith([], { PATH: "C:/Windows" }, { platform: "win32" });

describe("a machine without CUDA", () => {
  it("has no devices, and says why and where it looked", async () => {
    const found = await findDevices(nowhere);
    expect(found.gpus).toEqual([]);
    expect(found).toMatchObject({ why: expect.stringMatching(/^there is no NVIDIA driver; install/) });
    expect("searched" in found && found.searched).toContain("C:/Windows");
  });

  it("opens none", async () => {
    await expect(openDevice({ machine: nowhere })).rejects.toThrow(/no NVIDIA driver/);
  });
});
