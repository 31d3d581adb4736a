import { isFinished, readRunRecord, runFolder } from "../records/run-folder.js";
import type { RunRecord } from "../records/run-record.js";
import type { PlannedRun } from "./plan.js";

/**
 * A warning where runs were trained on another kind of device than the reference that they are compared with: devices round
 * differently, and the differences that a report shows include that.
 */
export async function mixedDevices(
  folder: string,
  runs: readonly Pick<PlannedRun, "id" | "reference">[],
): Promise<readonly string[]> {
  const devices = new Map<string, string>();
  for (const id of new Set(runs.map(({ id }) => id))) {
    const record = await readRunRecord(runFolder(folder, id)).catch(() => undefined);
    if (isFinished(record)) devices.set(id, deviceOf(record));
  }
  const affected = new Set<string>();
  const pairs = new Set<string>();
  for (const { id, reference } of runs) {
    const [own, other] = [devices.get(id), devices.get(reference)];
    if (own === undefined || other === undefined || own === other) continue;
    affected.add(id);
    pairs.add(`on ${own}, the reference on ${other}`);
  }
  if (affected.size === 0) return [];
  const how = affected.size === 1 ? "One run was" : `${affected.size} runs were`;
  return [
    `${how} trained on another kind of device than the reference (${[...pairs].join("; ")}). Devices round differently, and ` +
      "differences from the reference include that.",
  ];
}

/** The kind of device that a run was trained on: its GPU, or its processor. */
function deviceOf({ hardware }: RunRecord): string {
  return `${hardware.gpu ?? hardware.processor ?? "an unknown device"}`;
}
