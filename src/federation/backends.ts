import type { Backend } from "../engine/backend.js";
import { referenceBackend } from "../engine/reference.js";
import { DeviceError, OptionError } from "../errors.js";
import type { BackendName, RunOptions } from "./run-options.js";

/** What a user asks for: `auto` is a GPU where CUDA works, and otherwise the CPU. */
export type DeviceName = "auto" | "cpu" | "cuda";
export const DEVICES: readonly DeviceName[] = ["auto", "cpu", "cuda"];

/** A backend that is ready, and what is recorded of it. It is no part of a run's name, but for `tf32`. */
export interface OpenBackend {
  readonly backend: Backend;
  readonly hardware: Readonly<Record<string, string | number>>;
  close(): void;
}

/** The backend of this name on the CPU. ONNX Runtime is loaded when it is asked for. */
export async function backendOf(name: BackendName): Promise<Backend> {
  if (name === "reference") return referenceBackend;
  return (await import("../engine/onnx/onnx-backend.js")).onnxBackend;
}

/** Opens what computes a run: CUDA takes the place of ONNX Runtime, not of the reference. */
export async function openBackend(
  { backend: name, tf32 = false }: Pick<RunOptions, "backend" | "tf32">,
  device: DeviceName = "auto",
): Promise<OpenBackend> {
  if (device === "cuda" && name === "reference")
    throw new OptionError("the reference backend computes on the CPU: leave out --device cuda");
  if (tf32 && (device === "cpu" || name === "reference"))
    throw new OptionError("TF32 needs a GPU: leave it out, or use --device cuda");
  if (device !== "cpu" && name !== "reference") {
    try {
      return await openCuda(tf32);
    } catch (error) {
      // TF32 is part of what defines the run: the CPU would compute another one.
      if (device === "cuda" || tf32 || !(error instanceof DeviceError)) throw error;
    }
  }
  return { backend: await backendOf(name), hardware: { backend: name }, close: () => {} };
}

async function openCuda(tf32: boolean): Promise<OpenBackend> {
  const { openDevice } = await import("../engine/cuda/device/device.js");
  const { cudaBackend } = await import("../engine/cuda/cuda-backend.js");
  const device = await openDevice({ tf32 });
  return {
    backend: cudaBackend(device),
    hardware: {
      backend: "cuda",
      gpu: device.name,
      gpu_memory_gib: Math.round((device.memory / 2 ** 30) * 10) / 10,
      compute_capability: device.capability.join("."),
      precision: device.precision,
    },
    close: () => device.close(),
  };
}

/**
 * GB of memory for the samples of a run, of those that all data may take. A GPU holds all samples of its runs: nothing
 * limits them but its own memory.
 */
export function sampleMemory(
  { prefersLargeKernels }: Pick<Backend, "prefersLargeKernels">,
  memory: number | undefined,
): number | undefined {
  return prefersLargeKernels ? undefined : memory;
}

/** Backends that stay open for runs to come: those of a study differ in nothing that a backend knows of. */
export function sharedBackend(device: DeviceName = "auto") {
  const open = new Map<string, Promise<OpenBackend>>();
  return {
    of(options: Pick<RunOptions, "backend" | "tf32">): Promise<OpenBackend> {
      const key = `${options.backend} ${options.tf32 ?? false}`;
      if (!open.has(key)) open.set(key, openBackend(options, device));
      return open.get(key)!;
    },
    async close(): Promise<void> {
      for (const opened of open.values()) (await opened.catch(() => undefined))?.close();
      open.clear();
    },
  };
}

/** Refuses early a device that is asked for and is not there. */
export async function checkDevice(device: DeviceName): Promise<void> {
  if (device !== "cuda") return;
  const { findDevices } = await import("../engine/cuda/device/device.js");
  const found = await findDevices();
  if ("why" in found)
    throw new DeviceError(`--device cuda: ${found.why}; run \`pde-dirichlet devices\` for details`);
}
