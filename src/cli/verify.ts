import { Command } from "commander";
import { counted } from "../analysis/numbers.js";
import { DataError } from "../errors.js";
import { verifyStudy } from "../studies/verify.js";
import { type CommonOptions, withCommonOptions } from "./options/arguments.js";
import { startProgress } from "./progress.js";

export function verifyCommand(): Command {
  const command = new Command("verify")
    .summary("check the finished runs and the table of a folder")
    .description(
      "Check the finished runs and the table of a folder. Recompute hashes of files and parameters, the partition " +
        "from its seed, counts, metrics, and the seed-level table. Check that every sample has exactly one client, that journals are " +
        "complete, and that a run and its reference share data, bins and initial model.",
    )
    .argument("<folder>", "the --out folder of `study`")
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
  const rest = unfinished > 0 ? `; ${counted(unfinished, "run")} not finished yet` : "";
  if (!json) console.log(`${folder}: ${finished} verified, no problem found${rest}`);
}
