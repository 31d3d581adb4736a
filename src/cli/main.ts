import { Command, CommanderError } from "commander";
import { UserError } from "../errors.js";
import { VERSION } from "../version.js";
import { diagnoseCommand } from "./diagnose.js";
import { exportCommand } from "./export.js";
import { generateCommand } from "./generate.js";
import { partitionCommand } from "./partition.js";
import { surveyCommand } from "./survey.js";

/** The whole command line. */
export function program(): Command {
  return new Command("pde-dirichlet")
    .description(
      "Turn any labelled PDE dataset into federated clients of chosen, measured heterogeneity.\n" +
        "Run a command with --help for its options and an example.",
    )
    .version(VERSION)
    .addCommand(generateCommand())
    .addCommand(partitionCommand())
    .addCommand(diagnoseCommand())
    .addCommand(exportCommand())
    .addCommand(surveyCommand());
}

/** Runs a command line; the exit status comes back. Whatever goes wrong is one line on standard error. */
export async function main(argv: readonly string[]): Promise<number> {
  const root = program();
  for (const command of [root, ...root.commands]) command.exitOverride().showHelpAfterError(false);
  try {
    await root.parseAsync(argv, { from: "user" });
    return 0;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode; // commander has said it already
    if (argv.includes("--debug") && error instanceof Error) process.stderr.write(`${error.stack}\n`);
    else process.stderr.write(`pde-dirichlet: ${oneLine(error)}\n`);
    return 1;
  }
}

function oneLine(error: unknown): string {
  const message = (error instanceof Error ? error.message : String(error)).replace(/\s*\n\s*/g, "; ");
  return error instanceof UserError ? message : `${message} (unexpected: --debug shows where)`;
}
