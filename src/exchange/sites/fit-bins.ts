import { type DataNames, type OpenData, openData } from "../../datasets/files/open.js";
import { threadsFor } from "../../datasets/threads-for.js";
import { type BinModel, binCost, type SolutionBins } from "../../partition/bins.js";
import { binReach } from "../../partition/bins-elsewhere.js";
import { openBinning } from "../../pipeline/binned-data.js";
import { type StartStep, silentSteps } from "../../pipeline/progress.js";
import { RANDOM_ALGORITHM } from "../../random/stream.js";
import { VERSION } from "../../version.js";
import { binsSha256, qualityFields } from "../partition-file.js";
import { BINS_SCHEMA, type BinsAbout, inSinglePrecision } from "./bins-file.js";

export interface FitBinsOptions extends DataNames {
  /** Number of bins; default 10. */
  readonly bins?: number;
  readonly seed: number;
  /** Round mean and centroids to single precision. */
  readonly float32?: boolean;
  /** GB of memory to use; default 4. */
  readonly memory?: number;
  /** Called when the data file is open, before its arrays are read. */
  readonly onOpen?: (data: OpenData) => void;
  readonly startStep?: StartStep;
}

/** Bins fitted to the data of a file, and their description. */
export interface FittedBins {
  readonly bins: SolutionBins;
  readonly about: BinsAbout;
  /** How the arrays were read. */
  readonly reading: string;
}

/** Fits bins to the responses of a file, for sites that count their own data in them. */
export async function fitDataFile(path: string, options: FitBinsOptions): Promise<FittedBins> {
  const { seed, startStep = silentSteps } = options;
  const data = await openData(path, options);
  options.onOpen?.(data);
  try {
    const hashed = data.hashedResponses();
    const binned = async (responses: OpenData["responses"], model?: BinModel): Promise<SolutionBins> => {
      const step = startStep(model ? "Rounding bins to single precision" : `Fitting bins, seed ${seed}`);
      const binning = await openBinning(
        { responses },
        {
          bins: options.bins,
          model,
          threads: threadsFor,
          memory: options.memory,
          onProgress: (fraction) => step.update(fraction, 1),
        },
      );
      const { bins } = await binning.binned(seed).finally(() => binning.close());
      step.finish(`${bins.bins} bins${model ? "" : ` after ${bins.iterations} iterations`}`);
      return bins;
    };
    const fitted = await binned(hashed.fields);
    // Counts and quality are those of the bins that are stored.
    const bins = options.float32 ? await binned(data.responses, inSinglePrecision(fitted)) : fitted;
    const about = await describe(data, bins, { fitted, seed, sha256: await hashed.sha256() });
    return { bins, about, reading: data.reading };
  } finally {
    await data.close();
  }
}

async function describe(
  data: OpenData,
  bins: SolutionBins,
  known: { readonly fitted: SolutionBins; readonly seed: number; readonly sha256: string },
): Promise<BinsAbout> {
  const { fitted, seed, sha256 } = known;
  const { layouts, ...choice } = data.choice;
  const { meanDistance, farthest } = binReach(bins);
  const { smallest, largest } = binCost(bins);
  return {
    schema: BINS_SCHEMA,
    made_with: { name: "pde-dirichlet", version: VERSION, random: RANDOM_ALGORITHM },
    representation: "field",
    data: {
      name: data.name,
      responses: data.responsesName ?? null,
      inputs: data.inputsName ?? null,
      ...(data.axes.sampleAxis && { sample_axis: data.axes.sampleAxis }),
      ...(data.axes.channels && { channels: data.axes.channels }),
      ...choice,
      ...(layouts && { layouts: [...layouts] }),
      sha256,
      samples: data.responses.samples,
      response_shape: [...bins.shape],
    },
    bins: {
      count: bins.bins,
      seed,
      sha256: await binsSha256(bins),
      scale: bins.scale,
      iterations: fitted.iterations,
      converged: fitted.converged,
      ...qualityFields(bins.quality!),
      mean_distance: meanDistance,
      farthest_distance: farthest,
      c_min: smallest,
      c_max: largest,
    },
  };
}
