import type { Options, OptionValue } from "../options/option.js";
import { DEFAULT_PARTITIONER, PARTITIONERS } from "./partitioners.js";

/** What names a split: its partitioner with its options, and its concentration. */
export interface SplitName {
  readonly partitioner?: { readonly name: string; readonly [option: string]: unknown } | undefined;
  readonly alpha?: number | null | undefined;
  /** In place of a concentration. */
  readonly targetDistance?: number | undefined;
}

/**
 * A split in words: `alpha 0.1` of the paper's partitioner, `shards 4` or `client-dirichlet, alpha 0.1` of another. Options
 * that are usual, or that do not matter, are left out.
 */
export function splitWords({ partitioner, alpha, targetDistance }: SplitName): string {
  const { name = DEFAULT_PARTITIONER, ...values } = partitioner ?? {};
  const { options = {} }: { readonly options?: Options } =
    (PARTITIONERS as Readonly<Record<string, { readonly options: Options }>>)[name] ?? {};
  const { [name]: leading, sha256: _, ...others } = values as Readonly<Record<string, OptionValue>>;
  const told = Object.entries(others).filter(
    ([option, value]) => options[option]?.naming || value !== options[option]?.default,
  );
  return [
    ...(name === DEFAULT_PARTITIONER ? [] : [leading === undefined ? name : `${name} ${leading}`]),
    ...told.map(([option, value]) => `${words(option)} ${value}`),
    ...(typeof alpha === "number" ? [`alpha ${alpha}`] : []),
    ...(targetDistance === undefined ? [] : [`target distance ${targetDistance}`]),
  ].join(", ");
}

/** The same as a part of a file's name: `alpha-0.1`, `shards-4`, `client-dirichlet-alpha-0.1`. */
export function splitSlug(split: SplitName): string {
  return splitWords(split)
    .replace(/[^A-Za-z0-9.=-]+/g, "-")
    .replace(/^-|-$/g, "");
}

const words = (option: string): string => option.replaceAll("_", " ");
