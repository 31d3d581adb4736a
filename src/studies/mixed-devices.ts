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
  for (const { id } of runs) {
    const record = await readRunRecord(runFolder(folder, id)).catch(() => undefined);
    if (isFinished(record)) devices.set(id, deviceOf(record));
  }
  const pairs = runs.flatMap(({ id, reference }) => {
    const [own, other] = [devices.get(id), devices.get(reference)];
    return own === undefined || other === undefined || own === other ? [] : [`${own}, and not on ${other}`];
  });
  if (pairs.length === 0) return [];
  const kinds = [...new Set(pairs)].join("; ");
  const how = pairs.length === 1 ? "1 run was" : `${pairs.length} runs were`;
  return [
    `${how} trained on another kind of device than the reference: on ${kinds}. Devices round differently, and differences ` +
      "from the reference include that.",
  ];
}

/** The kind of device that a run was trained on: its GPU, or its processor. */
function deviceOf({ hardware }: RunRecord): string {
  return `${hardware.gpu ?? hardware.processor ?? "an unknown device"}`;
}
