import type { FileData, Split } from "../../datasets/dataset.js";
import { type Fields, fieldSize, type LabelledFields } from "../../datasets/fields.js";
import { openDataset } from "../../datasets/files/labelled-file.js";
import { type PlainFields, plainFieldsOf } from "../../datasets/plain-fields.js";
import type { SampleArrays } from "../../models/trainable-model.js";
import { type FieldScale, type Scaling, scaleInto } from "../scaling.js";
import type { SampleSizes } from "./stored-samples.js";

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

/** How far apart two samples may lie to be read at once, in bytes, and what one read takes at most, about. */
interface ReadLimits {
  readonly gap: number;
  readonly longest: number;
}

/** For reads by a library, each of which takes a disk as long as so many bytes. */
const BY_LIBRARY: ReadLimits = { gap: 2 ** 15, longest: 2 ** 23 };
/** For plain bytes. A read of its own costs less, and what it reads stays in a core's cache until it is scaled. */
const PLAIN: ReadLimits = { gap: 2 ** 13, longest: 2 ** 18 };
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
  const plain = plainFieldsOf(fields);
  if (plain) return readPlain(plain, { size, scales }, chosen, into);
  const bytes = size * (fields.dtype === "float32" ? 4 : 8);
  const runs = runsOf(chosen, (row) => row * bytes, bytes, BY_LIBRARY);
  let next = 0;
  const work = async () => {
    while (next < runs.length) {
      const run = runs[next++];
      const start = chosen[run.from];
      const values = await fields.read(start, chosen[run.to - 1] + 1);
      for (const { from, to } of neighbours(chosen, run)) {
        const at = (chosen[from] - start) * size;
        const some = values.subarray(at, at + (to - from) * size);
        scaleInto(into.subarray(from * size, to * size), some, size, scales);
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, runs.length) }, work));
}

/** Reads plain samples in the calling thread through one small array, without a promise or a new array for each. */
function readPlain(
  plain: PlainFields,
  { size, scales }: { readonly size: number; readonly scales: FieldScale },
  chosen: Int32Array,
  into: Float32Array,
): void {
  const runs = runsOf(chosen, plain.at, plain.bytes, PLAIN);
  const bytes = scratch(Math.max(plain.bytes, PLAIN.longest));
  for (const { from, to } of runs) {
    const start = plain.at(chosen[from]);
    plain.fill(bytes.subarray(0, plain.at(chosen[to - 1]) - start + plain.bytes), start);
    for (let row = from; row < to; row++) {
      const at = plain.at(chosen[row]) - start;
      const values = plain.decode(bytes.subarray(at, at + plain.bytes));
      scaleInto(into.subarray(row * size, (row + 1) * size), values, size, scales);
    }
  }
}

let kept = new Uint8Array(0);

/** An array of at least so many bytes, the same one as before where it is long enough. */
function scratch(bytes: number): Uint8Array {
  if (kept.length < bytes) kept = new Uint8Array(bytes);
  return kept;
}

/** Places `from` to `to - 1` of the chosen samples. */
interface Run {
  readonly from: number;
  readonly to: number;
}

/** Cuts chosen samples into runs that are close enough for one read. */
function runsOf(
  chosen: Int32Array,
  at: (row: number) => number,
  bytes: number,
  { gap, longest }: ReadLimits,
): Run[] {
  const runs: Run[] = [];
  for (let from = 0, to = 1; from < chosen.length; from = to++) {
    const isClose = () => {
      const [first, last, next] = [at(chosen[from]), at(chosen[to - 1]), at(chosen[to])];
      return next >= last + bytes && next - last - bytes <= gap && next - first + bytes <= longest;
    };
    while (to < chosen.length && isClose()) to++;
    runs.push({ from, to });
  }
  return runs;
}

/** The parts of a run whose samples follow each other without a gap. */
function* neighbours(chosen: Int32Array, run: Run): Generator<Run> {
  for (let from = run.from, to = from + 1; from < run.to; from = to++) {
    while (to < run.to && chosen[to] === chosen[to - 1] + 1) to++;
    yield { from, to };
  }
}
