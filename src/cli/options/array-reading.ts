import { existsSync } from "node:fs";
import { type Command, Option } from "commander";
import { CHANNEL_PLACES } from "../../datasets/files/array-axes.js";
import { isSameName } from "../../datasets/files/array-names.js";
import { splitOutside } from "../../datasets/files/arrays/expression.js";
import { dataPaths } from "../../datasets/files/data-paths.js";
import { ARRAY_CHOICES, AXIS_CHOICES } from "../../datasets/files/file-choices.js";
import type { DataNames, OpenData } from "../../datasets/files/open.js";
import { nameList } from "../../files/name-list.js";
import { DISK } from "../../files/store/disk.js";
import { chosenRepresentation } from "../../partition/representations.js";
import type { StartStep } from "../../pipeline/progress.js";
import { startProgress } from "../progress.js";
import { warn } from "../warning.js";
import { addFileFlags } from "./file-options.js";

/** Adds the options that say which arrays are data and what their axes mean. */
export function withArrayOptions(command: Command, help: Readonly<Record<string, string>> = {}): Command {
  return addFileFlags(command, ARRAY_CHOICES, help).addOption(
    new Option("--channels <end>", "which axis of a sample holds channels").choices(CHANNEL_PLACES),
  );
}

/** Adds the option that names the axes of a response: a representation or a cost may ask which are space. */
export function withAxisNames(command: Command): Command {
  return addFileFlags(command, { axes: AXIS_CHOICES.axes });
}

/** Files that a command reads, which it must not replace. */
export function readFiles(data: string, { inputs }: Pick<DataNames, "inputs">): readonly string[] {
  const beside = typeof inputs === "string" ? inputs.replace(/\[[^\]]*\]$/, "") : undefined;
  return [...dataPaths(DISK, data), ...(beside !== undefined && existsSync(beside) ? [beside] : [])];
}

/** Says how the arrays of a file were read, and which others there are where there was a choice that nobody made. */
export function announceArrayChoice(
  {
    reading,
    passedOver,
    missingInputs,
    advice,
  }: Pick<OpenData, "reading"> & Partial<Pick<OpenData, "passedOver" | "missingInputs" | "advice">>,
  { quiet }: { readonly quiet?: boolean },
): void {
  const others = passedOver
    ? `; not read: ${nameList(passedOver)} (choose others with --responses and --inputs)`
    : "";
  if (!quiet) process.stderr.write(`${reading}${others}\n`);
  if (advice !== undefined) warn(advice);
  if (missingInputs !== undefined)
    warn(
      `the inputs of the partition, ${missingInputs}, are missing: input W1 is omitted (name them with --inputs)`,
    );
}

/** Opened data without remarks that do not hold for bins of descriptors: arrays passed over, and advice to name such arrays. */
function withoutNamed(data: OpenData, representation: string | undefined): OpenData {
  if (representation === undefined || !chosenRepresentation(representation).entry.readsArrays) return data;
  if (data.passedOver === undefined) return { ...data, advice: undefined };
  const read = splitOutside(representation).map((text) => text.replace(/\[.*$/, "").trim());
  const passedOver = data.passedOver.filter((name) => !read.some((one) => isSameName(one, name)));
  return { ...data, advice: undefined, passedOver: passedOver.length > 0 ? passedOver : undefined };
}

/** What the library tells while it reads data and partitions, on standard error. */
export function shownReading(options: { readonly quiet?: boolean; readonly representation?: string }): {
  readonly onOpen: (data: OpenData) => void;
  readonly onClients: (words: string) => void;
  readonly startStep: StartStep;
} {
  return {
    onOpen: (data) => announceArrayChoice(withoutNamed(data, options.representation), options),
    onClients: (words) => {
      if (!options.quiet) process.stderr.write(`${words}\n`);
    },
    startStep: (name) => startProgress(name, options),
  };
}
