import { describe, expect, it } from "vitest";
import { DeviceError, OptionError } from "../../src/errors.js";
import { checkDevice, openBackend, sharedBackend } from "../../src/federation/backends.js";

process.env.CUDA_VISIBLE_DEVICES = ""; // no GPU is found, whether there is one or not

describe("the backend of a run without a GPU", () => {
  it("is on the CPU if nothing else is asked for, and is recorded", async () => {
    const { backend, hardware } = await openBackend({ backend: "onnx" });
    expect(backend.name).toBe("onnx");
    expect(hardware).toEqual({ backend: "onnx" });
    expect((await openBackend({ backend: "reference" }, "auto")).backend.name).toBe("reference");
    expect((await openBackend({ backend: "onnx" }, "cpu")).backend.name).toBe("onnx");
  });

  it("is refused if a GPU is asked for", async () => {
    await expect(openBackend({ backend: "onnx" }, "cuda")).rejects.toThrow(DeviceError);
    await expect(checkDevice("cuda")).rejects.toThrow(DeviceError);
    await checkDevice("auto");
  });

  it("never computes in float32 what was to be in TF32", async () => {
    await expect(openBackend({ backend: "onnx", tf32: true }, "auto")).rejects.toThrow(DeviceError);
    await expect(openBackend({ backend: "onnx", tf32: true }, "cpu")).rejects.toThrow(OptionError);
  });

  it("is never CUDA in place of the reference", async () => {
    await expect(openBackend({ backend: "reference" }, "cuda")).rejects.toThrow(/reference .* CPU/);
  });

  it("is opened once for all runs of a kind", async () => {
    const backends = sharedBackend("cpu");
    const first = await backends.of({ backend: "onnx" });
    expect(await backends.of({ backend: "onnx" })).toBe(first);
    expect(await backends.of({ backend: "reference" })).not.toBe(first);
    await backends.close();
  });
});
