import { DeviceError } from "../../../errors.js";
import type { Multiprocessors } from "../kernels/kernel-body.js";
import { bind, type Ffi, received, received64 } from "./ffi.js";
import { type Machine, openLibrary } from "./libraries.js";

/** CUDA's driver: the functions that are used of it, by their own names. Each throws a `DeviceError` if it fails. */
export type Driver = ReturnType<typeof openDriver>;

const PROTOTYPES = {
  cuInit: "uint32_t flags",
  cuDriverGetVersion: "void *version",
  cuDeviceGetCount: "void *count",
  cuDeviceGet: "void *device, int ordinal",
  cuDeviceGetName: "void *name, int length, int device",
  cuDeviceTotalMem_v2: "void *bytes, int device",
  cuDeviceGetAttribute: "void *value, int attribute, int device",
  cuDevicePrimaryCtxRetain: "void *context, int device",
  cuDevicePrimaryCtxRelease_v2: "int device",
  cuCtxSetCurrent: "uint64_t context",
  cuStreamCreate: "void *stream, uint32_t flags",
  cuStreamDestroy_v2: "uint64_t stream",
  cuStreamSynchronize: "uint64_t stream",
  cuStreamWaitEvent: "uint64_t stream, uint64_t event, uint32_t flags",
  cuStreamBeginCapture_v2: "uint64_t stream, int mode",
  cuStreamEndCapture: "uint64_t stream, void *graph",
  cuEventCreate: "void *event, uint32_t flags",
  cuEventDestroy_v2: "uint64_t event",
  cuEventRecordWithFlags: "uint64_t event, uint64_t stream, uint32_t flags",
  cuEventSynchronize: "uint64_t event",
  cuEventElapsedTime: "void *milliseconds, uint64_t start, uint64_t end",
  cuGraphInstantiateWithFlags: "void *executable, uint64_t graph, uint64_t flags",
  cuGraphLaunch: "uint64_t executable, uint64_t stream",
  cuGraphExecDestroy: "uint64_t executable",
  cuGraphDestroy: "uint64_t graph",
  cuMemGetInfo_v2: "void *free, void *total",
  cuMemAlloc_v2: "void *pointer, size_t bytes",
  cuMemFree_v2: "uint64_t pointer",
  cuMemAllocHost_v2: "void *pointer, size_t bytes",
  cuMemFreeHost: "uint64_t pointer",
  cuMemcpyHtoDAsync_v2: "uint64_t to, const void *from, size_t bytes, uint64_t stream",
  cuMemcpyDtoHAsync_v2: "void *to, uint64_t from, size_t bytes, uint64_t stream",
  cuMemcpyDtoDAsync_v2: "uint64_t to, uint64_t from, size_t bytes, uint64_t stream",
  cuMemsetD8Async: "uint64_t to, uint8_t value, size_t bytes, uint64_t stream",
  cuModuleLoadData: "void *module, const void *image",
  cuModuleUnload: "uint64_t module",
  cuModuleGetFunction: "void *function, uint64_t module, const char *name",
  cuFuncSetAttribute: "uint64_t function, int attribute, int value",
  cuLaunchKernel:
    "uint64_t function, uint32_t gridX, uint32_t gridY, uint32_t gridZ, uint32_t blockX, uint32_t blockY, " +
    "uint32_t blockZ, uint32_t sharedBytes, uint64_t stream, const void *parameters, void *extra",
} as const;

/** What `cuStreamQuery` and `cuEventQuery` answer while there is work left. */
const NOT_READY = 600;

