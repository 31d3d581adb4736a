import type { Fields } from "../datasets/fields.js";
import { type InputSpace, inputSpace, inputSpaceBytes } from "../diagnostics/input-distance.js";
import type { Threads } from "../numerics/kernels/threads.js";
import { type BinPictures, binPictures } from "../partition/bin-pictures.js";
import { applyBins, type BinModel, fitBins, type SolutionBins } from "../partition/bins.js";
import { memoryBytes } from "../partition/memory-options.js";
import { applyNormalisation, normaliseResponses, storageOf } from "../partition/normalise.js";
import {
  openRepresentation,
  type RepresentationOptions,
  type RepresentationSources,
} from "./represented-data.js";

/** Responses to bin, and inputs if their distances are wanted. */
export interface DataToPartition extends RepresentationSources {
  readonly inputs?: Fields | undefined;
  /** Group of every sample; samples of a group stay together. */
  readonly groups?: Int32Array;
}

/** Data as partitioners and diagnostics see them. They do not depend on clients or concentration. */
export interface BinnedData {
  readonly bins: SolutionBins;
  readonly inputs?: InputSpace;
  readonly groups?: Int32Array;
}

export interface BinningOptions extends RepresentationOptions {
  /** Number of solution bins to fit; default 10. */
  readonly bins?: number;
  /** Bins fitted earlier, to be used instead, with their representation and cost. */
  readonly model?: BinModel;
  /** Threads for fields of a given size; the caller's thread by default. The results do not depend on them. */
  readonly threads?: (fields: Fields) => Threads;
  /**
   * GB of memory that the process may take; default 4. Responses that do not fit are read again as needed, and the fields
   * must stay readable until the binning is closed. The results do not depend on it.
   */
  readonly memory?: number;
  /** Called with the fraction of the responses that is normalised. */
  readonly onProgress?: (fraction: number) => void;
}

/** Normalised data, from which bins of several seeds can be fitted. */
export interface Binning {
  /** The data with bins of a seed, as many as told or as the options say; with the bins of the model, if there is one. */
  binned(seed?: number, bins?: number): Promise<BinnedData>;
  /** What bins hold: the model's, or those that were fitted here. */
  pictures(model: BinModel, binOfSample?: Int32Array): Promise<BinPictures>;
  close(): Promise<void>;
}

/** Normalises responses for binning: by their own mean and scale, or by those of the bins that are reused. */
export async function openBinning(data: DataToPartition, options: BinningOptions = {}): Promise<Binning> {
  const { bins, model, threads, memory, onProgress } = options;
  const budget = memoryBytes({ memory });
  const forInputs = data.inputs ? inputSpaceBytes(data.inputs, budget) : 0;
  const { rows, what, completed } = await openRepresentation(data, options);
  const storage = storageOf(rows, budget, forInputs);
  const reading = { threads: threads?.(rows), storage, onProgress, what };
  const normalised = model
    ? await applyNormalisation(rows, model, reading)
    : await normaliseResponses(rows, reading);
  let space: Promise<InputSpace> | undefined;
  return {
    async binned(seed, count = bins) {
      const found = model
        ? await applyBins(normalised, model)
        : await fitBins(normalised, { bins: count, seed });
      const own = { bins: await completed(found), ...(data.groups && { groups: data.groups }) };
      if (!data.inputs) return own;
      space ??= inputSpace(data.inputs, { threads: threads?.(data.inputs), memory });
      return { ...own, inputs: await space };
    },
    pictures: (of, binOfSample) => binPictures(normalised.matrix, of, binOfSample),
    close: () => normalised.matrix.close(),
  };
}

type BinDataOptions = BinningOptions & { readonly seed?: number };

/** From data to bins of one seed. */
export function binData(
  data: DataToPartition & { readonly inputs: Fields },
  options?: BinDataOptions,
): Promise<BinnedData & { readonly inputs: InputSpace }>;
export function binData(data: DataToPartition, options?: BinDataOptions): Promise<BinnedData>;
export async function binData(
  data: DataToPartition,
  { seed, ...options }: BinDataOptions = {},
): Promise<BinnedData> {
  const binning = await openBinning(data, options);
  try {
    return await binning.binned(seed);
  } finally {
    await binning.close();
  }
}
