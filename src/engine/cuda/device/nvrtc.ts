import { DeviceError } from "../../../errors.js";
import { bind, type Ffi, received, received64 } from "./ffi.js";
import { type Machine, openLibrary } from "./libraries.js";

/** NVIDIA's compiler as a library. It needs neither a GPU nor a driver. */
export interface Nvrtc {
  readonly path: string;
  /** As `12.9`. */
  readonly version: string;
  /** Architectures that it compiles for: 90 is Hopper. */
  readonly architectures: readonly number[];
  /** Compiles CUDA C for a target of `targetFor`, to what `cuModuleLoadData` takes. */
  compile(source: string, target: string): Uint8Array;
  /** The same on another thread: several texts are compiled at the same time. */
  compileLater(source: string, target: string): Promise<Uint8Array>;
}

const PROTOTYPES = {
  nvrtcVersion: "void *major, void *minor",
  nvrtcGetNumSupportedArchs: "void *count",
  nvrtcGetSupportedArchs: "void *architectures",
  nvrtcCreateProgram:
    "void *program, const char *source, const char *name, int headers, void *texts, void *includes",
  nvrtcDestroyProgram: "void *program",
  nvrtcGetProgramLogSize: "uint64_t program, void *bytes",
  nvrtcGetProgramLog: "uint64_t program, void *log",
  nvrtcGetCUBINSize: "uint64_t program, void *bytes",
  nvrtcGetCUBIN: "uint64_t program, void *cubin",
  nvrtcGetPTXSize: "uint64_t program, void *bytes",
  nvrtcGetPTX: "uint64_t program, void *ptx",
} as const;

/**
 * Options of every kernel besides its target. No fast mathematics: division and square root are rounded as IEEE asks,
 * and subnormal numbers are kept.
 */
export const COMPILE_OPTIONS: readonly string[] = ["--std=c++17"];

/** Loads NVRTC. */
export function openNvrtc(ffi: Ffi, machine?: Machine, majors?: readonly number[]): Nvrtc {
  const { library, path } = openLibrary(ffi, "nvrtc", machine, majors);
  const nameOf = library.text("const char *nvrtcGetErrorString(int status)");
  const prototype = "int nvrtcCompileProgram(uint64_t program, int count, const char **options)";
  const compileProgram = library.status(prototype);
  const compileProgramLater = library.statusLater(prototype);
  const calls = bind(library, PROTOTYPES, (call, status) => {
    throw new DeviceError(`${call} failed: ${nameOf(status)}; is ${path} whole?`);
  });
  const minor = new Int32Array(1);
  const major = received((into) => calls.nvrtcVersion(into, minor));
  const architectures = new Int32Array(received((into) => calls.nvrtcGetNumSupportedArchs(into)));
  calls.nvrtcGetSupportedArchs(architectures);

  const bytes = (size: (into: BigUint64Array) => void, read: (into: Uint8Array) => void): Uint8Array => {
    const into = new Uint8Array(Number(received64(size)));
    read(into);
    return into;
  };
  const created = (source: string): BigUint64Array => {
    const handle = new BigUint64Array(1);
    calls.nvrtcCreateProgram(handle, source, "kernels.cu", 0, null, null);
    return handle;
  };
  const optionsFor = (target: string) => [`--gpu-architecture=${target}`, ...COMPILE_OPTIONS];
  /** What came out, or what is wrong with the text. */
  const result = ([program]: BigUint64Array, status: number, target: string): Uint8Array => {
    if (status !== 0) {
      const log = bytes(
        (into) => calls.nvrtcGetProgramLogSize(program, into),
        (into) => calls.nvrtcGetProgramLog(program, into),
      );
      const said = new TextDecoder().decode(log).replace(/\0+$/, "").trim();
      throw new DeviceError(`NVRTC ${major}.${minor[0]} refuses a kernel: ${nameOf(status)}\n${said}`);
    }
    return target.startsWith("sm_")
      ? bytes(
          (into) => calls.nvrtcGetCUBINSize(program, into),
          (into) => calls.nvrtcGetCUBIN(program, into),
        )
      : bytes(
          (into) => calls.nvrtcGetPTXSize(program, into),
          (into) => calls.nvrtcGetPTX(program, into),
        );
  };
  return {
    path,
    version: `${major}.${minor[0]}`,
    architectures: [...architectures],
    compile(source, target) {
      const handle = created(source);
      const options = optionsFor(target);
      try {
        return result(handle, compileProgram(handle[0], options.length, options), target);
      } finally {
        calls.nvrtcDestroyProgram(handle);
      }
    },
    async compileLater(source, target) {
      const handle = created(source);
      const options = optionsFor(target);
      try {
        return result(handle, await compileProgramLater(handle[0], options.length, options), target);
      } finally {
        calls.nvrtcDestroyProgram(handle);
      }
    },
  };
}

/**
 * What to compile for: the GPU's own architecture where the compiler knows it, otherwise the newest before it that it
 * knows, as PTX that the driver finishes.
 */
export function targetFor(
  [major, minor]: readonly [number, number],
  architectures: readonly number[],
): string {
  const own = 10 * major + minor;
  if (architectures.includes(own)) return `sm_${own}`;
  const older = architectures.filter((architecture) => architecture < own);
  if (older.length === 0)
    throw new DeviceError(
      `compute capability ${major}.${minor} is too old: NVRTC begins at ${Math.min(...architectures) / 10}`,
    );
  return `compute_${Math.max(...older)}`;
}
