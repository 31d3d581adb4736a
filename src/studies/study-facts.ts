import { isFinished, readRunRecord, runFolder } from "../records/run-folder.js";
import { readStudies } from "./study-file.js";

/** With what, on what and how long the runs of a folder were made, for a report; nothing where there are none. */
export async function studyFacts(folder: string): Promise<[name: string, value: string][]> {
  const programs = new Set<string>();
  const machines = new Set<string>();
  const runs = new Set((await readStudies(folder)).flatMap(({ runs }) => runs.map(({ id }) => id)));
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
    seconds += result.seconds / Number(hardware.replicas ?? 1); // runs side by side share their time
  }
  if (finished === 0) return [];
  return [
    ["Computed by", [...programs].join("; ")],
    ["Computed on", [...machines].join("; ")],
    ["Runs", `${finished}, ${(seconds / 3600).toFixed(2)} hours of training in all, one thread each`],
  ];
}
