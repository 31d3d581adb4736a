import { expose } from "comlink";
import type { AxisKind, Coordinates, DatasetDescription, Split } from "../../datasets/dataset.js";
import type { Fields } from "../../datasets/fields.js";
import type { Inspection } from "../../datasets/files/inspection.js";
import type { OpenedData } from "../../datasets/files/opened-data.js";
import type { GenerateOptions } from "../../datasets/generate.js";
import type { Metrics } from "../../diagnostics/metrics.js";
import { DataError } from "../../errors.js";
import type { CostMatrix } from "../../numerics/cost-matrix.js";
import type { BinMember, BinPictures } from "../../partition/bin-pictures.js";
import type { PartitionerChoice } from "../../partition/partitioner.js";
import type { RepairRule } from "../../partition/repair.js";
import { statisticNames } from "../../pipeline/field-statistics.js";
import type { KnowledgeSources } from "../../pipeline/sample-knowledge.js";
import { choiceOfReading, type FileReading } from "../file-reading.js";
import type { GivenFiles } from "./files/given-files.js";
import { generatedData } from "./generated-data.js";
import { lendData } from "./lent-data.js";
import { type RangesView, rangesOf } from "./value-ranges.js";
import { openWorkbench, type Workbench } from "./workbench.js";

/** Where the data of the page come from, as the command line would name them. */
export type DataOrigin = { readonly kind: "task"; readonly options: GenerateOptions } | FileOrigin;

/** Files of data, and how commands read the same samples of them. */
export interface FileOrigin {
  readonly kind: "file";
  /** Names of files that were dropped, or paths below the server's folder, as the command line has them. */
  readonly name: string;
  readonly reading: FileReading;
  /** Flags by which `partition` takes the samples for training; undefined where it cannot take them alone. */
  readonly partition?: readonly string[];
  /** File and flags by which `show` draws samples of a half. */
  readonly show: Readonly<Record<Split, { readonly file: string; readonly flags: readonly string[] }>>;
  /** Rows of the arrays that are for testing, where both halves are rows of the same arrays. */
  readonly testRange?: readonly [start: number, end: number];
}

/** Responses with their inputs; a file may have responses alone, which can be split but not trained on. */
export interface LabFields {
  readonly inputs?: Fields;
  readonly responses: Fields;
}

/** Data that the lab holds. */
export interface LabData {
  readonly origin: DataOrigin;
  readonly description: DatasetDescription;
  readonly coordinates: Coordinates;
  /** Samples in the order of the description's axes. */
  readonly train: LabFields;
  /** Undefined where the data have no samples for testing. */
  readonly test?: LabFields;
  /** Kinds of the axes of a response in the order of the description. */
  readonly responseAxes: readonly AxisKind[];
  /** Stored axis of each axis of a response and of an input, where it is another one: commands split what is stored. */
  readonly responseOrder?: readonly number[];
  readonly inputOrder?: readonly number[];
  /** Group of each training sample, where samples of a group stay together. */
  readonly groups?: Int32Array;
  /** What else is known of each training sample, for partitioners that ask for it. */
  readonly attributes?: KnowledgeSources["attributes"];
  /** What the arrays are called in their file, and the choices by which they were read: a partition's file notes them. */
  readonly names?: Pick<OpenedData, "responsesName" | "inputsName" | "axes" | "choice">;
  /** How the data were read, a line each, and what should be known of them. */
  readonly reading: readonly string[];
  /** Whether a sample is there, where samples are made one after another. */
  has?(half: Split, sample: number): boolean;
  /** Makes all samples of a half, where they are not there from the beginning. */
  complete?(half: Split, onProgress?: OnProgress): Promise<void>;
  close?(): Promise<void>;
}

/** What the page is told of the data: everything but the samples. */
export type DataFacts = Omit<
  LabData,
  "train" | "test" | "groups" | "attributes" | "names" | "has" | "complete" | "close"
> & {
  /** Names of the values that every training sample has, also those that all data have, such as `input-rms`. */
  readonly attributeNames: readonly string[];
  /** Whether there are responses without inputs. */
  readonly isAlone: boolean;
};

