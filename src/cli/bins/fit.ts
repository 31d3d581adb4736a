import { Command } from "commander";
import type { DataNames } from "../../datasets/files/open.js";
import { OptionError } from "../../errors.js";
import { binsFileBytes } from "../../exchange/sites/bins-file.js";
import { type FittedBins, fitDataFile } from "../../exchange/sites/fit-bins.js";
import { checkOutputs, writeOutputs } from "../../files/disk.js";
import { binNotes } from "../../partition/bin-quality.js";
import { binSpreads, useElsewhereNotes } from "../../partition/bins-elsewhere.js";
import { MEMORY_OPTIONS } from "../../partition/memory-options.js";
import { PARTITION_OPTIONS } from "../../partition/partition-options.js";
import { type CommonOptions, wholeNumber, withCommonOptions } from "../options/arguments.js";
import { readFiles, shownReading, withArrayOptions } from "../options/array-reading.js";
import { DATA_ARGUMENT, dataText } from "../options/file-options.js";
import { optionFlag } from "../options/option-flags.js";
import { percent } from "../percent.js";
import { decimal, textTable } from "../table.js";
import { warn } from "../warning.js";

interface FitOptions extends CommonOptions, DataNames {
  readonly bins?: number;
  readonly seed: number;
  readonly float32?: boolean;
  readonly memory?: number;
  readonly out: string;
  readonly force?: boolean;
}

export function binsFitCommand(): Command {
  const command = new Command("fit")
    .summary("fit bins to public or simulated data, and write them to a small file")
    .description(
      "Fit solution bins to public or simulated data and write them to one file. Sites that cannot pool their data " +
        "count their samples in these bins with `bins count`.",
    )
    .argument(...DATA_ARGUMENT)
    .addOption(optionFlag("bins", PARTITION_OPTIONS.bins))
    .option("--seed <number>", "seed of the fit", wholeNumber, 0)
    .option("--float32", "store mean and centroids in single precision: half the size")
    .addOption(optionFlag("memory", MEMORY_OPTIONS.memory))
    .requiredOption("--out <file>", "NPZ file to write")
    .option("--force", "replace the file if it exists")
    .action(fitAction);
  return withCommonOptions(
    withArrayOptions(command),
    "pde-dirichlet bins fit public.h5 --bins 10 --out bins.npz",
    "pde-dirichlet bins fit fields.npz --responses u --float32 --out bins.npz",
  );
}

async function fitAction(given: readonly string[], options: FitOptions): Promise<void> {
  const data = dataText(given);
  const { out, force, json } = options;
  if (!/\.npz$/i.test(out)) throw new OptionError(`--out ${out}: bins are written to a .npz file`);
  await checkOutputs([out], { force, inputs: readFiles(data, options) });

  const fitted = await fitDataFile(data, { ...options, ...shownReading(options) });
  const { bins, about, reading } = fitted;
  const bytes = binsFileBytes(bins, about, options.float32);
  await writeOutputs([{ path: out, bytes }], { force });
  const notes = [...binNotes(bins.quality!), ...useElsewhereNotes(bins)];
  for (const note of notes) warn(note);
  if (json) {
    const spreads = binSpreads(bins);
    console.log(JSON.stringify({ reading, ...about, spreads, notes, out, bytes: bytes.length }));
    return;
  }
  console.log(`${fittedInWords(fitted)}\n\nWritten: ${out} (${kilobytes(bytes.length)} kB)`);
}

/** The bins one by one, and how well they describe the data, as text. */
function fittedInWords({ bins, about }: FittedBins): string {
  const { mean_distance, farthest_distance, explained_variance, seed } = about.bins;
  const rows = binSpreads(bins).map(({ samples, mean, farthest, nearest }, bin) => [
    String(bin),
    String(samples),
    decimal(mean),
    decimal(farthest),
    nearest === undefined ? "-" : `${decimal(nearest.distance)} (bin ${nearest.bin})`,
  ]);
  return [
    textTable(["bin", "samples", "mean distance", "farthest", "nearest centroid"], rows),
    "",
    `${bins.bins} bins, fitted with seed ${seed}, explain ${percent(explained_variance, 1)} of the variance.`,
    `Responses lie ${decimal(mean_distance)} from their centroids on average and ${decimal(farthest_distance)} at most,` +
      " in units of their standard deviation.",
  ].join("\n");
}

const kilobytes = (bytes: number): string => (bytes / 1000).toFixed(bytes < 9950 ? 1 : 0);