/** What to do about errors that a user can mend. */
const WAYS_OUT: Readonly<Record<string, string>> = {
  CUDA_ERROR_OUT_OF_MEMORY: "the GPU's memory is used up: fewer runs at a time, or --device cpu",
  CUDA_ERROR_NO_DEVICE: "no GPU is visible: see CUDA_VISIBLE_DEVICES",
  CUDA_ERROR_INVALID_DEVICE: "pde-dirichlet devices lists the GPUs that there are",
  CUDA_ERROR_SYSTEM_DRIVER_MISMATCH: "the driver was updated: restart the machine",
  CUDA_ERROR_SYSTEM_NOT_READY: "NVIDIA's services on this machine are not running",
  CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE:
    "the driver's libraries are too new for it: take them out of the path",
  CUDA_ERROR_NO_BINARY_FOR_GPU: "NVRTC is too old for this GPU: take a newer one",
  CUDA_ERROR_UNSUPPORTED_PTX_VERSION:
    "NVRTC is newer than the driver: update the driver or take an older one",
  CUDA_ERROR_DEVICES_UNAVAILABLE: "another program holds the GPU for itself",
};

/** Loads the driver and starts it. */
export function openDriver(ffi: Ffi, machine?: Machine) {
  const { library, path } = openLibrary(ffi, "driver", machine);
  const nameOf = library.status("int cuGetErrorName(int status, void *text)");
  const wordsOf = library.status("int cuGetErrorString(int status, void *text)");
  const queryStream = library.status("int cuStreamQuery(uint64_t stream)");
  const queryEvent = library.status("int cuEventQuery(uint64_t event)");
  const text = (describe: typeof nameOf, status: number) => {
    const address = received64((into) => describe(status, into));
    return address === 0n ? undefined : ffi.textAt(address);
  };
  const fail = (call: string, status: number): never => {
    const name = text(nameOf, status) ?? `error ${status}`;
    const wayOut = WAYS_OUT[name] ?? "--device cpu computes without the GPU";
    throw new DeviceError(`${call} failed: ${name} (${text(wordsOf, status) ?? "unknown"}); ${wayOut}`);
  };
  const isReady = (call: string, status: number) => {
    if (status !== 0 && status !== NOT_READY) fail(call, status);
    return status === 0;
  };
  const calls = bind(library, PROTOTYPES, fail);
  calls.cuInit(0);
  const version = received((into) => calls.cuDriverGetVersion(into));
  return {
    ...calls,
    path,
    /** The newest CUDA that it supports, as major and minor. */
    version: [Math.floor(version / 1000), Math.floor((version % 1000) / 10)] as readonly [number, number],
    /** Whether all that was issued on the stream is done. */
    isIdle: (stream: bigint) => isReady("cuStreamQuery", queryStream(stream)),
    /** Whether all that was issued before the event is done. */
    isReached: (event: bigint) => isReady("cuEventQuery", queryEvent(event)),
  };
}

/** A GPU as the driver describes it. */
export interface Gpu {
  readonly index: number;
  readonly name: string;
  /** Bytes in all. */
  readonly memory: number;
  /** Compute capability: `[9, 0]` is Hopper. */
  readonly capability: readonly [number, number];
  readonly multiprocessors: Multiprocessors;
}

/** Numbers of `CUdevice_attribute`. */
const ATTRIBUTES = { major: 75, minor: 76, multiprocessors: 16, shared: 81, blockShared: 97 } as const;

/** GPUs that the driver lets us see. */
export function listGpus(driver: Driver): readonly Gpu[] {
  const count = received((into) => driver.cuDeviceGetCount(into));
  return Array.from({ length: count }, (_, index) => {
    const device = received((into) => driver.cuDeviceGet(into, index));
    const attribute = (which: keyof typeof ATTRIBUTES) =>
      received((into) => driver.cuDeviceGetAttribute(into, ATTRIBUTES[which], device));
    const name = Buffer.alloc(256);
    driver.cuDeviceGetName(name, name.length, device);
    return {
      index,
      name: name.toString("utf8", 0, name.indexOf(0)),
      memory: Number(received64((into) => driver.cuDeviceTotalMem_v2(into, device))),
      capability: [attribute("major"), attribute("minor")],
      multiprocessors: {
        processors: attribute("multiprocessors"),
        shared: attribute("shared"),
        blockShared: attribute("blockShared"),
      },
    };
  });
}
