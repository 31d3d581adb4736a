import { threadsFor } from "../datasets/threads-for.js";
import type { Assignment } from "../partition/assignment.js";
import { binMeans } from "../partition/bin-fields.js";
import type { BinPictures } from "../partition/bin-pictures.js";
import type { BinModel } from "../partition/bins.js";
import { openBinning } from "../pipeline/binned-data.js";
import { type StartStep, silentSteps } from "../pipeline/progress.js";
import { readCostChoice } from "./cost-choice.js";
import { otherData } from "./other-data.js";
import type { OwnPartition } from "./own-partition.js";
import { leftOut, openPartitionedData, type PartitionedDataOptions } from "./partitioned-data.js";

/** The bins of a partition, and what they hold. */
export interface BinsOfPartition {
  readonly model: BinModel;
  readonly pictures: BinPictures;
  /** Mean response of every bin, which stands for a centroid where that is no response: `means[bin]`. */
  readonly means?: readonly Float64Array[];
  readonly assignment: Assignment;
  readonly clientNames: readonly string[];
  /** The partition, where it was made here. */
  readonly own?: OwnPartition;
  readonly binsOrigin: { readonly from?: string; readonly seed?: number };
  /** How the arrays were read. */
  readonly reading: string;
  /** What is to be said besides. */
  readonly remarks: readonly string[];
}

/**
 * Looks into the bins of a partition, whoever made it. Samples of a partition made here keep the bins that it states; else
 * each has the bin of its nearest centroid.
 */
export async function binsOfPartition(
  path: string,
  partitionPath: string,
  options: PartitionedDataOptions & {
    /** Seed of bins that are fitted. */
    readonly seed: number;
    readonly memory?: number;
    readonly startStep?: StartStep;
  },
): Promise<BinsOfPartition> {
  const { seed, memory, startStep = silentSteps } = options;
  const cost = options.cost === undefined ? undefined : await readCostChoice(options.cost);
  const opened = await openPartitionedData(path, partitionPath, options);
  const { data, own, reused, clientOfSample, clientNames } = opened;
  try {
    const step = startStep("Reading responses");
    const hashed = data.hashedResponses();
    const binning = await openBinning(
      { responses: hashed.fields, descriptors: data.descriptors, responseAxes: data.responseAxes },
      {
        ...{ representation: options.representation, standardise: options.standardise, cost },
        ...{ bins: options.bins, model: reused?.model, threads: threadsFor, memory },
        onProgress: (fraction) => step.update(fraction, 1),
      },
    );
    try {
      const isOther = own !== undefined && (await hashed.sha256()) !== own.file.data.sha256;
      if (isOther && !options.otherData) throw otherData(data, path, own.file, partitionPath);
      step.finish(`${data.responses.samples} samples`);
      const looking = startStep("Looking into bins");
      const fitted = reused ? undefined : (await binning.binned(seed)).bins;
      const stated = own && !isOther && reused?.from === partitionPath ? own.file.bin_of_sample : undefined;
      const model = reused?.model ?? fitted!;
      const pictures = await binning.pictures(
        model,
        fitted?.binOfSample ?? (stated && Int32Array.from(stated)),
      );
      const { binOfSample } = pictures;
      const means = model.representation
        ? await binMeans(data.responses, { binOfSample, bins: model.bins })
        : undefined;
      looking.finish(`${model.bins} bins`);
      return {
        model,
        pictures,
        ...(means && { means }),
        assignment: {
          clients: clientNames.length,
          bins: model.bins,
          clientOfSample,
          binOfSample,
        },
        clientNames: own?.file.client_names ?? clientNames,
        own,
        binsOrigin: reused ? { from: reused.from, seed: reused.seed } : { seed },
        reading: data.reading,
        remarks: [
          ...(isOther ? [`${path} does not hold the responses that ${partitionPath} was made from.`] : []),
          ...leftOut(clientOfSample, "the bins below have them too"),
        ],
      };
    } finally {
      await binning.close();
    }
  } finally {
    await data.close();
  }
}
