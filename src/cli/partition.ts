import { existsSync, statSync } from "node:fs";
import { basename, dirname, extname, join } from "node:path";
import { Command } from "commander";
import type { DataNames } from "../datasets/files/open.js";
import { OptionError } from "../errors.js";
import { costFiles } from "../exchange/cost-choice.js";
import { partitionDataFile } from "../exchange/partition-data-file.js";
import { arraysBeside, partitionArrays, partitionJson, qualityFields } from "../exchange/partition-file.js";
import { checkOutputs, type Output, writeOutputs } from "../files/disk.js";
import { writeNpz } from "../files/npz.js";
import type { PropertiesOf } from "../options/option.js";
import { countTable } from "../partition/assignment.js";
import { binNotes } from "../partition/bin-quality.js";
import type { SolutionBins } from "../partition/bins.js";
import { MEMORY_OPTIONS } from "../partition/memory-options.js";
import {
  ALPHA,
  type BIN_OPTIONS,
  CLIENT_OPTIONS,
  DEFAULT_MIN_SIZE,
  PARTITION_OPTIONS,
} from "../partition/partition-options.js";
import { DEFAULT_PARTITIONER, takesAlpha } from "../partition/partitioners.js";
import type { RepairRule } from "../partition/repair.js";
import { type SplitName, splitSlug, splitWords } from "../partition/split-words.js";
import type { MeasuredPartition } from "../pipeline/measured-partition.js";
import type { TargetSearch } from "../pipeline/target-distance.js";
import { VERSION } from "../version.js";
import {
  type CommonOptions,
  checkBinOptions,
  collected,
  distinct,
  number,
  wholeNumber,
  withCommonOptions,
} from "./options/arguments.js";
import { readFiles, shownReading, withArrayOptions, withAxisNames } from "./options/array-reading.js";
import { DATA_ARGUMENT, dataText } from "./options/file-options.js";
import { addListFlag, addOptionFlags } from "./options/option-flags.js";
import { addPartitionerFlags, givenPartitioner } from "./options/partitioner-options.js";
import { figureOutput, MOST_PANELS, metricsTable, printHeatmap } from "./partition-view.js";
import { warn } from "./warning.js";

export interface PartitionCommandOptions
  extends CommonOptions,
    DataNames,
    Partial<PropertiesOf<typeof BIN_OPTIONS>> {
  readonly partitioner?: string;
  readonly clients?: number;
  readonly alpha?: readonly number[];
  readonly targetDistance?: number;
  readonly seed?: readonly number[];
  readonly bins?: number;
  readonly minSize?: number;
  readonly repair?: RepairRule;
  readonly inputSamples?: number;
  readonly binsFrom?: string;
  readonly memory?: number;
  readonly out: string;
  readonly figure?: string;
  readonly force?: boolean;
}

