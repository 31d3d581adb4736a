import type { Options, ValuesOf } from "../../options/option.js";
import { wholeNumber } from "../../options/option.js";
import type { ArrayDescription } from "../dataset.js";
import { coordinateAxis, type DataSource, type SourceParameters } from "../source.js";

/** What sources of public benchmarks have in common: fields of float32, and one dataset for all seeds, as files are. */
export const LIKE_A_PUBLIC_FILE = { dtype: "float32", dataSeed: 0, minSize: 16 } as const;

/** Points per side of a square grid. */
export const gridOption = (usual: number) =>
  wholeNumber({ help: "grid points per side", from: 8, to: 4096, default: usual });

/** A source of fields on one plane, before and after. */
export function fieldSource<O extends Options>(
  source: Pick<DataSource, "title" | "equation" | "train" | "test" | "picture" | "color"> & {
    readonly minSize?: number;
    readonly parameters: O;
    readonly check?: (parameters: ValuesOf<O>) => unknown;
    readonly labels: { readonly input: string; readonly response: string };
    readonly unit?: string;
    /** What the channels are; without any, fields have none. */
    readonly channels?: readonly string[];
    /** Names of the axes of the plane, in the order of the arrays, and their unit. */
    readonly axes: readonly [string, string];
    readonly axisUnit?: string;
    readonly coordinates: (parameters: ValuesOf<O>) => Readonly<Record<string, Float64Array>>;
    readonly sampler: (parameters: ValuesOf<O>) => ReturnType<DataSource["sampler"]>;
  },
): DataSource {
  const { check, labels, unit, channels, axes, axisUnit, coordinates, sampler, ...rest } = source;
  const given = (values: SourceParameters) => values as ValuesOf<O>;
  return {
    ...LIKE_A_PUBLIC_FILE,
    ...rest,
    model: { name: "fno", options: {} },
    ...(check && { check: (values: SourceParameters) => void check(given(values)) }),
    geometry: (values) => {
      const places = coordinates(given(values));
      const array = (label: string): ArrayDescription => ({
        label,
        ...(unit && { unit }),
        axes: [
          ...(channels
            ? [{ kind: "channel" as const, name: "channel", length: channels.length, labels: channels }]
            : []),
          ...axes.map((name) => coordinateAxis(name, places[name], { unit: axisUnit })),
        ],
      });
      return { inputs: array(labels.input), responses: array(labels.response), coordinates: places };
    },
    sampler: (values) => sampler(given(values)),
  };
}
