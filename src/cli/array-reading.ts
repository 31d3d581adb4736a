import { type Command, Option } from "commander";
import { AXIS_ENDS } from "../datasets/array-axes.js";
import type { OpenData } from "../datasets/open.js";
import { nameList } from "../files/name-list.js";
import { warn } from "./warning.js";

/** Adds the options that say what the axes of arrays mean. */
export function withAxisOptions(command: Command): Command {
  return command
    .addOption(
      new Option("--sample-axis <end>", "axis of the stored arrays along which samples lie").choices(
        AXIS_ENDS,
      ),
    )
    .addOption(new Option("--channels <end>", "axis of a sample that holds channels").choices(AXIS_ENDS));
}

/** Says how the arrays of a file were read, and which others there are where there was a choice that nobody made. */
export function tellReading(
  { reading, passedOver, missingInputs }: OpenData,
  { quiet }: { readonly quiet?: boolean },
): void {
  const others = passedOver
    ? `; not read: ${nameList(passedOver)} (--responses and --inputs name others)`
    : "";
  if (!quiet) process.stderr.write(`${reading}${others}\n`);
  if (missingInputs !== undefined)
    warn(
      `the partition's inputs, ${missingInputs}, are not there: input W1 is left out (--inputs names them)`,
    );
}
