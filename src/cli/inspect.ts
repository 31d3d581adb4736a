import { Command } from "commander";
import {
  ARRAY_CHOICES,
  AXIS_CHOICES,
  choiceProperty,
  FILE_CHOICES,
  type FileChoices,
} from "../datasets/files/file-choices.js";
import { type InspectedArray, type Inspection, inspectFile } from "../datasets/files/inspect-file.js";
import { flagOf } from "../options/option.js";
import { visible } from "./one-line.js";
import { type CommonOptions, withCommonOptions } from "./options/arguments.js";
import { addFileFlags, DATA_ARGUMENT, dataText, type FileOptions } from "./options/file-options.js";
import { textTable } from "./table.js";

interface InspectOptions extends CommonOptions, FileOptions {
  readonly test?: string;
  readonly figure?: string;
  readonly force?: boolean;
}

export function inspectCommand(): Command {
  const command = new Command("inspect")
    .summary("look into a file: its arrays, what they are taken for, and how to go on")
    .description(
      "Look into a file of data: every array with its shape and type, what the program takes it for, what it cannot " +
        "tell, and the command for the next step. With the options of `train` it shows what they would read.",
    )
    .argument(...DATA_ARGUMENT);
  addFileFlags(command, FILE_CHOICES)
    .option("--test <samples>", "samples for tests: a number, a share, a range or a second file")
    .option("--figure <file>", "draw the first sample as .svg, .png or .pdf")
    .option("--force", "replace the figure if it exists")
    .action(inspectAction);
  return withCommonOptions(
    command,
    "pde-dirichlet inspect NavierStokes_V1e-5_N1200_T20.mat",
    'pde-dirichlet inspect ns.mat --inputs "u[..., 0:10]" --responses "u[..., 10:20]" --figure ns.png',
    "pde-dirichlet inspect 1D_Advection_Sols_beta*.hdf5 --json",
  );
}

async function inspectAction(given: readonly string[], options: InspectOptions): Promise<void> {
  const path = dataText(given);
  const { figure, json, quiet } = options;
  const found = await inspectFile(path, options);
  if (figure !== undefined) {
    const { drawSamples } = await import("./show.js");
    await drawSamples(path, { ...options, split: "train", out: figure, quiet: true });
  }
  if (json) {
    console.log(JSON.stringify({ ...inJson(found), ...(figure !== undefined && { figure }) }));
    return;
  }
  console.log(textOf(found, path, options));
  if (figure !== undefined && !quiet) console.log(`\nFigure: ${figure}`);
}

/** The inspection under the names of files. */
function inJson({ canTrain, canPartition, ...found }: Inspection): object {
  return { ...found, can_train: canTrain, can_partition: canPartition };
}

/** The inspection as text, part by part. */
export function textOf(found: Inspection, path: string, options: InspectOptions = {}): string {
  const { reading, questions, advice, attributes } = found;
  const parts = [heading(found), arraysTable(found.arrays)];
  const named = Object.entries(attributes);
  if (named.length > 0)
    parts.push(
      `Attributes: ${named.map(([name, value]) => `${name} = ${visible(String(value))}`).join(", ")}`,
    );
  if (reading !== undefined) parts.push(`Reading: ${reading}`);
  if (advice !== undefined) parts.push(advice);
  parts.push(...questions.map((question) => `To be decided: ${question}`));
  const next = nextCommands(found, path, options);
  if (next.length > 0) parts.push(["Next:", ...next.map((line) => `  ${line}`)].join("\n"));
  return parts.join("\n\n");
}

function heading({ file, files, bytes, format, layouts }: Inspection): string {
  const several = files > 1 ? `, ${files} files` : "";
  return `${file}: ${format}${several}, ${size(bytes)}${layouts.map((words) => `; ${words}`).join("")}`;
}

/** A size in the largest unit that leaves a whole number or more. */
function size(bytes: number): string {
  const units = ["bytes", "kB", "MB", "GB", "TB"];
  const power = Math.min(units.length - 1, Math.max(0, Math.floor(Math.log10(Math.max(1, bytes)) / 3)));
  const number = bytes / 1000 ** power;
  return `${power === 0 ? number : number.toPrecision(3)} ${units[power]}`;
}

/** Arrays that a table shows at most. */
const MOST_ARRAYS = 40;

function arraysTable(arrays: readonly InspectedArray[]): string {
  if (arrays.length === 0) return "It has no arrays.";
  const rows = arrays
    .slice(0, MOST_ARRAYS)
    .map(({ name, shape, dtype, role, problem }) => [
      visible(name),
      shape === undefined ? "" : shape.join(" x ") || "one number",
      dtype ?? "",
      role ?? (problem === undefined ? "" : `not read: ${problem}`),
    ]);
  const more = arrays.length > MOST_ARRAYS ? `\n... and ${arrays.length - MOST_ARRAYS} more arrays` : "";
  const header = ["array", "shape", "type", "taken for"];
  return textTable(header, rows, ["left", "left", "left", "left"]) + more;
}

/** Commands that go on from here, with the options that were given. */
function nextCommands(
  { canTrain, canPartition, choices }: Inspection,
  path: string,
  options: InspectOptions,
): string[] {
  const data = quoted(path);
  const { group: _, ...drawn } = ARRAY_CHOICES;
  const test = options.test === undefined ? "" : ` --test ${quoted(options.test)}`;
  if (canTrain)
    return [
      `pde-dirichlet show ${data}${flags(options, { ...drawn, ...AXIS_CHOICES })} --out samples.png`,
      `pde-dirichlet partition ${data}${flags(options, ARRAY_CHOICES)} --alpha 0.1 --out p.json`,
      `pde-dirichlet train ${data}${flags(options, FILE_CHOICES)}${test} --alpha 0.1`,
    ];
  const chosen = choices.map(({ words, options: own }) => {
    const given = Object.entries(FILE_CHOICES).filter(([name]) => !own.includes(flagOf(name)));
    return `pde-dirichlet inspect ${data}${flags(options, Object.fromEntries(given))} ${own.map(quoted).join(" ")}   # ${words}`;
  });
  if (canPartition)
    chosen.push(`pde-dirichlet partition ${data}${flags(options, ARRAY_CHOICES)} --alpha 0.1 --out p.json`);
  return chosen;
}

/** Those of some choices that were given, as flags. */
function flags(options: InspectOptions, choices: FileChoices): string {
  return Object.keys(choices)
    .flatMap((name) => {
      const value = options[choiceProperty(name) as keyof InspectOptions];
      return value === undefined ? [] : ` ${flagOf(name)} ${quoted(String(value))}`;
    })
    .join("");
}

/** A word as a shell takes it. */
function quoted(word: string): string {
  return /^[\w./:=+-]+$/.test(word) ? word : `"${word.replace(/(["\\$`])/g, "\\$1")}"`;
}
