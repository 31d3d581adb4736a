import { readdirSync, readFileSync, realpathSync } from "node:fs";
import { homedir } from "node:os";
import { DeviceError } from "../../../errors.js";
import type { Ffi, NativeLibrary } from "./ffi.js";

/** The environment variable that names a folder with CUDA's libraries; it is searched before all else. */
export const CUDA_FOLDER = "PDE_DIRICHLET_CUDA";

/** The parts of CUDA that are needed. */
export type LibraryKind = "driver" | "nvrtc" | "cublas";

/** Where libraries are looked for: this machine, or one that a test describes. */
export interface Machine {
  readonly platform: string;
  readonly architecture: string;
  readonly placement: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Names in a folder; none if there is no such folder. */
  list(folder: string): readonly string[];
  /** The file that links lead to; undefined if there is none. */
  real(path: string): string | undefined;
}

export const thisMachine: Machine = {
  platform: process.platform,
  architecture: process.arch,
  placement: homedir(),
  environment: process.env,
  list: (folder) => quietly(() => readdirSync(folder)) ?? [],
  real: (path) => quietly(() => realpathSync(path)),
};

function quietly<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

/** A library that can be tried: its path or plain name, and the ones that it needs loaded before it. */
export interface Candidate {
  readonly path: string;
  readonly before: readonly string[];
}

/** A library that was loaded. */
export interface FoundLibrary {
  readonly library: NativeLibrary;
  readonly path: string;
}

/** A part of CUDA that is not there, and where it was looked for. */
export class LibraryError extends DeviceError {
  override name = "LibraryError";
  constructor(
    readonly kind: LibraryKind,
    message: string,
    readonly searched: readonly string[],
  ) {
    super(message);
  }
}

/** Majors of CUDA that this program knows, the newest first. */
export const CUDA_MAJORS: readonly number[] = [13, 12];

/** Folders in the order in which they are searched; those that the user named apart. */
export function searchFolders(machine: Machine): {
  readonly named: readonly string[];
  readonly usual: readonly string[];
} {
  const { environment, platform, architecture, placement } = machine;
  const windows = platform === "win32";
  const parts = windows
    ? ["", "/bin", "/bin/x64"]
    : ["", "/lib64", "/lib", `/targets/${architecture === "arm64" ? "sbsa" : "x86_64"}-linux/lib`];
  const toolkit = (root: string | undefined) => (root ? parts.map((part) => root + part) : []);
  const wheels = (site: string) => [`${site}/nvidia/*/${windows ? "bin" : "lib"}`];
  const listed = (paths: string | undefined) => (paths ?? "").split(windows ? ";" : ":").filter(Boolean);

  const own = environment[CUDA_FOLDER];
  const named = own ? [...toolkit(own), `${own}/*/${windows ? "bin" : "lib"}`, ...wheels(own)] : [];
  const pythons = [environment.VIRTUAL_ENV, environment.CONDA_PREFIX, pythonPrefix(machine)].filter(
    (prefix) => prefix !== undefined,
  );
  const usual = windows
    ? [
        ...listed(environment.PATH),
        ...toolkit(environment.CUDA_PATH),
        ...toolkit(environment.CUDA_HOME),
        ...toolkit("C:/Program Files/NVIDIA GPU Computing Toolkit/CUDA/v*"),
        ...pythons.flatMap((prefix) => wheels(`${prefix}/Lib/site-packages`)),
        ...wheels(`${environment.APPDATA ?? placement}/Python/Python3*/site-packages`),
      ]
    : [
        ...listed(environment.LD_LIBRARY_PATH),
        ...toolkit(environment.CUDA_HOME),
        ...toolkit(environment.CUDA_PATH),
        ...toolkit("/usr/local/cuda").slice(1),
        ...toolkit("/usr/local/cuda-*").slice(1),
        `/usr/lib/${architecture === "arm64" ? "aarch64" : "x86_64"}-linux-gnu`,
        "/usr/lib64",
        "/usr/lib/wsl/lib",
        "/usr/local/nvidia/lib64",
        ...(environment.CONDA_PREFIX ? [`${environment.CONDA_PREFIX}/lib`] : []),
        ...[...pythons, `${placement}/.local`, "/usr/local", "/usr"].flatMap((prefix) => [
          ...wheels(`${prefix}/lib/python3*/site-packages`),
          ...wheels(`${prefix}/lib/python3*/dist-packages`),
        ]),
      ];
  const expanded = (patterns: readonly string[]) => [...new Set(patterns.flatMap((p) => expand(machine, p)))];
  return { named: expanded(named), usual: expanded(usual) };
}

/** The folder above the `bin` in which the first `python3` of the PATH really lies. */
function pythonPrefix({ environment, platform, real }: Machine): string | undefined {
  if (platform === "win32") return undefined;
  const folders = (environment.PATH ?? "").split(":").filter(Boolean);
  const python = folders.map((folder) => real(`${folder}/python3`)).find((path) => path !== undefined);
  return python?.replace(/\/[^/]+\/[^/]+$/, "");
}