export function partitionCommand(): Command {
  const command = new Command("partition")
    .summary("split a labelled dataset among clients and measure the split")
    .description(
      "Split a labelled dataset among clients: cluster its responses into bins, distribute the samples, by default " +
        "each bin by a Dirichlet draw, and measure the result. You can pass several alphas and seeds.",
    )
    .argument(...DATA_ARGUMENT);
  addOptionFlags(command, CLIENT_OPTIONS);
  addListFlag(command, "alpha", ALPHA);
  command
    .option(
      "--target-distance <number>",
      "instead of --alpha: find the alpha whose D_sol is closest to this",
      number,
    )
    .option("--seed <numbers...>", "seeds of the bins and the draw (default: 0)", collected(wholeNumber));
  addPartitionerFlags(command);
  addOptionFlags(command, {
    ...PARTITION_OPTIONS,
    min_size: { ...PARTITION_OPTIONS.min_size, defaultWords: String(DEFAULT_MIN_SIZE) },
    ...MEMORY_OPTIONS,
  })
    .option(
      "--input-samples <number>",
      "maximum inputs per client for the input-space W1 (default: 64, fewer above 20 clients)",
      wholeNumber,
    )
    .option("--bins-from <partition>", "reuse the bins of an earlier partition, or of a file of `bins fit`")
    .requiredOption(
      "--out <file>",
      "JSON file to write, with an NPZ file beside it; for several partitions, a folder or a prefix ending in .json",
    )
    .option("--figure <file>", "draw the client-by-bin heat map as .svg, .png or .pdf")
    .option("--force", "replace files that exist")
    .action(partitionAction);
  return withCommonOptions(
    withAxisNames(withArrayOptions(command)),
    "pde-dirichlet partition burgers.h5 --clients 10 --alpha 0.1 --seed 42 --out p.json",
    "pde-dirichlet partition burgers.h5 --alpha 100 1 0.01 --seed 42 --out split --figure split.svg",
    "pde-dirichlet partition fields.npz --responses y_train --target-distance 0.8 --out p.json",
    "pde-dirichlet partition burgers.h5 --partitioner shards --shards 2 --out shards.json",
    "pde-dirichlet partition advection.h5 --by beta --out natural.json",
    "pde-dirichlet partition wing.npz --representation cl,cd,pod --alpha 0.1 --out p.json",
  );
}

async function partitionAction(given: readonly string[], options: PartitionCommandOptions): Promise<void> {
  const data = dataText(given);
  const { targetDistance, out, figure, force, json, quiet } = options;
  const partitioner = givenPartitioner({ ...options });
  checkAlpha(partitioner?.name ?? DEFAULT_PARTITIONER, options);
  if (targetDistance !== undefined && !(targetDistance > 0)) {
    throw new OptionError(`--target-distance is a positive number, not ${targetDistance}`);
  }
  checkBinOptions(options);
  const seeds = distinct(options.seed ?? [0]);
  const alphas = options.alpha && distinct(options.alpha);
  const runs = seeds.flatMap((seed) => (alphas ?? [undefined]).map((alpha) => ({ seed, alpha })));
  checkOut(out);
  const paths = runs.map(({ seed, alpha }) => outputPath(out, runs.length, { partitioner, alpha }, seed));
  if (figure) figureOutput(figure, []); // refuses an unknown kind of file before the work
  const files = [...paths.flatMap((path) => [path, arraysBeside(path)]), ...(figure ? [figure] : [])];
  const inputs = [...readFiles(data, options), ...costFiles(options.cost)];
  await checkOutputs(files, { force, inputs });

  const { results, provenance, reading } = await partitionDataFile(data, runs, {
    ...options,
    partitioner,
    ...shownReading(options),
  });
  const outputs: Output[] = results.flatMap(({ measured }, index) => {
    const arrays = arraysBeside(paths[index]);
    const record = partitionJson(measured, {
      ...provenance(measured),
      version: VERSION,
      arrays: basename(arrays),
    });
    return [
      { path: paths[index], bytes: new TextEncoder().encode(record) },
      { path: arrays, bytes: () => writeNpz(partitionArrays(measured)) },
    ];
  });
  if (figure)
    outputs.push(
      figureOutput(
        figure,
        results.map(({ measured }) => panelOf(measured, seeds.length > 1)),
      ),
    );
  await writeOutputs(outputs, { force });
  const about = (notes: (bins: SolutionBins) => readonly string[]) =>
    new Set(results.flatMap(({ measured: { bins } }) => notes(bins)));
  const taken = about(({ notes = [] }) => notes);
  const aboutBins = about(({ quality }) => (quality ? binNotes(quality) : []));
  if (!quiet) for (const note of taken) process.stderr.write(`${note}\n`);
  for (const note of aboutBins) warn(note);
  for (const { measured, search } of results) {
    if (search && !isReached(search, targetDistance!))
      warn(describeSearch(search, targetDistance!, measured.partition.seed));
  }

  const measured = results.map((result) => result.measured);
  if (json) {
    const partitions = results.map(({ measured, search }, index) => ({
      file: paths[index],
      partitioner: measured.partition.partitioner,
      alpha: measured.partition.alpha ?? null,
      seed: measured.partition.seed,
      metrics: measured.diagnostics.metrics,
      notes: measured.diagnostics.notes,
      ...(measured.bins.quality && { bins: qualityFields(measured.bins.quality) }),
      ...(search && { target_distance: targetDistance, reachable: search.range }),
    }));
    console.log(JSON.stringify({ reading, partitions, figure: figure ?? null }));
    return;
  }
  if (!quiet && process.stdout.isTTY) printHeatmap(measured[measured.length - 1]);
  console.log(metricsTable(measured));
  for (const { measured: one, search } of results) {
    if (search && isReached(search, targetDistance!))
      console.log(describeSearch(search, targetDistance!, one.partition.seed));
    for (const note of one.diagnostics.notes)
      if (!aboutBins.has(note) && !taken.has(note)) console.log(`${nameOf(one)}: ${note}`);
  }
  console.log(
    `Written, each with a .npz file of its arrays:\n${paths.map((path) => `  ${path}`).join("\n")}`,
  );
  if (figure)
    console.log(
      `Figure: ${figure}${runs.length > MOST_PANELS ? `, the first ${MOST_PANELS} of ${runs.length}` : ""}`,
    );
}

