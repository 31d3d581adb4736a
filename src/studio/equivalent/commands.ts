import type { Coordinates, DatasetDescription } from "../../datasets/dataset.js";
import { commandLine } from "../../report/command-line.js";
import type { DataOrigin } from "../lab/lab.js";
import { FOLLOWS_SAMPLE, type StudioSettings } from "../settings.js";
import type { TrainedData } from "../training/given-run.js";
import { showWords } from "./show-words.js";
import { splitFlags } from "./split-flags.js";
import { trainingCommands } from "./training-commands.js";
import { dataWords, splitFileName } from "./words.js";

/** What the page knows beside its settings. */
export interface Known {
  /** Where the data come from; undefined before there are any. */
  readonly origin?: DataOrigin;
  readonly description?: DatasetDescription;
  readonly coordinates?: Coordinates;
  /** The minimum size that the split has, where the settings leave it to the data. */
  readonly minSize?: number;
}

/** The data, if what runs need to know of them is known. */
export const trainedData = ({ origin, description, coordinates }: Known): TrainedData | undefined =>
  origin && description && coordinates && { origin, description, coordinates };

/** The commands that show, split or train what the page shows, in the order in which they are run. */
export function commandsOf(settings: StudioSettings, known: Known): readonly string[] {
  const { origin, description, minSize } = known;
  const { view, bin, study } = settings;
  if (view === "studies") return [commandLine(["report", study || "."])];
  if (!origin) return [];
  const { file, commands } = dataWords(origin);
  const out = splitFileName(origin);
  const name = out.replace(/-split\.json$/, "");
  if (view === "data") {
    const words = showWords(settings, origin, file, description);
    return [...commands, commandLine([...words, "--out", `${name}.svg`])];
  }
  const flags = origin.kind === "file" ? origin.partition : [];
  if (!flags) return []; // `partition` cannot take the samples for training alone
  const partition = commandLine([
    ...["partition", file, ...flags, ...splitFlags(settings, minSize)],
    ...["--out", out],
  ]);
  switch (view) {
    case "solutions": {
      const bins = commandLine(["bins", out, "--out", `${name}-bins.svg`]);
      const figure = `${name}-bin-${bin}.svg`;
      const members = commandLine(["show", "--partition", out, "--bin", String(bin), "--out", figure]);
      return [...commands, partition, bins, ...(bin === FOLLOWS_SAMPLE ? [] : [members])];
    }
    case "clients":
      return [...commands, partition];
    case "training": {
      const data = trainedData(known);
      return data ? trainingCommands(settings, data) : [];
    }
  }
}
