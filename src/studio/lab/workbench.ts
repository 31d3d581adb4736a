import { inStoredOrder } from "../../datasets/axis-order.js";
import { type InputSpace, inputDistances, inputSpace } from "../../diagnostics/input-distance.js";
import { DataError } from "../../errors.js";
import { membersByDistance } from "../../partition/bin-members.js";
import type { BinMember, BinPictures } from "../../partition/bin-pictures.js";
import type { Partition } from "../../partition/partition.js";
import type { Known } from "../../partition/partitioner.js";
import { takesAlpha } from "../../partition/partitioners.js";
import { type BinnedData, type Binning, openBinning } from "../../pipeline/binned-data.js";
import { type MeasuredPartition, partitionBinned } from "../../pipeline/measured-partition.js";
import { clientCount, knowledgeOf, wantedBy } from "../../pipeline/sample-knowledge.js";
import { binsView } from "./bins-view.js";
import { sweepDial } from "./dial-sweep.js";
import type {
  BinsChoice,
  BinsView,
  DialView,
  InputDistanceView,
  LabData,
  MapView,
  OnProgress,
  SplitChoice,
  SplitView,
} from "./lab.js";
import { patientThreads } from "./patient-threads.js";
import { type MappedSamples, mapResponses, mapView } from "./solution-map.js";
import { splitView } from "./split-view.js";
import { usualMinSize } from "./usual-min-size.js";

/** GB of memory for normalised responses and distances of inputs: a page has less room than a command. */
const MEMORY = 2;

/** What is computed from one set of data. What does not depend on alpha is computed once and kept. */
export interface Workbench {
  bin(choice: BinsChoice, onProgress?: OnProgress): Promise<BinsView>;
  pictures(): Promise<BinPictures>;
  members(bin: number): Promise<readonly BinMember[]>;
  map(): Promise<MapView>;
  split(choice: SplitChoice): Promise<SplitView>;
  dial(choice: SplitChoice): Promise<DialView | undefined>;
  inputDistance(): Promise<InputDistanceView | undefined>;
  /** The split with all that a partition's files hold: distances of inputs and transport plans too. */
  measured(choice: SplitChoice): Promise<MeasuredPartition>;
  close(): Promise<void>;
}

/** A workbench for these data. Nothing is computed before it is asked for. */
export function openWorkbench(data: LabData): Workbench {
  // Commands split what is stored, to the last bit: sums run in that order.
  const responses = inStoredOrder(data.train.responses, data.responseOrder);
  const inputs = data.train.inputs && inStoredOrder(data.train.inputs, data.inputOrder);
  const { samples } = responses;
  let binning: Promise<Binning> | undefined;
  let binned: BinnedData | undefined;
  let mapped: Promise<MappedSamples> | undefined;
  let space: Promise<InputSpace> | undefined;
  let partition: Partition | undefined;
  let known: { readonly key: string; readonly value: Promise<Known> } | undefined;
  /** The last sweep that was asked for: it makes those before it stop. */
  let sweep = 0;

  const bins = () => {
    if (!binned) throw new DataError("there are no bins yet");
    return binned;
  };

  const inputsAsPoints = async (): Promise<InputSpace | undefined> => {
    if (!inputs) return undefined;
    space ??= inputSpace(inputs, { threads: patientThreads, memory: MEMORY });
    return space;
  };

  /** What the partitioner wants to know; it does not depend on alpha. */
  function knownFor({ partitioner, seed }: SplitChoice): Promise<Known> {
    const wanted = wantedBy(partitioner);
    const key = JSON.stringify([wanted, seed]);
    if (known?.key !== key) {
      const sources = { inputs, responses, attributes: data.attributes };
      known = { key, value: knowledgeOf(wanted, sources, { samples, seed, memory: MEMORY }) };
    }
    return known.value;
  }

  /** The choice with what it leaves to the data. */
  async function completed(
    choice: SplitChoice,
  ): Promise<{ readonly choice: SplitChoice; readonly known: Known }> {
    const found = await knownFor(choice);
    const { partitioner, clients: asked, minSize = usualMinSize(data.origin, samples, choice) } = choice;
    const clients = clientCount(partitioner, found, asked, asked);
    return { choice: { ...choice, clients, minSize }, known: found };
  }

  return {
    async bin({ bins: count, seed }, onProgress) {
      binning ??= openBinning(
        { responses, groups: data.groups },
        {
          threads: () => patientThreads, // a person who steps through samples does not wait for bins
          memory: MEMORY,
          onProgress: (fraction) => onProgress?.(fraction, 1),
        },
      );
      binning.catch(() => {
        binning = undefined; // the next call tells the reason again
      });
      binned = await (await binning).binned(seed, count);
      return binsView(binned.bins, data);
    },
    async pictures() {
      const { bins: found } = bins();
      return (await binning!).pictures(found, found.binOfSample);
    },
    async members(bin) {
      const { bins: found } = bins();
      if (bin >= found.bins)
        throw new DataError(`there is no bin ${bin}: there are ${found.bins}, 0 to ${found.bins - 1}`);
      const own = Array.from(found.binOfSample.keys()).filter((sample) => found.binOfSample[sample] === bin);
      return membersByDistance(responses, own, found, bin);
    },
    async map() {
      const { bins: model } = bins();
      mapped ??= mapResponses(responses);
      return mapView(await mapped, model);
    },
    async split(given) {
      const began = performance.now();
      const all = bins();
      const { choice, known: found } = await completed(given);
      const measured = await partitionBinned(all, { ...choice, plans: false }, found);
      partition = measured.partition;
      return splitView(measured, performance.now() - began);
    },
    async dial(given) {
      if (!takesAlpha(given.partitioner.name)) return undefined;
      const own = ++sweep;
      const all = bins();
      const { choice, known: found } = await completed(given);
      return sweepDial(all, found, choice, () => own === sweep && binned === all);
    },
    async inputDistance() {
      const measured = partition;
      const points = await inputsAsPoints();
      if (!measured || !points) return undefined;
      const { mean, samplesPerClient } = await inputDistances(points, measured, { seed: measured.seed });
      return { mean, samplesPerClient };
    },
    async measured(given) {
      const all = bins();
      const { choice, known: found } = await completed(given);
      return partitionBinned({ ...all, inputs: await inputsAsPoints() }, choice, found);
    },
    close: async () => (await binning)?.close(),
  };
}
