import { Command, CommanderError } from "commander";
import { UserError } from "../errors.js";
import { VERSION } from "../version.js";

/** Every command, loaded when it is asked for: drawing and HDF5 take a while to start. */
const COMMANDS: Readonly<Record<string, () => Promise<Command>>> = {
  generate: async () => (await import("./generate.js")).generateCommand(),
  partition: async () => (await import("./partition.js")).partitionCommand(),
  diagnose: async () => (await import("./diagnose.js")).diagnoseCommand(),
  export: async () => (await import("./export.js")).exportCommand(),
  survey: async () => (await import("./survey.js")).surveyCommand(),
};

/** The command line with the command that was asked for, or with all of them where that is not clear. */
async function program(name: string | undefined): Promise<Command> {
  const root = new Command("pde-dirichlet")
    .description(
      "Turn any labelled PDE dataset into federated clients of chosen, measured heterogeneity.\n" +
        "Run a command with --help for its options and an example.",
    )
    .version(VERSION);
  const wanted = name !== undefined && name in COMMANDS ? [COMMANDS[name]] : Object.values(COMMANDS);
  for (const load of wanted) root.addCommand(await load());
  return root;
}

/** Runs a command line; the exit status comes back. Whatever goes wrong is one line on standard error. */
export async function main(argv: readonly string[]): Promise<number> {
  const root = await program(argv[0]);
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
