import { VERSION } from "../version.js";
import type { Coordinates, DatasetDescription } from "./dataset.js";
import { type GenerateOptions, type GenerateSpecification, generateSpecification } from "./generate.js";
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
