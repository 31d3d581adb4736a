import { Command, Option } from "commander";
import { cachedTask, DATASET_CACHE } from "../datasets/dataset-cache.js";
import { KERNEL_CACHE } from "../engine/cuda/device/cubin-cache.js";
import { cacheFolder } from "../files/cache-folder.js";
import { type CachedFile, cachedFiles, clearCache } from "../files/cached-files.js";
import { type CommonOptions, withCommonOptions } from "./options/arguments.js";
import { textTable } from "./table.js";

/** Everything that this program caches. */
const PLACES = [DATASET_CACHE, KERNEL_CACHE] as const;
type CacheKind = (typeof PLACES)[number]["kind"];

interface CacheOptions extends CommonOptions {
  readonly clear?: CacheKind | true;
}

export function cacheCommand(): Command {
  const command = new Command("cache")
    .summary("list or clear the cache of generated data and GPU kernels")
    .description(
      "List or clear the cache of generated datasets and compiled GPU kernels. The cache is the folder " +
        "PDE_DIRICHLET_CACHE, or else pde-dirichlet in XDG_CACHE_HOME or in ~/.cache. " +
        "Other commands regenerate whatever you clear. --clear leaves files of other programs alone.",
    )
    .addOption(
      new Option("--clear [kind]", "clear the whole cache, or only data or kernels").choices(
        PLACES.map(({ kind }) => kind),
      ),
    )
    .action(cacheAction);
  return withCommonOptions(command, "pde-dirichlet cache", "pde-dirichlet cache --clear data");
}

async function cacheAction({ clear, json }: CacheOptions): Promise<void> {
  const folder = cacheFolder();
  const places = PLACES.filter(({ kind }) => clear === undefined || clear === true || kind === clear);
  const files = await (clear === undefined ? cachedFiles : clearCache)<CacheKind>(places);
  if (json) console.log(JSON.stringify({ folder, [clear === undefined ? "files" : "removed"]: files }));
  else if (clear !== undefined) console.log(`${folder}: ${amount(files)} removed`);
  else if (files.length === 0) console.log(`${folder}: the cache is empty`);
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
