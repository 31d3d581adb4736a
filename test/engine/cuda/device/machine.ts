import type { Machine } from "../../../../src/engine/cuda/device/libraries.js";

/** A machine that holds these files and nothing else. */
export function machineWith(
  files: readonly string[],
  environment: Readonly<Record<string, string>> = {},
  { platform = "linux", architecture = "x64", links = {} as Readonly<Record<string, string>> } = {},
): Machine {
  return {
    platform,
    architecture,
    placement: "/placement/someone",
    environment,
    list: (folder) => [
      ...new Set(
        files
          .filter((file) => file.startsWith(`${folder}/`))
          .map((file) => file.slice(folder.length + 1).split("/")[0]),
      ),
    ],
    real: (path) => links[path] ?? (files.includes(path) ? path : undefined),
  };
}
