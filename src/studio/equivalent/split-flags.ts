import { CLIENT_OPTIONS, PARTITION_OPTIONS } from "../../partition/partition-options.js";
import { DEFAULT_PARTITIONER, partitionerOf, takesAlpha } from "../../partition/partitioners.js";
import type { StudioSettings } from "../settings.js";
import { flag, flagsOf } from "./words.js";

/** Flags of `partition` and `train` that make the split of the page. */
export function splitFlags(settings: StudioSettings, minSize: number | undefined): string[] {
  const { alpha, clients, seed, bins, repair, partitioner, split } = settings;
  return [
    // Where data can determine the number of clients, leaving it out would mean another one than the page's.
    ...(partitionerOf(partitioner).clientsOf
      ? flag("clients", clients)
      : flagsOf(CLIENT_OPTIONS, { clients })),
    ...(takesAlpha(partitioner) ? flag("alpha", alpha) : []),
    ...flag("seed", seed),
    ...flagsOf(PARTITION_OPTIONS, { bins, min_size: minSize, repair }),
    ...(partitioner === DEFAULT_PARTITIONER ? [] : flag("partitioner", partitioner)),
    ...Object.entries(split).flatMap(([name, value]) => flag(name, value)),
  ];
}
