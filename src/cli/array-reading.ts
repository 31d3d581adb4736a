import { type Command, Option } from "commander";
import { AXIS_ENDS } from "../datasets/array-axes.js";
import type { OpenData } from "../datasets/open.js";
import { nameList } from "../files/name-list.js";
import type { StartStep } from "../pipeline/progress.js";
import { startProgress } from "./progress.js";
import { warn } from "./warning.js";

/** Adds the options that say what the axes of arrays mean. */
export function withAxisOptions(command: Command): Command {
  return command
    .addOption(
      new Option("--sample-axis <end>", "which axis of the stored arrays counts samples").choices(AXIS_ENDS),
    )
    .addOption(new Option("--channels <end>", "which axis of a sample holds channels").choices(AXIS_ENDS));
}

/** Says how the arrays of a file were read, and which others there are where there was a choice that nobody made. */
export function announceArrayChoice(
  { reading, passedOver, missingInputs }: OpenData,
  { quiet }: { readonly quiet?: boolean },
): void {
  const others = passedOver
    ? `; not read: ${nameList(passedOver)} (choose others with --responses and --inputs)`
    : "";
  if (!quiet) process.stderr.write(`${reading}${others}\n`);
  if (missingInputs !== undefined)
    warn(
      `the inputs of the partition, ${missingInputs}, are missing: input W1 is omitted (name them with --inputs)`,
    );
}

/** What the library tells while it reads data and partitions, on standard error. */
export function shownReading(options: { readonly quiet?: boolean }): {
  readonly onOpen: (data: OpenData) => void;
  readonly onClients: (words: string) => void;
  readonly startStep: StartStep;
} {
  return {
    onOpen: (data) => announceArrayChoice(data, options),
    onClients: (words) => {
      if (!options.quiet) process.stderr.write(`${words}\n`);
    },
    startStep: (name) => startProgress(name, options),
  };
}
