import type { Dataset } from "./dataset.js";
import { describeSource } from "./describe-source.js";
import type { GenerateOptions, Progress } from "./generate.js";
import { generatedDataset } from "./generated-file.js";

/** Data of a source. They are generated when they are first read, or come from the cache of generated data. */
export function sourceDataset(options: GenerateOptions, onProgress?: Progress): Dataset {
  let halves: ReturnType<typeof generatedDataset> | undefined;
  return {
    ...describeSource(options),
    read: async (split) => {
      halves ??= generatedDataset(options, onProgress);
      return (await halves)[split];
    },
    attributes: async () => ({}),
    close: async () => {},
  };
}