/** Folders that fit a path with stars; the one of the highest version first. A path without any is taken as it is. */
function expand(machine: Machine, pattern: string): readonly string[] {
  const star = /^(.*\/)([^/]*\*[^/]*)(.*)$/.exec(pattern);
  if (!star) return [pattern];
  // The expression is greedy: what it found is the last star, those before it come first.
  const [, above, name, below] = star;
  const fits = new RegExp(`^${name.split("*").map(escaped).join(".*")}$`);
  return expand(machine, above.slice(0, -1)).flatMap((folder) =>
    [...machine.list(folder)]
      .filter((entry) => fits.test(entry))
      .sort((a, b) => b.localeCompare(a, "en", { numeric: true }))
      .map((entry) => `${folder}/${entry}${below}`),
  );
}

function escaped(text: string): string {
  return text.replace(/[.+?^${}()|[\]\\]/g, "\\$&");
}

/** File names of a library for one major of CUDA: its own, and those of the ones that must be loaded before it. */
function fileNames(kind: LibraryKind, major: number, windows: boolean): { name: string; before: RegExp[] } {
  if (kind === "driver") return { name: windows ? "nvcuda.dll" : "libcuda.so.1", before: [] };
  if (kind === "nvrtc")
    return windows
      ? { name: `nvrtc64_${major}0_0.dll`, before: [new RegExp(`^nvrtc-builtins64_${major}\\d+\\.dll$`)] }
      : { name: `libnvrtc.so.${major}`, before: [new RegExp(`^libnvrtc-builtins\\.so\\.${major}\\.\\d+$`)] };
  return windows
    ? { name: `cublas64_${major}.dll`, before: [new RegExp(`^cublasLt64_${major}\\.dll$`)] }
    : { name: `libcublas.so.${major}`, before: [new RegExp(`^libcublasLt\\.so\\.${major}$`)] };
}

/**
 * What can be tried for a library, the best first: in the folder that the user named, by its plain name where the
 * system's loader looks, in the usual folders. Of two in one place the newer comes first.
 */
export function candidates(
  kind: LibraryKind,
  machine: Machine,
  majors: readonly number[] = CUDA_MAJORS,
): readonly Candidate[] {
  const { named, usual } = searchFolders(machine);
  const wanted = (kind === "driver" ? [0] : majors).map((major) =>
    fileNames(kind, major, machine.platform === "win32"),
  );
  const inside = (folder: string): Candidate[] => {
    const names = machine.list(folder);
    return wanted
      .filter(({ name }) => names.includes(name))
      .map(({ name, before }) => ({
        path: `${folder}/${name}`,
        before: names
          .filter((other) => before.some((pattern) => pattern.test(other)))
          .map((other) => `${folder}/${other}`),
      }));
  };
  const plain = wanted.map(({ name }) => ({ path: name, before: [] }));
  return [...named.flatMap(inside), ...plain, ...usual.flatMap(inside)];
}

const WHAT: Readonly<Record<LibraryKind, { readonly name: string; readonly wayOut: string }>> = {
  driver: { name: "NVIDIA driver", wayOut: "install NVIDIA's driver, if there is a GPU" },
  nvrtc: {
    name: "NVRTC",
    wayOut: `install the CUDA toolkit or Python's nvidia-cuda-nvrtc, or name a folder in ${CUDA_FOLDER}`,
  },
  cublas: {
    name: "cuBLAS",
    wayOut: `install the CUDA toolkit or Python's nvidia-cublas, or name a folder in ${CUDA_FOLDER}`,
  },
};

/** Loads the first candidate that can be loaded; a `LibraryError` says where it looked. */
export function openLibrary(
  ffi: Ffi,
  kind: LibraryKind,
  machine: Machine = thisMachine,
  majors: readonly number[] = CUDA_MAJORS,
): FoundLibrary {
  const broken: string[] = [];
  for (const { path, before } of candidates(kind, machine, majors)) {
    try {
      for (const other of before) ffi.open(other);
      return { library: ffi.open(path), path: /[/\\]/.test(path) ? path : loadedPath(path) };
    } catch (error) {
      if (/[/\\]/.test(path)) broken.push(`${path} cannot be loaded (${(error as Error).message})`);
    }
  }
  const { named, usual } = searchFolders(machine);
  const { name, wayOut } = WHAT[kind];
  const versions = kind === "driver" ? "" : ` for CUDA ${[...majors].reverse().join(" or ")}`;
  const found = broken.length > 0 ? `: ${broken.join(", ")}` : "";
  throw new LibraryError(kind, `there is no ${name}${versions}${found}; ${wayOut}`, [...named, ...usual]);
}

/** Where the system's loader found a library of this name; the name itself where that cannot be known. */
function loadedPath(name: string): string {
  const maps = quietly(() => readFileSync("/proc/self/maps", "utf8")) ?? "";
  const stem = name.replace(/\.\d+$/, "");
  return (
    maps
      .split("\n")
      .map((line) => line.slice(line.indexOf("/")))
      .find((path) => path.startsWith("/") && path.slice(path.lastIndexOf("/") + 1).startsWith(stem)) ?? name
  );
}
