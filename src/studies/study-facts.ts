import type { MissingRun } from "../records/missing-run.js";
import { isFinished, readRunRecord, runFolder } from "../records/run-folder.js";
import { externalFiles, missingExternalRuns } from "./external-runs.js";
import { missingRuns } from "./missing-runs.js";
import { mixedDevices } from "./mixed-devices.js";
import { type PartStatus, partsWords } from "./parts/part-states.js";
import { readSubmissions } from "./parts/submissions.js";
import { begunParts } from "./parts/workers.js";
import { readStudies, type StudyFile } from "./read-studies.js";
import { studyStatus } from "./status.js";
import { missingTrainedRuns, trainedRuns } from "./trained-runs.js";

/** What a report says of the studies of a folder beside their records. */
export interface StudyFacts {
  /** Where the folder holds one study, and that has a title. */
  readonly title?: string;
  /** With what, on what and how long the runs were made; nothing where there are none. */
  readonly facts: readonly (readonly [name: string, value: string])[];
  /** Command lines that asked for them. */
  readonly commands: readonly string[];
  /** Runs that they ask for and that have no records. */
  readonly missing: readonly MissingRun[];
  /** What readers of a report should bear in mind. */
  readonly warnings: readonly string[];
}

export async function studyFacts(folder: string): Promise<StudyFacts> {
  const studies = await readStudies(folder);
  const trained = studies.length === 0 ? await trainedRuns(folder) : [];
  const commands = studies.flatMap(({ command }) => command ?? []);
  return {
    title: studies.length === 1 ? studies[0].specification.title : undefined,
    facts: [
      ...(await runFacts(folder, [...idsOf(studies), ...trained.map(({ record }) => record.id)])),
      ...externalFacts((await externalFiles(folder)).length),
      ...((await isCut(folder)) ? partFacts((await studyStatus(folder)).parts) : []),
    ],
    commands: [...new Set(commands)], // one may have asked for several
    missing: [
      ...(await (studies.length === 0 ? missingTrainedRuns : missingRuns)(folder)),
      ...(await missingExternalRuns(folder)),
    ],
    warnings: await mixedDevices(
      folder,
      studies.flatMap(({ runs }) => runs),
    ),
  };
}

function externalFacts(runs: number): StudyFacts["facts"] {
  return runs === 0 ? [] : [["Trained by other programs", `${runs} run${runs === 1 ? "" : "s"}`]];
}

/** Whether the studies of a folder were cut into parts, here or on a cluster. */
async function isCut(folder: string): Promise<boolean> {
  return (await begunParts(folder)).length > 0 || (await readSubmissions(folder)).length > 0;
}

/** How far the parts are of a study that is still being trained. */
function partFacts(parts: readonly PartStatus[]): StudyFacts["facts"] {
  return parts.every(({ state }) => state === "finished") ? [] : [["Under way", partsWords(parts)]];
}

function idsOf(studies: readonly StudyFile[]): string[] {
  return [...new Set(studies.flatMap(({ runs }) => runs.map(({ id }) => id)))];
}

async function runFacts(folder: string, runs: readonly string[]): Promise<StudyFacts["facts"]> {
  const programs = new Set<string>();
  const machines = new Set<string>();
  let finished = 0;
  let seconds = 0;
  for (const id of runs) {
    const record = await readRunRecord(runFolder(folder, id)).catch(() => undefined);
    if (!isFinished(record)) continue;
    const { made_with, hardware, result } = record;
    programs.add(`${made_with.name} ${made_with.version}, Node ${made_with.node}`);
    const gpu = hardware.gpu === undefined ? "" : `, ${hardware.gpu}`;
    machines.add(`${hardware.processor}, ${hardware.cores} cores, ${hardware.memory_gib} GiB${gpu}`);
    finished++;
    seconds += result.seconds / Number(hardware.replicas ?? 1); // replicas share their time
  }
  if (finished === 0) return [];
  return [
    ["Computed by", [...programs].join("; ")],
    ["Computed on", [...machines].join("; ")],
    ["Runs", `${finished}, ${durationWords(seconds)} of training in all, one thread each`],
  ];
}

/** `48 seconds`, `12.5 minutes` or `3.2 hours`. */
function durationWords(seconds: number): string {
  if (seconds < 120) return `${Math.round(seconds)} seconds`;
  return seconds < 7200 ? `${(seconds / 60).toFixed(1)} minutes` : `${(seconds / 3600).toFixed(1)} hours`;
}
