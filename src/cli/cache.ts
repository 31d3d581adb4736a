import { Command, Option } from "commander";
import {
  CACHE_KINDS,
  type CachedFile,
  type CacheKind,
  cachedFiles,
  cachedTask,
  clearCache,
} from "../datasets/cache.js";
import { cacheFolder } from "../files/cache-folder.js";
import { type CommonOptions, withCommonOptions } from "./arguments.js";
import { textTable } from "./table.js";

interface CacheOptions extends CommonOptions {
  readonly clear?: CacheKind | true;
}

export function cacheCommand(): Command {
  const command = new Command("cache")
    .summary("list or clear what is kept to be used again")
    .description(
      "List what is kept to be used again, with sizes: datasets that were generated, and kernels that were compiled\n" +
        "for GPUs. It lies in PDE_DIRICHLET_CACHE, or else in pde-dirichlet of XDG_CACHE_HOME or of ~/.cache.\n" +
        "Whatever is cleared is made again when it is needed; files of others there stay.",
    )
    .addOption(new Option("--clear [kind]", "remove all of it, or only data or kernels").choices(CACHE_KINDS))
    .action(cacheAction);
  return withCommonOptions(command, "pde-dirichlet cache", "pde-dirichlet cache --clear data");
}

async function cacheAction({ clear, json }: CacheOptions): Promise<void> {
  const folder = cacheFolder();
  const kinds = clear === undefined || clear === true ? CACHE_KINDS : [clear];
  const files = clear === undefined ? await cachedFiles() : await clearCache(kinds);
  if (json) console.log(JSON.stringify({ folder, [clear === undefined ? "files" : "removed"]: files }));
  else if (clear !== undefined) console.log(`${folder}: ${amount(files)} removed`);
  else if (files.length === 0) console.log(`${folder}: nothing is kept`);
  else console.log(`${folder}\n\n${listing(files)}`);
}

/** A line for each task's data and one for kernels, and the sum. */
function listing(files: readonly CachedFile[]): string {
  const groups = new Map<string, CachedFile[]>();
  for (const file of files) {
    const name = file.kind === "kernels" ? "kernels" : `data of ${cachedTask(file)}`;
    groups.set(name, [...(groups.get(name) ?? []), file]);
  }
  const row = (name: string, group: readonly CachedFile[]) => [name, String(group.length), inUnits(group)];
  const rows = [...groups].map(([name, group]) => row(name, group));
  return textTable(["what", "files", "size"], [...rows, row("all", files)]);
}

function amount(files: readonly CachedFile[]): string {
  return `${files.length} ${files.length === 1 ? "file" : "files"}, ${inUnits(files)},`;
}

const UNITS = ["B", "kB", "MB", "GB", "TB"];

/** Bytes with a decimal unit, three digits at most: 1.6 GB, 24 MB. */
function inUnits(files: readonly CachedFile[]): string {
  let size = files.reduce((sum, { bytes }) => sum + bytes, 0);
  let unit = 0;
  for (; size >= 999.5 && unit < UNITS.length - 1; unit++) size /= 1000;
  return `${size.toFixed(unit > 0 && size < 9.95 ? 1 : 0)} ${UNITS[unit]}`;
}
