import { existsSync } from "node:fs";
import { Command } from "commander";
import { ARRAY_CHOICES, AXIS_CHOICES, LABEL_CHOICES } from "../datasets/files/file-choices.js";
import { OptionError } from "../errors.js";
import { partitionFileIn } from "../exchange/partition-folder.js";
import { dataFileOf } from "../exchange/partitioned-data.js";
import { checkOutputs } from "../files/disk.js";
import { suggestName } from "../options/suggestions/closest-name.js";
import { MEMORY_OPTIONS } from "../partition/memory-options.js";
import { BIN_OPTIONS } from "../partition/partition-options.js";
import { binsCountCommand } from "./bins/count.js";
import { binsFitCommand } from "./bins/fit.js";
import { type LookOptions, lookIntoBins } from "./bins/look.js";
import { checkSweepOptions, type SweepCommandOptions, sweep, sweepRange } from "./bins/sweep.js";
import { figureEncoder, isFigureFile } from "./figure-file.js";
import { checkBinOptions, collected, number, wholeNumber, withCommonOptions } from "./options/arguments.js";
import { readFiles } from "./options/array-reading.js";
import { addFileFlags } from "./options/file-options.js";
import { addOptionFlags, optionFlag } from "./options/option-flags.js";
import { addPictureFlags } from "./options/picture-options.js";

interface BinsOptions extends LookOptions, SweepCommandOptions {
  readonly data?: string;
}

const { response_label, response_unit } = LABEL_CHOICES;
const DATA_CHOICES = { ...ARRAY_CHOICES, ...AXIS_CHOICES, response_label, response_unit };

export function binsCommand(): Command {
  const command = new Command("bins")
    .summary("look at the bins of a partition, compare numbers of bins, or fit and count bins for sites")
    .description(
      "Look at the bins of a partition: centroid in the units of the data, nearest and farthest sample, spread, and the " +
        "clients that hold them, as a table and a figure. With --sweep: explained variance and D_sol against the number of bins.",
    )
    .argument("[partition]", "partition JSON, or what another tool wrote: all that `diagnose` reads")
    .option(
      "--data <file>",
      "data that it splits (default: the file that the partition names, if it is near)",
    )
    .option("--out <files...>", "figure (.svg, .png, .pdf) or table (.csv) to write", collected(String))
    .option("--sweep <from:to>", "compare these numbers of bins, such as 2:50", sweepRange)
    .option("--step <number>", "step between numbers of bins of a sweep (default: 1)", wholeNumber)
    .option("--alpha <number>", "sweep of data without a partition: concentration (default: 0.1)", number)
    .option("--clients <number>", "likewise: number of clients (default: 10)", wholeNumber)
    .option("--min-size <number>", "likewise: minimum samples per client (default: 16)", wholeNumber)
    .option("--seed <number>", "seed of fitted bins and of the draw (default: 0)", wholeNumber)
    .option("--bins <number>", "number of bins to fit if the partition has none (default: 10)", wholeNumber)
    .option("--bins-from <partition>", "look at the bins of an earlier partition")
    .option("--column <name>", "column of the table that holds the client")
    .option("--key <name>", "array of an NPZ file, or key of a dict, that holds the partition")
    .option("--other-data", "accept other responses of the same samples than those of the partition")
    .addOption(optionFlag("memory", MEMORY_OPTIONS.memory));
  addOptionFlags(command, BIN_OPTIONS);
  addPictureFlags(command)
    .option("--title <text>", "text over the figure (default: as the file says)")
    .option("--force", "replace files that exist")
    .enablePositionalOptions() // options behind a subcommand are its own
    .addCommand(binsFitCommand())
    .addCommand(binsCountCommand())
    .action(binsAction);
  return withCommonOptions(
    addFileFlags(command, DATA_CHOICES),
    "pde-dirichlet bins p.json --data burgers.h5",
    "pde-dirichlet bins p.json --out bins.svg",
    "pde-dirichlet bins p.json --sweep 2:50 --step 4 --out sweep.pdf sweep.csv",
    "pde-dirichlet bins --data burgers.h5 --sweep 2:20 --alpha 0.1",
  );
}

async function binsAction(given: string | undefined, options: BinsOptions): Promise<void> {
  const meant = given === undefined || existsSync(given) ? "" : suggestName(given, ["fit", "count"]);
  if (meant !== "") throw new OptionError(`there is no partition ${given}${meant}`);
  checkBinOptions(options);
  checkSweepOptions(given, options);
  for (const path of options.out ?? []) checkEnding(path);
  const partition = given === undefined ? undefined : await partitionFileIn(given);
  if (partition === undefined && options.data === undefined)
    throw new OptionError("name a partition, or data with --data <file> and --sweep <from:to>");
  const data = partition === undefined ? options.data! : await dataFileOf(partition, options.data);
  const inputs = [
    ...readFiles(data, options),
    ...[partition, options.binsFrom].filter((path) => path !== undefined),
  ];
  await checkOutputs(options.out ?? [], { force: options.force, inputs });
  if (options.sweep) return sweep(data, partition, options);
  if (partition === undefined)
    throw new OptionError("--data alone has no bins to look at: name a partition, or --sweep <from:to>");
  return lookIntoBins(data, partition, options);
}

/** Refuses the ending of some other kind of file, before the work. */
function checkEnding(path: string): void {
  if (path.toLowerCase().endsWith(".csv") || isFigureFile(path)) return;
  figureEncoder(path, "--out (or .csv for a table)");
}
