import { Command } from "commander";
import { DataError } from "../errors.js";
import { verifyStudy } from "../studies/verify.js";
import { counted } from "../theory/measured.js";
import { type CommonOptions, withCommonOptions } from "./arguments.js";
import { startProgress } from "./progress.js";

export function verifyCommand(): Command {
  const command = new Command("verify")
    .summary("recompute what the records of a folder promise")
    .description(
      "Recompute what the records of a folder promise: hashes of files and parameters, every sample at exactly one\n" +
        "client, counts, the partition from its seed, complete journals, references with the same data, bins and\n" +
        "start, and the seed-level table.",
    )
    .argument("<folder>", "the --out of `study`")
    .action(verifyAction);
  return withCommonOptions(command, "pde-dirichlet verify out/quickstart");
}

async function verifyAction(folder: string, { json, quiet }: CommonOptions): Promise<void> {
  const progress = startProgress(`Verifying ${folder}`, { quiet: quiet || json });
  const found = await verifyStudy(folder, { onRun: (done, total) => progress.update(done, total) });
  const { checked, unfinished, problems } = found;
  const finished = counted(checked, "finished run");
  progress.finish(finished);
  if (json) console.log(JSON.stringify(found));
  else for (const problem of problems) console.log(problem);
  if (problems.length > 0)
    throw new DataError(`${folder}: ${counted(problems.length, "problem")} in ${finished}`);
  const rest = unfinished > 0 ? `; ${unfinished} ${unfinished === 1 ? "is" : "are"} not finished yet` : "";
  if (!json)
    console.log(`${folder}: ${finished} ${checked === 1 ? "is what it says" : "are what they say"}${rest}`);
}