/** Refuses the name of some other kind of file: a folder would be made of it. */
function checkOut(out: string): void {
  const ending = extname(out);
  const isFolder = /[/\\]$/.test(out) || (existsSync(out) && statSync(out).isDirectory());
  if (/^\.[a-z]/i.test(ending) && ending !== ".json" && !isFolder)
    throw new OptionError(
      `--out ${out}: a partition is a .json file with a .npz file beside it: name the .json, or a folder`,
    );
}

/** Refuses a concentration where it has no meaning, and asks for one where it has. */
function checkAlpha(
  name: string,
  { alpha, targetDistance }: Pick<PartitionCommandOptions, "alpha" | "targetDistance">,
): void {
  if (takesAlpha(name)) {
    if ((alpha === undefined) === (targetDistance === undefined))
      throw new OptionError("give either --alpha or --target-distance");
  } else if (alpha !== undefined || targetDistance !== undefined)
    throw new OptionError(
      `the partitioner ${name} has no concentration: leave out ${alpha === undefined ? "--target-distance" : "--alpha"}`,
    );
}

function outputPath(out: string, runs: number, split: SplitName, seed: number): string {
  const json = extname(out) === ".json";
  if (json && runs === 1) return out;
  const name = `${splitSlug(split) || "target"}-seed-${seed}.json`;
  return json ? join(dirname(out), `${basename(out, ".json")}-${name}`) : join(out, name);
}

function panelOf({ partition, diagnostics }: MeasuredPartition, showSeed: boolean) {
  return {
    label: `${splitWords(partition).replace(/\balpha /, "α = ")}${showSeed ? `, seed ${partition.seed}` : ""}`,
    counts: countTable(partition),
    metrics: diagnostics.metrics,
  };
}

function nameOf({ partition }: MeasuredPartition): string {
  return `${splitWords(partition)}, seed ${partition.seed}`;
}

function isReached({ range: [low, high] }: TargetSearch, target: number): boolean {
  return target >= low && target <= high;
}

function describeSearch(search: TargetSearch, target: number, seed: number): string {
  const [low, high] = search.range.map((value) => value.toFixed(3));
  const reach = `seed ${seed}: D_sol can be ${low} to ${high} for these data`;
  if (!isReached(search, target)) {
    return `${reach}; ${target} is out of reach, and alpha = ${search.alpha} comes closest with ${search.distance.toFixed(3)}`;
  }
  return `${reach}; alpha = ${search.alpha} gives ${search.distance.toFixed(4)} for the target ${target}`;
}
