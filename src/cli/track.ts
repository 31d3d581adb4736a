import { existsSync } from "node:fs";
import { join } from "node:path";
import { Command } from "commander";
import { counted } from "../analysis/numbers.js";
import { FileError, OptionError, UserError } from "../errors.js";
import type { SeedRecord } from "../records/seed-record.js";
import { studyRecords } from "../studies/collect-records.js";
import { readStudies } from "../studies/read-studies.js";
import { followedRuns } from "../tracking/followed-run.js";
import { sendRuns } from "../tracking/send.js";
import { chosenTrackers, TRACKER_USAGE } from "../tracking/trackers.js";
import { type CommonOptions, withCommonOptions } from "./options/arguments.js";
import { addTrackOptions, type TrackOptions } from "./options/track-options.js";
import { experimentOfFolder } from "./tracking/start-tracking.js";
import { warn, warnOnce } from "./warning.js";

export function trackCommand(): Command {
  const command = new Command("track")
    .summary("log runs that were trained before to TensorBoard or MLflow")
    .description(
      "Log the runs of a folder to TensorBoard or MLflow: settings, every checkpoint, comparisons with the reference, " +
        "and how each run ended. Unfinished runs and records of other programs are logged too. " +
        "If you repeat the command, it sends only what is missing.",
    )
    .argument("<folder>", "the --out folder of `study` or `train`, or one with records of another program");
  addTrackOptions(command).action(trackAction);
  return withCommonOptions(
    command,
    "pde-dirichlet track out/quickstart --track tensorboard",
    "pde-dirichlet track out/quickstart --track mlflow:http://localhost:5000 --experiment burgers",
  );
}

async function trackAction(
  folder: string,
  { track = [], experiment, json, quiet }: TrackOptions & CommonOptions,
): Promise<void> {
  if (track.length === 0) throw new OptionError(`say where: --track ${TRACKER_USAGE}`);
  const studyFiles = await readStudies(folder);
  const studyOf = new Map(
    studyFiles
      .flatMap(({ specification, runs }) => runs.map(({ id }) => [id, specification.name] as const))
      .reverse(), // the first study of a run counts
  );
  const own = experimentOfFolder(folder);
  const studies = studyOf.size === 0 ? [own] : [...new Set(studyOf.values())];
  const runs = () => followedRuns(folder, { studyOf: (id) => studyOf.get(id) ?? own });
  const all = await runs();
  if (all.length === 0)
    throw new FileError(`${folder} has no runs: is it the --out of \`study\` or \`train\`?`);
  const choices = chosenTrackers(track, { folder, studies, experiment, onNotice: warnOnce() });
  const rows = await comparisons(folder);
  const page = join(folder, "report.html");
  const report = existsSync(page) ? { study: studies[0], page } : undefined;
  const sent: { tracker: string; runs: number; checkpoints: number }[] = [];
  for (const choice of choices) {
    const checkpoints = await sendRuns(choice, { folder, runs, onWarning: warn }, { rows, report });
    sent.push({ tracker: choice.words, runs: all.length, checkpoints });
    if (json) continue;
    console.log(
      `${counted(all.length, "run")} in ${choice.words}: ${checkpoints === 0 ? "nothing new" : `${counted(checkpoints, "checkpoint")} sent`}`,
    );
    if (!quiet) process.stderr.write(`Look: ${choice.look}\n`);
  }
  if (json) console.log(JSON.stringify(sent));
}

/** Seed-level records for what is compared with a reference; a run that is damaged leaves the others their checkpoints. */
async function comparisons(folder: string): Promise<readonly SeedRecord[]> {
  try {
    return await studyRecords(folder, warn);
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    warn(`${error.message}; comparisons with the reference are left out`);
    return [];
  }
}
