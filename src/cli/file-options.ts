import { type Command, Option } from "commander";
import { AXIS_ENDS, type AxisEnd } from "../datasets/array-axes.js";
import type { FileChoice } from "../datasets/labelled-file.js";
import { CHANNEL_PLACES, type ChannelPlace } from "../datasets/sample-axes.js";

/** How a file of data is read and called, as options of a command. */
export interface FileOptions extends Omit<FileChoice, "test" | "sampleAxis" | "channels"> {
  readonly sampleAxis?: AxisEnd;
  readonly channels?: ChannelPlace;
}

/** Names of the options, in the order of the help. */
export const FILE_OPTIONS = [
  "inputs",
  "responses",
  "name",
  "title",
  "inputLabel",
  "inputUnit",
  "responseLabel",
  "responseUnit",
  "sampleAxis",
  "channels",
  "axes",
  "inputAxes",
] as const satisfies readonly (keyof FileOptions)[];

export function withFileOptions(command: Command): Command {
  const names = (text: string) => text.split(",").map((name) => name.trim());
  return command
    .option(
      "--inputs <name>",
      "array of the inputs in the file; for an NPY file of responses, another NPY file",
    )
    .option("--responses <name>", "array of the responses in the file")
    .option("--name <name>", "what records and tables call the data of the file")
    .option("--title <text>", "what figures and reports call them")
    .option("--input-label <text>", "what the inputs are (default: input)")
    .option("--input-unit <text>", "unit of the inputs")
    .option("--response-label <text>", "what the responses are (default: response)")
    .option("--response-unit <text>", "unit of the responses")
    .addOption(
      new Option("--sample-axis <end>", "which axis of the stored arrays counts samples").choices(AXIS_ENDS),
    )
    .addOption(
      new Option("--channels <place>", "which axis of a sample holds channels, or none").choices(
        CHANNEL_PLACES,
      ),
    )
    .option("--axes <names>", "names of the axes of a response as they are stored, such as x,y,t", names)
    .option("--input-axes <names>", "the same for an input", names);
}
