import { type DataNames, type OpenData, openData } from "../../datasets/files/open.js";
import { threadsFor } from "../../datasets/threads-for.js";
import { type Contributors, type MergedCounts, mergeSmallCounts } from "../../diagnostics/small-counts.js";
import { DataError, FormatError } from "../../errors.js";
import { clusterSizes } from "../../numerics/lloyd.js";
import { binCost } from "../../partition/bins.js";
import { type FitElsewhere, fitElsewhere } from "../../partition/bins-elsewhere.js";
import { openBinning } from "../../pipeline/binned-data.js";
import { type StartStep, silentSteps } from "../../pipeline/progress.js";
import { withFile } from "../own-partition.js";
import { type BinsFile, openBinsFile } from "./bins-file.js";

export interface CountSiteOptions extends DataNames {
  /** Fewest contributors of a bin that is shared. */
  readonly minimum: number;
  /** GB of memory to use; default 4. */
  readonly memory?: number;
  /** Called when the data file is open, before its arrays are read. */
  readonly onOpen?: (data: OpenData) => void;
  readonly startStep?: StartStep;
}

/** What a site knows after counting; only `shared` is meant for others. */
export interface CountedSite {
  readonly bins: BinsFile;
  /** Samples per bin, as they are and as they are shared. */
  readonly counts: readonly number[];
  readonly shared: MergedCounts;
  /** What the minimum counts: groups where samples of the site belong together. */
  readonly contributors: Contributors;
  /** How well the bins describe the samples. */
  readonly fit: FitElsewhere;
  /** How the arrays were read. */
  readonly reading: string;
}

/** Counts the samples of a site in the bins of a file. */
export async function countSite(
  binsPath: string,
  path: string,
  options: CountSiteOptions,
): Promise<CountedSite> {
  const { startStep = silentSteps } = options;
  const bins = await withFile(binsPath, (file) => openBinsFile(file, binsPath));
  const { inputs: _, group: __, ...noted } = bins.about.data; // inputs are not counted, and groups are the site's own
  const data = await openData(path, options, noted).catch((error: unknown) => {
    if (!(error instanceof FormatError) || options.responses !== undefined) throw error;
    throw new FormatError(
      `${error.message}; the bins are of ${noted.responses}, name others with --responses`,
    );
  });
  options.onOpen?.(data);
  try {
    checkShape(data, path, bins, binsPath);
    const step = startStep("Reading responses and assigning them to bins");
    const binning = await openBinning(
      { responses: data.responses },
      {
        model: bins.model,
        threads: threadsFor,
        memory: options.memory,
        onProgress: (fraction) => step.update(fraction, 1),
      },
    );
    const found = (await binning.binned().finally(() => binning.close())).bins;
    step.finish(`${data.responses.samples} in ${found.bins} bins`);
    const { counts, contributors } = countsOf(found, data.groups);
    return {
      bins,
      counts,
      shared: mergeSmallCounts(counts, binCost(bins.model), options.minimum, contributors),
      contributors: data.groups ? "groups" : "samples",
      fit: fitElsewhere(found, bins.fitted),
      reading: data.reading,
    };
  } finally {
    await data.close();
  }
}

/** Samples of every bin, and the groups that they come from where there are groups. */
function countsOf(
  { bins, binOfSample }: { readonly bins: number; readonly binOfSample: Int32Array },
  groups?: Int32Array,
): { readonly counts: readonly number[]; readonly contributors?: readonly number[] } {
  const counts = [...clusterSizes(binOfSample, bins)];
  if (!groups) return { counts };
  const members = counts.map(() => new Set<number>());
  for (const [sample, bin] of binOfSample.entries()) members[bin].add(groups[sample]);
  return { counts, contributors: members.map(({ size }) => size) };
}

/** Refuses responses of another shape: the same number of values on another grid would be binned without sense. */
function checkShape({ responses }: OpenData, path: string, { model }: BinsFile, binsPath: string): void {
  if (responses.shape.join() === model.shape.join()) return;
  const inWords = (shape: readonly number[]) => shape.join(" x ") || "one number";
  throw new DataError(
    `${path} has responses of ${inWords(responses.shape)}, but the bins of ${binsPath} are of ${inWords(model.shape)}: ` +
      "bring the responses to that grid, or fit bins to data of this one",
  );
}
