import { Command, CommanderError } from "commander";
import { UserError } from "../errors.js";
import { VERSION } from "../version.js";
import { oneLine, visibleLines } from "./one-line.js";
import { suggestCommand, suggestOption } from "./suggestions/suggestion.js";

/** Every command, loaded when it is asked for: drawing and HDF5 take a while to start. */
const COMMANDS: Readonly<Record<string, () => Promise<Command>>> = {
  inspect: async () => (await import("./inspect.js")).inspectCommand(),
  generate: async () => (await import("./generate.js")).generateCommand(),
  import: async () => (await import("./import.js")).importCommand(),
  convert: async () => (await import("./convert.js")).convertCommand(),
  show: async () => (await import("./show.js")).showCommand(),
  partition: async () => (await import("./partition.js")).partitionCommand(),
  diagnose: async () => (await import("./diagnose.js")).diagnoseCommand(),
  bins: async () => (await import("./bins.js")).binsCommand(),
  compare: async () => (await import("./compare.js")).compareCommand(),
  export: async () => (await import("./export.js")).exportCommand(),
  survey: async () => (await import("./survey.js")).surveyCommand(),
  train: async () => (await import("./train.js")).trainCommand(),
  study: async () => (await import("./study.js")).studyCommand(),
  submit: async () => (await import("./cluster/submit.js")).submitCommand(),
  cancel: async () => (await import("./cluster/cancel.js")).cancelCommand(),
  devices: async () => (await import("./devices.js")).devicesCommand(),
  cache: async () => (await import("./cache.js")).cacheCommand(),
  status: async () => (await import("./status.js")).statusCommand(),
  verify: async () => (await import("./verify.js")).verifyCommand(),
  track: async () => (await import("./track.js")).trackCommand(),
  report: async () => (await import("./report.js")).reportCommand(),
  studio: async () => (await import("./studio.js")).studioCommand(),
  theory: async () => (await import("./theory.js")).theoryCommand(),
};

/** The command line with the command that was asked for, or with all of them where that is not clear. */
async function program(name: string | undefined): Promise<Command> {
  const root = new Command("pde-dirichlet")
    .enablePositionalOptions() // options behind a command are its own
    .description(
      "Split any labelled PDE dataset into federated clients of chosen and measured heterogeneity, " +
        "train neural operators on them, and report.\n" +
        "Run a command with --help for its options and examples.",
    )
    .version(VERSION);
  const wanted =
    name !== undefined && Object.hasOwn(COMMANDS, name) ? [COMMANDS[name]] : Object.values(COMMANDS);
  for (const load of wanted) root.addCommand(await load());
  return root;
}

/** Runs a command line; the exit status comes back. Whatever goes wrong is one line on standard error. */
export async function main(given: readonly string[]): Promise<number> {
  const argv = withoutHelpCommand(given);
  const root = await program(argv[0]);
  for (const command of withInner(root)) {
    command
      .exitOverride()
      .showSuggestionAfterError(false) // ours are closer to what was meant
      .configureOutput({
        outputError: (text, write) =>
          write(
            `pde-dirichlet: ${oneLine(text.replace(/^error: /, "").trimEnd() + suggestion(text, command))}\n`,
          ),
      });
  }
  try {
    await refuseUnknown(root, argv);
    await root.parseAsync(argv, { from: "user" });
    return 0;
  } catch (error) {
    if (error instanceof CommanderError) {
      // Commander has said it already. Without any command it takes the status of the process so far.
      return error.code === "commander.help" ? 1 : error.exitCode;
    }
    const freshLine = process.stderr.isTTY ? "\r\x1b[K" : ""; // a line of progress may be there
    if (argv.includes("--debug") && error instanceof Error)
      process.stderr.write(`${freshLine}${visibleLines(error.stack ?? error.message)}\n`);
    else process.stderr.write(`${freshLine}pde-dirichlet: ${messageOf(error)}\n`);
    return 1;
  }
}

/** A command with all commands within it. */
function withInner(command: Command): readonly Command[] {
  return [command, ...command.commands.flatMap(withInner)];
}

/** The command that words name, and the words after it: `fit` of `bins fit data.h5`. */
function named(command: Command, words: readonly string[]): readonly [Command, readonly string[]] {
  const inner = command.commands.find((one) => one.name() === words[0]);
  return inner ? named(inner, words.slice(1)) : [command, words];
}

function messageOf(error: unknown): string {
  const message = oneLine(error instanceof Error ? error.message : String(error));
  return error instanceof UserError ? message : `${message} (unexpected: --debug shows where)`;
}

/** Names an unknown option before commander asks for a required one: a guess at its name is why that one is missing. */
async function refuseUnknown(root: Command, argv: readonly string[]): Promise<void> {
  if (argv[0] === undefined || !Object.hasOwn(COMMANDS, argv[0])) return;
  const [command] = named(root, argv);
  const [probe, rest] = named(await program(argv[0]), argv);
  probe.exitOverride().configureOutput({ outputError: () => {} });
  let unknown: readonly string[] = [];
  try {
    unknown = probe.parseOptions([...rest]).unknown;
  } catch {
    return; // a value that is wrong is said when it is parsed in earnest
  }
  const option = unknown.find((word) => word.startsWith("-") && word !== "-");
  if (option !== undefined && !["-h", "--help"].includes(option))
    command.error(`error: unknown option '${option}'`, { code: "commander.unknownOption" });
}

/** What does the job of a command that takes one thing, for several. */
const SEVERAL: Readonly<Record<string, string>> = {
  train: " One run has one alpha and one seed; `study` takes several: --set alphas=[100,0.1]",
  diagnose: " It measures one partition at a time; --bins-from makes their numbers comparable",
};

/** What may have been meant by an unknown option or command that a message of commander names. */
function suggestion(message: string, command: Command): string {
  const [, kind, name] = /unknown (option|command) '(.*)'/s.exec(message) ?? [];
  if (kind === "command") {
    const names = command.parent ? command.commands.map((one) => one.name()) : Object.keys(COMMANDS);
    return suggestCommand(name, [...names, "help"]);
  }
  if (kind === "option") return suggestOption(name, command);
  return message.includes("too many arguments") ? (SEVERAL[command.name()] ?? "") : "";
}

/** `help partition` as `partition --help`; an unknown command is alone, since `--help` would hide it. */
function withoutHelpCommand(argv: readonly string[]): readonly string[] {
  const asked = argv.slice(1, 3).filter((word) => word !== "help");
  const [name, ...rest] = argv[0] === "help" ? [...asked, "--help"] : argv;
  if (name === undefined) return [];
  return name.startsWith("-") || Object.hasOwn(COMMANDS, name) ? [name, ...rest] : [name];
}
