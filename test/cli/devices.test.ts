import { describe, expect, it } from "vitest";
import { deviceLines } from "../../src/cli/devices.js";
import { workFolder } from "./command.js";

const multiprocessors = { processors: 132, shared: 2 ** 17, blockShared: 2 ** 16 };

process.env.CUDA_VISIBLE_DEVICES = ""; // no GPU is found, whether there is one or not
const { run } = workFolder();
const cpu = { name: "A processor", cores: 8, memory: 2 ** 34, engine: "ONNX Runtime 1" };

describe("devices", () => {
  it("lists the CPU, the GPUs and the libraries", () => {
    const library = (version: string, path: string) => ({ version, path });
    const found = {
      gpus: [
        {
          index: 0,
          name: "NVIDIA H200",
          memory: 139 * 2 ** 30,
          capability: [9, 0] as const,
          multiprocessors,
        },
        { index: 1, name: "NVIDIA L4", memory: 22 * 2 ** 30, capability: [8, 9] as const, multiprocessors },
      ],
      libraries: {
        driver: library("13.0", "/usr/lib/libcuda.so.1"),
        nvrtc: library("12.9", "/a/libnvrtc.so.12"),
        cublas: library("12.8", "/b/libcublas.so.12"),
      },
    };
    expect(deviceLines(cpu, found)).toMatchInlineSnapshot(`
      "cpu     A processor, 8 cores, 16 GiB; ONNX Runtime 1
      cuda 0  NVIDIA H200, 139 GiB, compute capability 9.0
      cuda 1  NVIDIA L4, 22 GiB, compute capability 8.9

      driver  CUDA 13.0, /usr/lib/libcuda.so.1
      NVRTC   12.9, /a/libnvrtc.so.12
      cuBLAS  12.8, /b/libcublas.so.12"
    `);
  });

  it("says why there is no GPU and where it looked", () => {
    const found = { gpus: [], why: "there is no NVRTC", searched: ["/a", "/b"] } as const;
    expect(deviceLines(cpu, found)).toMatchInlineSnapshot(`
      "cpu     A processor, 8 cores, 16 GiB; ONNX Runtime 1
      cuda    none: there is no NVRTC

      Searched the paths of the system's loader, and
        /a
        /b"
    `);
  });

  it("is a command that works without a GPU", async () => {
    const { status, stdout, stderr } = await run("devices");
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    expect(stdout).toMatch(/^cpu {5}.* cores, \d+ GiB; ONNX Runtime [\d.]+\ncuda {4}none: \S/);
    const { cpu, cuda } = JSON.parse((await run("devices", "--json")).stdout);
    expect(cpu.cores).toBeGreaterThan(0);
    expect(cuda.gpus).toEqual([]);
  });
});

describe("--device cuda", () => {
  it.each([
    ["train", "antiderivative", "--alpha", "1"],
    ["study", "quickstart", "--out", "out"],
  ])("is refused by %s in one line where there is no GPU", async (...args) => {
    const { status, stdout, stderr } = await run(...args, "--device", "cuda");
    expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
    expect(stderr).toMatch(/^pde-dirichlet: .*(NVIDIA driver|GPU|CUDA).*\n$/);
    expect(stderr).not.toMatch(/unexpected/);
  });
});
