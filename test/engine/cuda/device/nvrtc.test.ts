import { describe, expect, it } from "vitest";
import { loadFfi } from "../../../../src/engine/cuda/device/ffi.js";
import { LibraryError } from "../../../../src/engine/cuda/device/libraries.js";
import { openNvrtc, targetFor } from "../../../../src/engine/cuda/device/nvrtc.js";

describe("the target of a kernel", () => {
  it("is the GPU's own architecture where the compiler knows it", () => {
    expect(targetFor([9, 0], [75, 80, 90, 100])).toBe("sm_90");
    expect(targetFor([12, 0], [75, 120])).toBe("sm_120");
  });

  it("is the newest older one, for the driver to finish, where it does not", () => {
    expect(targetFor([10, 3], [75, 80, 90])).toBe("compute_90");
  });

  it("is refused for a GPU that is too old", () => {
    expect(() => targetFor([6, 1], [75, 80])).toThrow(/capability 6.1 is too old: NVRTC begins at 7.5/);
  });
});

const nvrtc = await loadFfi()
  .then((ffi) => openNvrtc(ffi))
  .catch((error) => {
    if (error instanceof LibraryError) return undefined;
    throw error;
  });

describe.skipIf(nvrtc === undefined)("NVRTC, which needs no GPU", () => {
  const kernel = 'extern "C" __global__ void scale(float *x) { x[threadIdx.x] *= 2.0f; }';

  it("compiles a kernel for Hopper to a binary of its own", () => {
    const binary = nvrtc!.compile(kernel, "sm_90");
    expect([...binary.subarray(0, 4)]).toEqual([0x7f, 0x45, 0x4c, 0x46]); // ELF
    expect(Buffer.from(binary).includes("scale")).toBe(true);
    expect([...nvrtc!.compile(kernel, "sm_90")]).toEqual([...binary]);
  });

  it("compiles several texts at the same time, to the same binaries", async () => {
    const texts = ["a", "b", "c", "d"].map((name) => kernel.replace("scale", name));
    const binaries = await Promise.all(texts.map((text) => nvrtc!.compileLater(text, "sm_90")));
    expect(binaries.map((binary) => [...binary])).toEqual(
      texts.map((text) => [...nvrtc!.compile(text, "sm_90")]),
    );
    await expect(nvrtc!.compileLater("__global__ void f() { y = 1; }", "sm_90")).rejects.toThrow(/"y"/);
  });

  it("compiles to PTX for GPUs to come", () => {
    expect(new TextDecoder().decode(nvrtc!.compile(kernel, "compute_90"))).toMatch(/\.target sm_90/);
  });

  it("has stack enough for an expression of many levels", async () => {
    const sum = Array.from({ length: 700 }).reduce<string>((sum, _, i) => `fmaxf(${sum}, x[${i}])`, "x[0]");
    const text = `extern "C" __global__ void deep(float *x) { x[0] = ${sum}; }`;
    expect(nvrtc!.compile(text, "sm_90").length).toBeGreaterThan(1000);
    expect((await nvrtc!.compileLater(text, "sm_90")).length).toBeGreaterThan(1000);
  });

  it("shows what is wrong with a kernel", () => {
    expect(() => nvrtc!.compile("__global__ void f() { y = 1; }", "sm_90")).toThrow(
      /NVRTC_ERROR_COMPILATION\s.*identifier "y" is undefined/s,
    );
  });
});
