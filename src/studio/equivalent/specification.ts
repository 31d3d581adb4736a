import { PARTITION_OPTIONS } from "../../partition/partition-options.js";
import { DEFAULT_PARTITIONER, takesAlpha } from "../../partition/partitioners.js";
import { readingFields } from "../file-reading.js";
import type { StudioSettings } from "../settings.js";
import { type Known, trainedData } from "./commands.js";
import { trainingStudy } from "./training-study.js";
import { yamlText } from "./yaml.js";

/** The study that trains what the page shows, as YAML; undefined where there is nothing to train. */
export function specificationOf(settings: StudioSettings, known: Known): string | undefined {
  const { origin, minSize } = known;
  if (!origin || settings.view === "studies" || settings.view === "data") return undefined;
  if (settings.view === "training") {
    const data = trainedData(known);
    const study = data && trainingStudy(settings, data);
    return study && yamlText(study);
  }
  const { alpha, clients, seed, bins, repair, partitioner, split, rounds, local_steps, batch } = settings;
  return yamlText({
    name: "studio",
    data: dataField(origin),
    ...(takesAlpha(partitioner) && { alphas: [alpha] }),
    seeds: [seed],
    federation: { clients, rounds, local_steps, ...(batch > 0 && { batch }) },
    partition: {
      bins,
      ...(minSize !== undefined && { min_size: minSize }),
      ...(repair !== PARTITION_OPTIONS.repair.default && { repair }),
      ...(partitioner !== DEFAULT_PARTITIONER && { partitioner: { name: partitioner, ...split } }),
    },
  });
}

function dataField(origin: NonNullable<Known["origin"]>): object {
  if (origin.kind === "file") return { file: origin.name, ...readingFields(origin.reading) };
  const { task, train, test, parameters } = origin.options;
  return {
    task,
    ...(train !== undefined && { train }),
    ...(test !== undefined && { test }),
    ...parameters,
  };
}
