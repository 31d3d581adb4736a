import { basename } from "node:path";
import { InvalidArgumentError } from "commander";
import { verbatim } from "../../analysis/notation.js";
import type { DataNames } from "../../datasets/files/open.js";
import { OptionError } from "../../errors.js";
import { type BinSweep, sweepDataFile } from "../../exchange/sweep-data-file.js";
import { formatCsv } from "../../files/csv.js";
import { writeOutputs } from "../../files/disk.js";
import type { SweepPoint } from "../../pipeline/bin-sweep.js";
import { figureEncoder, isFigureFile } from "../figure-file.js";
import { type CommonOptions, wholeNumber } from "../options/arguments.js";
import { shownReading } from "../options/array-reading.js";
import { percent } from "../percent.js";
import { decimal, textTable } from "../table.js";

/** First and last number of bins of a sweep. */
export type SweepRange = readonly [from: number, to: number];

export interface SweepCommandOptions extends CommonOptions, Omit<DataNames, "channels"> {
  readonly sweep?: SweepRange;
  readonly step?: number;
  readonly alpha?: number;
  readonly clients?: number;
  readonly minSize?: number;
  readonly seed?: number;
  readonly bins?: number;
  readonly binsFrom?: string;
  readonly column?: string;
  readonly key?: string;
  readonly otherData?: boolean;
  readonly memory?: number;
  readonly title?: string;
  readonly out?: readonly string[];
  readonly force?: boolean;
}

/** `2:50` as the ends of a sweep. */
export function sweepRange(text: string): SweepRange {
  const ends = text.split(":");
  const [from, to] = ends.map(wholeNumber);
  if (ends.length !== 2 || !(from >= 1 && from < to))
    throw new InvalidArgumentError(`"${text}" is not a smaller and a larger number of bins, such as 2:50.`);
  return [from, to];
}

/** Refuses options that a sweep, or whatever is not a sweep, has no use for. */
export function checkSweepOptions(partition: string | undefined, options: SweepCommandOptions): void {
  const refuse = (names: Readonly<Record<string, string>>, why: (flag: string) => string) => {
    const stray = Object.entries(names).find(
      ([name]) => options[name as keyof SweepCommandOptions] !== undefined,
    );
    if (stray) throw new OptionError(why(stray[1]));
  };
  const ofDraw = { alpha: "--alpha", clients: "--clients", minSize: "--min-size" };
  if (options.sweep === undefined) {
    refuse(
      { step: "--step", ...ofDraw },
      (flag) => `${flag} speaks of a sweep: name one with --sweep <from:to>`,
    );
    return;
  }
  refuse(
    { bins: "--bins", binsFrom: "--bins-from" },
    (flag) => `a sweep fits bins of its own: leave out ${flag}`,
  );
  if (partition !== undefined)
    refuse(
      { ...ofDraw, seed: "--seed" },
      (flag) => `the partition brings its own options: leave out ${flag}`,
    );
  else
    refuse(
      { column: "--column", key: "--key", otherData: "--other-data" },
      (flag) => `${flag} speaks of a partition: name one`,
    );
  if (options.step === 0) throw new OptionError("--step is a whole number from 1 on, not 0");
}

/** Compares numbers of bins: table, figure and CSV. */
export async function sweep(
  data: string,
  partition: string | undefined,
  options: SweepCommandOptions,
): Promise<void> {
  const { out = [], force, json, step = 1 } = options;
  const [from, to] = options.sweep!;
  const counts = Array.from({ length: Math.floor((to - from) / step) + 1 }, (_, i) => from + i * step);
  if (counts.length < 2)
    throw new OptionError(`a step of ${step} leaves one number of bins of ${from}:${to}`);
  const { channels: _, ...names } = options as SweepCommandOptions & { channels?: unknown };
  const found = await sweepDataFile(data, counts, { ...names, partition, ...shownReading(options) });
  const title = options.title ?? `${basename(data)}: ${clientWords(found, partition)}`;
  const draw = async () => {
    const { sweepCurves } = await import("../../figures/partitions/sweep-curves.js");
    return sweepCurves({ title: verbatim(title), points: found.points, marked: found.partitionBins });
  };
  await writeOutputs(
    out.map((path) => ({
      path,
      bytes: isFigureFile(path)
        ? async () => figureEncoder(path, "--out")(await draw())
        : async () => new TextEncoder().encode(sweepCsv(found.points)),
    })),
    { force },
  );
  if (json) {
    const { points, ...about } = found;
    console.log(
      JSON.stringify({
        data,
        partition: partition ?? null,
        clients: about.clients,
        partition_bins: about.partitionBins ?? null,
        bins_seed: about.seed,
        reading: about.reading,
        points: points.map(rowOf),
        out,
      }),
    );
    return;
  }
  console.log(`${basename(data)}, ${clientWords(found, partition)}; bins fitted with seed ${found.seed}\n`);
  console.log(sweepTable(found));
  if (out.length > 0) console.log(`\nWritten: ${out.join(", ")}`);
}

/** One row a number of bins; that of the partition says so. */
function sweepTable({ points, partitionBins }: BinSweep): string {
  const header = ["bins", "explained", "eps_quant", "D_sol", "floor", "smallest bin"];
  const rows = points.map((point) => [
    String(point.bins),
    percent(point.explainedVariance, 1),
    decimal(point.quantisationError),
    decimal(point.d_sol),
    decimal(point.d_sol_floor),
    String(point.smallest),
  ]);
  if (partitionBins === undefined)
    return textTable(
      header,
      rows,
      header.map(() => "right"),
    );
  const note = (bins: number) => (bins === partitionBins ? "partition" : "");
  return textTable(
    [...header, "note"],
    rows.map((row, i) => [...row, note(points[i].bins)]),
    [...header.map(() => "right" as const), "left"],
  );
}

const clientWords = ({ clients }: BinSweep, partition: string | undefined): string =>
  partition === undefined ? clients : clients.replace(partition, basename(partition));

/** A point under the names of files. */
function rowOf({ bins, explainedVariance, quantisationError, d_sol, d_sol_floor, smallest }: SweepPoint) {
  return {
    bins,
    explained_variance: explainedVariance,
    eps_quant: quantisationError,
    d_sol,
    d_sol_floor,
    smallest_bin: smallest,
  };
}

function sweepCsv(points: readonly SweepPoint[]): string {
  const rows = points.map(rowOf);
  return formatCsv([Object.keys(rows[0]), ...rows.map((row) => Object.values(row).map(String))]);
}