/** One sample. */
export interface SampleView {
  /** Undefined of responses alone. */
  readonly input?: Float32Array | Float64Array;
  readonly response: Float32Array | Float64Array;
}

/** What bins are fitted to. */
export interface BinsChoice {
  readonly bins: number;
  readonly seed: number;
}

/** Solution bins, in the units of the data. */
export interface BinsView {
  readonly bins: number;
  readonly binOfSample: Int32Array;
  readonly sizes: readonly number[];
  /** Centroid of each bin, bins x numbers of a response. */
  readonly centroids: Float64Array;
  /** Distance of each sample from its centroid, in units of s_u. */
  readonly distances: Float64Array;
  readonly explainedVariance: number;
  readonly quantisationError: number;
  /** Sentences that should be known of these bins. */
  readonly notes: readonly string[];
}

/** The samples of the map: principal components of the normalised responses. */
export interface MapView {
  /** Two numbers for each sample. */
  readonly points: Float64Array;
  /** Two numbers for each centroid. */
  readonly centroids: Float64Array;
  /** Shares of the variance that the two axes show. */
  readonly explained: readonly [number, number];
}

/** A split that is asked for. */
export interface SplitChoice {
  readonly clients: number;
  /** Undefined for a partitioner without a concentration. */
  readonly alpha?: number;
  readonly seed: number;
  /** Undefined for the default of the data. */
  readonly minSize?: number;
  readonly repair: RepairRule;
  readonly partitioner: PartitionerChoice;
}

/** A split and what it is. */
export interface SplitView {
  readonly clients: number;
  readonly bins: number;
  readonly clientNames?: readonly string[];
  /** Of a partitioner that takes one. */
  readonly alpha?: number;
  readonly clientOfSample: Int32Array;
  /** Samples per client and bin. */
  readonly counts: readonly (readonly number[])[];
  /** Cost of moving mass between bins. */
  readonly cost: CostMatrix;
  /** Transport distance between every two clients, clients x clients; NaN for a client without samples. */
  readonly distances: Float64Array;
  /** Without distances of inputs: {@link Lab.inputDistance} follows with them. */
  readonly metrics: Metrics;
  readonly minSize: number;
  /** Samples that repair gave to each client, and took from it. */
  readonly received: readonly number[];
  readonly given: readonly number[];
  readonly notes: readonly string[];
  /** Milliseconds that the split took. */
  readonly milliseconds: number;
}

/** D_sol and H_u along the dial, with all but alpha as it is. */
export interface DialView {
  /** In rising order. */
  readonly alphas: readonly number[];
  readonly distances: readonly number[];
  /** H_u of the drawn shares; undefined of a partitioner that draws none by bins. */
  readonly heterogeneities?: readonly number[];
}

/** How far apart the inputs of clients are. */
export interface InputDistanceView {
  /** Mean pairwise W1. */
  readonly mean: number;
  /** Most inputs of a client that were compared. */
  readonly samplesPerClient: number;
}

/** The two files of a partition. */
export type PartitionFileKind = "json" | "npz";

