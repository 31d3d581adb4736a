import type { DatasetDescription } from "../../datasets/dataset.js";
import { areFramesChannels } from "../drawn-sample.js";
import type { DataOrigin } from "../lab/lab.js";
import { slicesIn } from "../sample-slices.js";
import { DEFAULT_SETTINGS, type StudioSettings } from "../settings.js";

/** The words of `show` that draw the sample of the page. */
export function showWords(
  settings: StudioSettings,
  origin: DataOrigin,
  file: string,
  description: DatasetDescription | undefined,
): string[] {
  const { half, channel, frame, slice } = settings;
  const areFrames = description !== undefined && areFramesChannels(description.responses);
  // Beyond the last sample the page shows the last one.
  const sample = Math.max(0, Math.min(settings.sample, (description?.[half] ?? Infinity) - 1));
  const parts = [
    ...(channel === "" ? [] : ["--channel", channel]),
    ...(frame === DEFAULT_SETTINGS.frame ? [] : [areFrames ? "--channel" : "--frame", String(frame)]),
    ...Object.entries(slicesIn(slice)).flatMap(([axis, at]) => ["--slice", `${axis}=${at}`]),
  ];
  if (origin.kind === "task") {
    const split = half === "test" ? ["--split", "test"] : [];
    return ["show", file, ...split, "--sample", String(sample), ...parts];
  }
  const { show, testRange } = origin;
  const row = testRange ? rowOf(sample, half, testRange) : sample;
  return ["show", show[half].file, ...show[half].flags, "--sample", String(row), ...parts];
}

/** The row of arrays that hold both halves. */
function rowOf(
  sample: number,
  half: StudioSettings["half"],
  [start, end]: readonly [number, number],
): number {
  if (half === "test") return start + sample;
  return sample < start ? sample : sample + end - start;
}
