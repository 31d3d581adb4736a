import { Command } from "commander";
import { counted } from "../../analysis/numbers.js";
import { FileError } from "../../errors.js";
import { commandLine } from "../../report/command-line.js";
import { readSubmissions } from "../../studies/parts/submissions.js";
import { cancelStudy } from "../../studies/parts/submit.js";
import { type CommonOptions, withCommonOptions } from "../options/arguments.js";

export function cancelCommand(): Command {
  const command = new Command("cancel")
    .summary("end the jobs of a study that was submitted")
    .description(
      "End the jobs that `submit` put into a cluster's queue for a folder. Runs save their states first, and `submit` resumes them.",
    )
    .argument("<folder>", "the --out folder of `submit`")
    .action(cancelAction);
  return withCommonOptions(command, "pde-dirichlet cancel out/controlled");
}

async function cancelAction(folder: string, { json }: CommonOptions): Promise<void> {
  if ((await readSubmissions(folder)).length === 0)
    throw new FileError(`${folder} has no jobs: \`${commandLine(["submit"])}\` has submitted none for it`);
  const cancelled = await cancelStudy(folder);
  if (json) console.log(JSON.stringify({ cancelled }));
  else console.log(cancelled === 0 ? "No job waits or runs." : `Cancelled ${counted(cancelled, "part")}.`);
}