/** A file to save. */
export interface FileToSave {
  readonly name: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

export type OnProgress = (done: number, total: number) => void;

/**
 * The data of the page and what is computed from them. It lives in a worker, so that the page stays responsive; the page
 * reaches it through `comlink`.
 */
export interface Lab {
  /** Takes data of a built-in task. Their samples are made when they are asked for. */
  generate(options: GenerateOptions): Promise<DataFacts>;
  /** Takes data of files. */
  open(files: GivenFiles, reading: FileReading): Promise<DataFacts>;
  /** Looks into files: their arrays, what they are taken for, and choices where several readings are plausible. */
  inspect(files: GivenFiles, reading: FileReading): Promise<Inspection>;
  /** Makes all samples for training, where they are not there yet. */
  complete(onProgress?: OnProgress): Promise<void>;
  /** A sample of the data. */
  sample(half: Split, index: number): Promise<SampleView>;
  /** What values of the data span, of one channel or of all (empty), so that pictures of several samples share their colours. */
  ranges(half: Split, channel: string): Promise<RangesView>;
  /** Responses for training of these samples, in their order. */
  responses(samples: readonly number[]): Promise<readonly SampleView["response"][]>;
  /** Fits bins to the responses for training. */
  bin(choice: BinsChoice, onProgress?: OnProgress): Promise<BinsView>;
  /** How far the bins spread, how far they are apart, and the nearest and farthest sample of each. */
  pictures(): Promise<BinPictures>;
  /** The samples of a bin, nearest to its centroid first: the order of `show --partition p.json --bin 3`. */
  members(bin: number): Promise<readonly BinMember[]>;
  /** Where the samples lie on a map. */
  map(): Promise<MapView>;
  /** Splits the samples among clients. */
  split(choice: SplitChoice): Promise<SplitView>;
  /** D_sol along the whole dial; undefined without a dial, or if the next sweep or new bins came before the end. */
  dial(choice: SplitChoice): Promise<DialView | undefined>;
  /** The distance of inputs for the last split; it may take seconds, in which splits are answered nevertheless. */
  inputDistance(): Promise<InputDistanceView | undefined>;
  /** Lends the samples that it holds now to whoever has the other end, as `LentData`. */
  lend(port: MessagePort): Promise<void>;
  /** A file of the split, byte for byte as `partition --out` writes it. */
  partitionFile(choice: SplitChoice, kind: PartitionFileKind): Promise<FileToSave>;
}

/** An empty lab. */
export function openLab(): Lab {
  let held: LabData | undefined;
  let bench: Workbench | undefined;
  const data = () => {
    if (!held) throw new DataError("there are no data yet: choose a task or open a file");
    return held;
  };
  const workbench = () => {
    bench ??= openWorkbench(data());
    return bench;
  };
  /** Takes new data. What was computed from those before goes. */
  const hold = (found: LabData | undefined) => {
    bench?.close().catch(() => {});
    held?.close?.().catch(() => {});
    bench = undefined;
    held = found;
  };
  return {
    async generate(options) {
      hold(undefined); // lets the memory go before new data take it
      hold(generatedData(options));
      return viewOf(data());
    },
    async open(files, reading) {
      hold(undefined);
      const { fileData, storeOf } = await readers();
      hold(await fileData(storeOf(files), files.text, reading));
      return viewOf(data());
    },
    async inspect(files, reading) {
      const { inspection, storeOf } = await readers();
      return inspection(storeOf(files), files.text, choiceOfReading(reading).choice);
    },
    complete: async (onProgress) => data().complete?.("train", onProgress),
    ranges: async (half, channel) => rangesOf(data(), half, channel, viewOf(data())),
    async sample(half, index) {
      const fields = data()[half];
      if (!fields || index >= fields.responses.samples)
        throw new DataError(`there is no sample ${index} for ${half === "train" ? "training" : "testing"}`);
      const [input, response] = await Promise.all([
        fields.inputs?.read(index, index + 1),
        fields.responses.read(index, index + 1),
      ]);
      return { ...(input && { input: input.slice() }), response: response.slice() };
    },
    async responses(samples) {
      const { responses } = data().train;
      const found: SampleView["response"][] = [];
      for (const sample of samples) found.push((await responses.read(sample, sample + 1)).slice());
      return found;
    },
    bin: async (choice, onProgress) => workbench().bin(choice, onProgress),
    pictures: async () => workbench().pictures(),
    members: async (bin) => workbench().members(bin),
    map: async () => workbench().map(),
    split: async (choice) => workbench().split(choice),
    dial: async (choice) => workbench().dial(choice),
    inputDistance: async () => workbench().inputDistance(),
    lend: async (port) => expose(lendData(data()), port),
    async partitionFile(choice, kind) {
      const split = data();
      const measured = await workbench().measured(choice);
      // What writes files is loaded for those who ask for one.
      const { partitionFile } = await import("./partition-file.js");
      return partitionFile(split, measured, kind);
    },
  };
}

/** The readers of files, which are loaded for those who open one. */
const readers = () => import("./files/readers.js");

/** What can be sent to the page. */
function viewOf(data: LabData): DataFacts {
  const { train, test, groups, attributes, names, has, complete, close, ...facts } = data;
  return {
    ...facts,
    attributeNames: [...(attributes?.names ?? []), ...statisticNames(train)],
    isAlone: train.inputs === undefined,
  };
}
