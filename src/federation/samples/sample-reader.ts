import type { FileData, Split } from "../../datasets/dataset.js";
import { type Fields, fieldSize, type LabelledFields } from "../../datasets/fields.js";
import { openDataset } from "../../datasets/files/labelled-file.js";
import { type FieldScale, type Scaling, scaleInto } from "../scaling.js";
import type { SampleArrays, SampleSizes } from "./stored-samples.js";

/** All that a thread must know to read samples on its own. */
export interface ReaderSource {
  /** A file that has been compared with its hash. */
  readonly data: FileData;
  readonly scaling: Scaling;
  readonly sizes: SampleSizes;
}

/** Reads chosen samples of both halves, as `StoredSamples.read` does; close it when done. */
export interface SampleReader {
  read(split: Split, chosen: Int32Array, into: SampleArrays): Promise<void>;
  close(): Promise<void>;
}

/** Reads in the calling thread. The file is opened at the first read. */
export function sampleReader({ data, scaling }: Omit<ReaderSource, "sizes">): SampleReader {
  let opened: ReturnType<typeof openDataset> | undefined;
  const halves = new Map<Split, Promise<LabelledFields>>();
  async function half(split: Split): Promise<LabelledFields> {
    opened ??= openDataset(data, { isUnchanged: true });
    const dataset = await opened;
    if (!halves.has(split)) halves.set(split, dataset.read(split));
    return halves.get(split)!;
  }
  return {
    async read(split, chosen, into) {
      const { inputs, responses } = await half(split);
      await Promise.all([
        readScaled(inputs, scaling.inputs, chosen, into.inputs),
        readScaled(responses, scaling.responses, chosen, into.responses),
      ]);
    },
    async close() {
      const dataset = await opened?.catch(() => undefined);
      opened = undefined;
      halves.clear();
      await dataset?.close();
    },
  };
}

/** Bytes between two samples that one read may take in vain: a read of its own takes a disk as long as these. */
const GAP = 2 ** 15;
/** Bytes that one read takes, about, at most. */
const LONGEST = 2 ** 23;
/** Reads at a time: as many as Node has threads for them. */
const AT_ONCE = 4;

/** Reads chosen samples, in rising order, into the first rows of an array. */
export async function readScaled(
  fields: Fields,
  scales: FieldScale,
  chosen: Int32Array,
  into: Float32Array,
): Promise<void> {
  const size = fieldSize(fields);
  const runs = runsOf(chosen, size * (fields.dtype === "float32" ? 4 : 8));
  let next = 0;
  const work = async () => {
    while (next < runs.length) {
      const { from, to } = runs[next++];
      const start = chosen[from];
      const values = await fields.read(start, chosen[to - 1] + 1);
      for (let row = from; row < to; ) {
        const first = row;
        do row++;
        while (row < to && chosen[row] === chosen[row - 1] + 1);
        const at = (chosen[first] - start) * size;
        const some = values.subarray(at, at + (row - first) * size);
        scaleInto(into.subarray(first * size, row * size), some, size, scales);
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, runs.length) }, work));
}

/** Places `from` to `to - 1` of the chosen samples, which are close enough for one read. */
interface Run {
  readonly from: number;
  readonly to: number;
}

function runsOf(chosen: Int32Array, bytes: number): Run[] {
  const runs: Run[] = [];
  for (let from = 0, to = 1; from < chosen.length; from = to++) {
    const isClose = () =>
      (chosen[to] - chosen[to - 1] - 1) * bytes <= GAP && (chosen[to] - chosen[from] + 1) * bytes <= LONGEST;
    while (to < chosen.length && isClose()) to++;
    runs.push({ from, to });
  }
  return runs;
}
