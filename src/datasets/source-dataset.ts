import { VERSION } from "../version.js";
import type { Coordinates, Dataset, DatasetDescription } from "./dataset.js";
import {
  type GenerateOptions,
  type GenerateSpecification,
  generateSpecification,
  type Progress,
} from "./generate.js";
import { generatedDataset } from "./generated-file.js";
import { sourceOf } from "./sources.js";

/** What is known of data that a source generates, and where their axes' points lie; nothing is generated. */
export function describeSource(options: GenerateOptions): {
  readonly description: DatasetDescription;
  readonly coordinates: Coordinates;
} {
  const { task: name, seed, train, test, parameters }: GenerateSpecification = generateSpecification(options);
  const source = sourceOf(name);
  const { inputs, responses, coordinates } = source.geometry(parameters);
  const origin = `simulated by pde-dirichlet ${VERSION}`;
  return {
    description: { name, title: source.title, origin, parameters, seed, train, test, inputs, responses },
    coordinates: Object.fromEntries(
      Object.entries(coordinates).map(([key, values]) => [key, { values, dimensions: 1 }]),
    ),
  };
}

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
  };
}
