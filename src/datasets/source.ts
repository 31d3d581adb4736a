import { OptionError } from "../errors.js";
import type { GivenValues, Options } from "../options/option.js";
import { checkValues, withDefaults } from "../options/option.js";
import type { Stream } from "../random/stream.js";
import type { ArrayDescription } from "./dataset.js";

/** What data of a source depend on, by name: `{ viscosity: 0.1 }`. */
export type SourceParameters = Readonly<Record<string, number | string>>;

/** One labelled sample: what is given and what is to be predicted, each in C order. */
export interface Sample {
  readonly input: Float32Array | Float64Array;
  readonly response: Float32Array | Float64Array;
}

/** What the samples of a source are, and where their axes' points lie. */
export interface SourceGeometry {
  readonly inputs: ArrayDescription;
  readonly responses: ArrayDescription;
  /** Coordinates by the name of their axis: `sensors`, `x`, `t`. */
  readonly coordinates: Readonly<Record<string, Float64Array>>;
}

/** What stands over a picture and beside its scale, in the notation of figures: `$u$($x$)`. */
export interface PictureText {
  readonly title: string;
  readonly quantity: string;
}

/**
 * How samples are drawn: each array as one picture, by its axes; each channel before and after; the velocity of a flow
 * past a body; or shot gathers beside the ground that they were recorded over.
 */
export type SamplePicture =
  | { readonly kind: "fields"; readonly input: PictureText; readonly response: PictureText }
  | {
      readonly kind: "states";
      readonly channels: readonly { readonly symbol: string; readonly quantity: string }[];
    }
  | { readonly kind: "flow" }
  | { readonly kind: "seismic" };

/** An entry of the list of sources: `SOURCES` names them. A new source is one file with one of these, and its line there. */
export interface DataSource {
  /** As a heading in tables and reports. */
  readonly title: string;
  /** The map from input to response, in words and symbols. */
  readonly equation: string;
  /** Numbers of samples, unless told otherwise. */
  readonly train: number;
  readonly test: number;
  /** Type that samples are stored in. */
  readonly dtype: "float32" | "float64";
  /** Fewest samples of a client, unless told otherwise. */
  readonly minSize: number;
  /** Seed of the data that all seeds share, like a public file; undefined if each seed has data of its own. */
  readonly dataSeed?: number;
  /** What the equation and its discretisation depend on, each declared once. */
  readonly parameters: Options;
  /** The model that is trained on the data unless told otherwise, and its options where they differ from its defaults. */
  readonly model: { readonly name: string; readonly options: GivenValues };
  /** How the data are scaled for that model, where it is not as the model has it. */
  readonly normalise?: "none" | "standard" | "channels";
  /** Refuses parameters that contradict each other, with an `OptionError`. */
  readonly check?: (parameters: SourceParameters) => void;
  readonly geometry: (parameters: SourceParameters) => SourceGeometry;
  /** Prepares the solver; each sample has its own random stream. */
  readonly sampler: (parameters: SourceParameters) => (random: Stream) => Sample;
  /** Its name over the picture of a sample, where the heading says more. */
  readonly picture: SamplePicture & { readonly title: string };
  /** Its colour in figures that compare sources; one that no other has is chosen without it. */
  readonly color?: string;
}

/** The defaults of a source's parameters. */
export function usualParameters({ parameters }: Pick<DataSource, "parameters">): SourceParameters {
  return withDefaults(parameters, {}) as SourceParameters;
}

/** The defaults with the given ones in their place; undefined ones keep their defaults. */
export function sourceParameters(
  name: string,
  source: DataSource,
  given: Readonly<Record<string, number | string | undefined>>,
): SourceParameters {
  checkValues(source.parameters, given, name);
  const values = { ...usualParameters(source) } as Record<string, number | string>;
  for (const [key, value] of Object.entries(given)) if (value !== undefined) values[key] = value;
  source.check?.(values);
  return values;
}

/** Number of points of an axis of time or space, for a source's description of its axes. */
export function coordinateAxis(
  name: string,
  values: Float64Array,
  { kind = "space", unit }: { readonly kind?: "space" | "time"; readonly unit?: string } = {},
) {
  return { kind, name, length: values.length, ...(unit && { unit }), coordinates: name } as const;
}

/** A source by its name in a list of them. */
export function sourceIn(sources: Readonly<Record<string, DataSource>>, name: string): DataSource {
  if (!Object.hasOwn(sources, name))
    throw new OptionError(`there is no task "${name}"; the tasks are ${Object.keys(sources).join(", ")}`);
  return sources[name];
}
