import { describe, expect, it } from "vitest";
import type { Ffi } from "../../../../src/engine/cuda/device/ffi.js";
import {
  candidates,
  LibraryError,
  type LibraryKind,
  type Machine,
  openLibrary,
  searchFolders,
} from "../../../../src/engine/cuda/device/libraries.js";
import { machineWith } from "./machine.js";

const paths = (kind: LibraryKind, machine: Machine, majors?: readonly number[]) =>
  candidates(kind, machine, majors).map(({ path }) => path);

/** Loads these libraries alone, and notes what was loaded. */
function loader(there: readonly string[], opened: string[] = []): Ffi {
  return {
    open(path) {
      if (!there.includes(path)) throw new Error("no such file");
      opened.push(path);
      return { status: () => () => 0, statusLater: () => async () => 0, text: () => () => path };
    },
    address: () => 0n,
    view: (_, bytes) => new ArrayBuffer(bytes),
    textAt: () => "",
  };
}

describe("the search for CUDA's libraries", () => {
  it("asks the system's loader first, for the newest version first", () => {
    expect(paths("driver", machineWith([]))).toEqual(["libcuda.so.1"]);
    expect(paths("nvrtc", machineWith([]))).toEqual(["libnvrtc.so.13", "libnvrtc.so.12"]);
    expect(paths("cublas", machineWith([]), [12])).toEqual(["libcublas.so.12"]);
  });

  it.each([
    ["the toolkit's folder", "/usr/local/cuda/lib64/libnvrtc.so.13", {}],
    ["a toolkit of its own version", "/usr/local/cuda-12.9/targets/x86_64-linux/lib/libnvrtc.so.12", {}],
    ["Debian's folder", "/usr/lib/x86_64-linux-gnu/libnvrtc.so.12", {}],
    ["LD_LIBRARY_PATH", "/opt/b/libnvrtc.so.12", { LD_LIBRARY_PATH: "/opt/a:/opt/b" }],
    ["CUDA_HOME", "/opt/cuda/lib64/libnvrtc.so.12", { CUDA_HOME: "/opt/cuda" }],
    ["CUDA_PATH", "/opt/cuda/lib/libnvrtc.so.13", { CUDA_PATH: "/opt/cuda" }],
    [
      "a virtual environment",
      "/env/lib/python3.12/site-packages/nvidia/cuda_nvrtc/lib/libnvrtc.so.12",
      { VIRTUAL_ENV: "/env" },
    ],
    [
      "a wheel of CUDA 13",
      "/env/lib/python3.13/site-packages/nvidia/cu13/lib/libnvrtc.so.13",
      { VIRTUAL_ENV: "/env" },
    ],
    [
      "conda's wheels",
      "/conda/lib/python3.11/site-packages/nvidia/cuda_nvrtc/lib/libnvrtc.so.12",
      { CONDA_PREFIX: "/conda" },
    ],
    ["conda's own packages", "/conda/lib/libnvrtc.so.12", { CONDA_PREFIX: "/conda" }],
    [
      "the user's wheels",
      "/placement/someone/.local/lib/python3.11/site-packages/nvidia/cuda_nvrtc/lib/libnvrtc.so.12",
      {},
    ],
    ["the system's wheels", "/usr/lib/python3.11/dist-packages/nvidia/cuda_nvrtc/lib/libnvrtc.so.12", {}],
  ])("looks into %s", (_, file, environment) => {
    expect(paths("nvrtc", machineWith([file], environment as Record<string, string>))).toContain(file);
  });

  it("looks beside the python3 of the path, wherever that really lies", () => {
    const file = "/opt/python/lib/python3.12/site-packages/nvidia/cublas/lib/libcublas.so.12";
    const links = { "/usr/bin/python3": "/opt/python/bin/python3.12" };
    expect(paths("cublas", machineWith([file], { PATH: "/bin:/usr/bin" }, { links }))).toContain(file);
  });

  it.each([
    "/my/libcublas.so.12",
    "/my/lib64/libcublas.so.12",
    "/my/targets/x86_64-linux/lib/libcublas.so.12",
    "/my/nvidia/cublas/lib/libcublas.so.12",
    "/my/cublas/lib/libcublas.so.12",
  ])("prefers the folder that the user names, as in %s", (file) => {
    const machine = machineWith([file, "/usr/local/cuda/lib64/libcublas.so.13"], {
      PDE_DIRICHLET_CUDA: "/my",
    });
    expect(paths("cublas", machine)[0]).toBe(file);
  });

  it("takes the newest of several toolkits first", () => {
    const files = ["12.2", "12.10", "13.0"].map(
      (v) => `/usr/local/cuda-${v}/lib64/libnvrtc.so.${v.slice(0, 2)}`,
    );
    const found = paths("nvrtc", machineWith(files)).filter((path) => path.startsWith("/"));
    expect(found).toEqual([files[2], files[1], files[0]]);
  });

  it("leaves out what is newer than the driver", () => {
    const files = [12, 13].map((major) => `/usr/local/cuda/lib64/libcublas.so.${major}`);
    expect(paths("cublas", machineWith(files), [12])).toEqual(["libcublas.so.12", files[0]]);
  });

  it("knows the names on Windows", () => {
    const bin = "C:/cuda/bin/x64";
    const files = ["nvrtc64_130_0.dll", "nvrtc-builtins64_130.dll", "cublas64_13.dll", "cublasLt64_13.dll"];
    const machine = machineWith(
      files.map((file) => `${bin}/${file}`),
      { CUDA_PATH: "C:/cuda" },
      { platform: "win32" },
    );
    expect(paths("driver", machine)).toEqual(["nvcuda.dll"]);
    expect(candidates("nvrtc", machine).at(-1)).toEqual({
      path: `${bin}/nvrtc64_130_0.dll`,
      before: [`${bin}/nvrtc-builtins64_130.dll`],
    });
    expect(candidates("cublas", machine).at(-1)).toEqual({
      path: `${bin}/cublas64_13.dll`,
      before: [`${bin}/cublasLt64_13.dll`],
    });
  });
});

