import type { RecordedOptions } from "../records/run-record.js";
import { type RecordedSettings, settingsOfOptions } from "../records/settings.js";
import type { PlannedRun } from "./plan.js";

/** The settings of a planned run: as its study states them, or as earlier studies leave them to the options. */
export function plannedSettings({
  options,
  settings,
  overrides = [],
}: Pick<PlannedRun, "options" | "settings" | "overrides">): RecordedSettings {
  return settings ? { settings, overrides } : settingsOfOptions(earlierOptions(options));
}

/** Options of an earlier study under the names that they have in records: `localSteps` is `local_steps`. */
function earlierOptions({ data, ...options }: PlannedRun["options"]): RecordedOptions {
  const named = Object.entries(options).map(
    ([name, value]) => [name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`), value] as const,
  );
  const { sampleAxis, ...file } = data ?? {};
  const recorded = data ? { ...file, ...(sampleAxis && { sample_axis: sampleAxis }) } : null;
  return { ...Object.fromEntries(named), data: recorded } as unknown as RecordedOptions;
}
