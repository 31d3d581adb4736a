import { availableParallelism, cpus, totalmem } from "node:os";
import { Command } from "commander";
import { type FoundDevices, findDevices } from "../engine/cuda/device/device.js";
import { type CommonOptions, withCommonOptions } from "./options/arguments.js";

/** The CPU as an engine sees it. */
export interface Processor {
  readonly name: string;
  readonly cores: number;
  /** Bytes in all. */
  readonly memory: number;
  readonly engine: string;
}

export function devicesCommand(): Command {
  const command = new Command("devices")
    .summary("list the CPU and the GPUs that training can use")
    .description(
      "List the CPU and the GPUs that training can use, with the CUDA libraries found. Without a GPU, say why " +
        "and which folders were searched. PDE_DIRICHLET_CUDA names a folder to search first.",
    )
    .action(devicesAction);
  return withCommonOptions(
    command,
    "pde-dirichlet devices",
    "PDE_DIRICHLET_CUDA=/opt/cuda pde-dirichlet devices",
  );
}

async function devicesAction({ json }: CommonOptions): Promise<void> {
  const { env } = await import("../engine/onnx/onnx-runtime.js");
  const processor: Processor = {
    name: cpus()[0]?.model.trim() ?? "unknown",
    cores: availableParallelism(),
    memory: totalmem(),
    engine: `ONNX Runtime ${env.versions.node}`,
  };
  const found = await findDevices();
  console.log(json ? JSON.stringify({ cpu: processor, cuda: found }) : deviceLines(processor, found));
}

/** What the command prints. */
export function deviceLines({ name, cores, memory, engine }: Processor, found: FoundDevices): string {
  const lines = [`cpu     ${name}, ${cores} cores, ${gibibytes(memory)}; ${engine}`];
  if ("why" in found) {
    lines.push(`cuda    none: ${found.why}`);
    if (found.searched.length > 0)
      lines.push(
        "",
        "Searched the paths of the system's loader, and",
        ...found.searched.map((at) => `  ${at}`),
      );
    return lines.join("\n");
  }
  for (const { index, name, memory, capability } of found.gpus)
    lines.push(`cuda ${index}  ${name}, ${gibibytes(memory)}, compute capability ${capability.join(".")}`);
  const { driver, nvrtc, cublas } = found.libraries;
  lines.push(
    "",
    `driver  CUDA ${driver.version}, ${driver.path}`,
    `NVRTC   ${nvrtc.version}, ${nvrtc.path}`,
    `cuBLAS  ${cublas.version}, ${cublas.path}`,
  );
  return lines.join("\n");
}

function gibibytes(bytes: number): string {
  return `${Math.round(bytes / 2 ** 30)} GiB`;
}