describe("opening a library", () => {
  const folder = "/usr/local/cuda/lib64";
  const cublas = ["libcublas.so.12", "libcublasLt.so.12"].map((name) => `${folder}/${name}`);

  it("loads what a library needs before it", () => {
    const opened: string[] = [];
    const { path } = openLibrary(loader(cublas, opened), "cublas", machineWith(cublas));
    expect(path).toBe(cublas[0]);
    expect(opened).toEqual([cublas[1], cublas[0]]);
    const nvrtc = ["libnvrtc.so.12", "libnvrtc-builtins.so.12.9", "libnvrtc-builtins.alt.so.12.9"];
    const all = nvrtc.map((name) => `${folder}/${name}`);
    expect(candidates("nvrtc", machineWith(all)).at(-1)?.before).toEqual([all[1]]);
  });

  it("says where it looked when there is nothing, and what to do", () => {
    const machine = machineWith([], { PDE_DIRICHLET_CUDA: "/my", CUDA_HOME: "/opt/cuda" });
    const open = () => openLibrary(loader([]), "nvrtc", machine, [12]);
    expect(open).toThrow(LibraryError);
    expect(open).toThrow(/no NVRTC for CUDA 12; install .* or name a folder in PDE_DIRICHLET_CUDA/);
    try {
      open();
    } catch (error) {
      const { searched } = error as LibraryError;
      expect(searched[0]).toBe("/my");
      expect(searched).toEqual(
        expect.arrayContaining(["/my/lib64", "/opt/cuda/lib64", "/usr/local/cuda/lib64"]),
      );
    }
  });

  it("names a library that is there but broken", () => {
    const open = () => openLibrary(loader([]), "cublas", machineWith(cublas));
    expect(open).toThrow(`${cublas[0]} cannot be loaded (no such file)`);
  });

  it("names every folder once", () => {
    const machine = machineWith([], { CUDA_HOME: "/opt/cuda", CUDA_PATH: "/opt/cuda" });
    const { usual } = searchFolders(machine);
    expect(new Set(usual).size).toBe(usual.length);
  });
});
