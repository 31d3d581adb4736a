import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, posix, relative, sep } from "node:path";

export const ROOT = join(import.meta.dirname, "..");
export const SOURCE = join(ROOT, "src");

/** An import of a source file. */
export interface Import {
  /** A path below src, or the name of a package. */
  readonly from: string;
  readonly isLocal: boolean;
  /** Whether something is loaded for it: not for types alone. */
  readonly isValue: boolean;
}

/** All source files, by their paths below src. */
export const sourceFiles: readonly string[] = readdirSync(SOURCE, { recursive: true, encoding: "utf8" })
  .map((name) => name.split(sep).join("/"))
  .filter((name) => /\.tsx?$/.test(name))
  .sort();

/** `import ... from "x"`, `export ... from "x"`, `import "x"`, `import("x")`; not `typeof import("x")`. */
const IMPORT =
  /^(?:import|export)\s+(type\s+)?([^;"]*?)\s*from\s*"([^"]+)"|^import\s+"([^"]+)"|(typeof\s+)?\bimport\(\s*"([^"]+)"\s*\)/gm;

const found = new Map<string, readonly Import[]>();

export function importsOf(file: string): readonly Import[] {
  const known = found.get(file);
  if (known) return known;
  const text = readFileSync(join(SOURCE, file), "utf8");
  const imports = [...text.matchAll(IMPORT)].map(
    ([, type, clause, from, bare, isTypeof, dynamic]): Import => {
      const specifier = from ?? bare ?? dynamic;
      const isLocal = specifier.startsWith(".");
      const path = relative(SOURCE, join(SOURCE, dirname(file), specifier))
        .split(sep)
        .join("/");
      return {
        from: isLocal ? sourceOf(path) : specifier,
        isLocal,
        isValue: !type && !isTypeof && !(clause && hasTypesAlone(clause)),
      };
    },
  );
  found.set(file, imports);
  return imports;
}

/** The source of a module that is imported under its compiled name. */
function sourceOf(path: string): string {
  const plain = path.replace(/\.js$/, ".ts");
  return plain === path || existsSync(join(SOURCE, plain)) ? plain : `${plain}x`;
}

/** Whether `{ type A, type B }` names types alone. */
function hasTypesAlone(clause: string): boolean {
  const names = /^\{([\s\S]*)\}$/.exec(clause.trim())?.[1].split(",") ?? [];
  const given = names.map((name) => name.trim()).filter(Boolean);
  return given.length > 0 && given.every((name) => name.startsWith("type "));
}

/** All files that a file loads, itself included.. */
export function reachedFrom(file: string): ReadonlySet<string> {
  const reached = new Set([file]);
  for (const one of reached)
    for (const { from, isLocal, isValue } of importsOf(one)) if (isLocal && isValue) reached.add(from);
  return reached;
}

/** The folder right below src that a file lies in; undefined for files of src itself. */
export const folderOf = (file: string): string | undefined =>
  file.includes("/") ? file.split("/")[0] : undefined;

/**
 * The part of the house that a file belongs to: its folder below src; within the engine its own folder, with those of
 * kernels as one, so that the engine's inner order is checked as well.
 */
export function partOf(file: string): string {
  if (!file.startsWith("engine/")) return folderOf(file) ?? file;
  const folder = posix.dirname(file);
  return folder.startsWith("engine/cuda/kernels/") ? "engine/cuda/kernels" : folder;
}
