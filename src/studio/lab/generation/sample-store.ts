import {
  type GenerateSpecification,
  type Progress,
  type Samples,
  type Split,
  sampleBlocks,
} from "../../../datasets/generate.js";
import { DataError } from "../../../errors.js";
import { generators, type SampleMaker } from "./generators.js";
import { type Block, sampleQueue } from "./sample-queue.js";

/** Samples that are made one after another; whoever needs one now gets it next. */
export interface SampleStore {
  /** The block of a sample, which is made if it is not there yet. */
  block(split: Split, sample: number): Promise<Samples & Block<Split>>;
  has(split: Split, sample: number): boolean;
  /** Makes all samples of a half. */
  complete(split: Split, onProgress?: Progress): Promise<void>;
  /** Ends the threads. Whoever still waits hears that the data were replaced. */
  close(): void;
}

/** Samples of which a block consists at most: a person who looks at one does not wait for many. */
const LARGEST_BLOCK = 4;

/**
 * A store that begins to make samples when the first one is asked for. Every sample has a random stream of its own, so it
 * does not matter in which order they are made.
 */
export function sampleStore(
  specification: GenerateSpecification,
  start: (specification: GenerateSpecification) => readonly SampleMaker[] = generators,
): SampleStore {
  const blocks = sampleBlocks(specification).flatMap(smaller);
  const queue = sampleQueue(blocks);
  const at = new Map<string, Waiting>();
  for (const block of blocks) {
    const waiting = { ...waitingFor(), block };
    waiting.made.catch(() => {}); // nobody may be waiting for it
    for (let i = block.start; i < block.end; i++) at.set(`${block.split} ${i}`, waiting);
  }
  let makers: readonly SampleMaker[] | undefined;
  let isClosed = false;
  const done: Record<Split, number> = { train: 0, test: 0 };
  const watching = new Set<() => void>();

  const work = async (maker: SampleMaker) => {
    for (let block = queue.next(); block && !isClosed; block = queue.next()) {
      const waiting = at.get(`${block.split} ${block.start}`)!;
      try {
        const samples = await maker.samples(block.split, block.start, block.end);
        waiting.resolve({ ...samples, ...block });
        done[block.split] += samples.samples;
      } catch (error) {
        waiting.reject(error);
      }
      waiting.isMade = true;
      for (const watch of watching) watch();
    }
    maker.close();
  };
  const begin = () => {
    if (isClosed) throw replaced();
    if (makers) return;
    makers = start(specification);
    for (const maker of makers) void work(maker);
  };
  const find = (split: Split, sample: number): Waiting => {
    const waiting = at.get(`${split} ${sample}`);
    if (!waiting) throw new RangeError(`sample ${sample} of ${specification[split]}`);
    return waiting;
  };
  return {
    has: (split, sample) => find(split, sample).isMade,
    async block(split, sample) {
      const waiting = find(split, sample);
      queue.prefer(split, sample);
      begin();
      return waiting.made;
    },
    async complete(split, onProgress) {
      begin();
      const watch = () => onProgress?.(done[split], specification[split]);
      watching.add(watch);
      try {
        for (const { made, block } of new Set(at.values())) if (block.split === split) await made;
      } finally {
        watching.delete(watch);
      }
    },
    close() {
      isClosed = true;
      for (const maker of makers ?? []) maker.close();
      for (const { reject } of at.values()) reject(replaced());
    },
  };
}

const replaced = () => new DataError("the data were replaced by others");

interface Waiting {
  readonly block: Block<Split>;
  readonly made: Promise<Samples & Block<Split>>;
  isMade: boolean;
  resolve(samples: Samples & Block<Split>): void;
  reject(error: unknown): void;
}

function waitingFor(): Omit<Waiting, "block"> {
  let resolve!: Waiting["resolve"];
  let reject!: Waiting["reject"];
  const made = new Promise<Samples & Block<Split>>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  return { made, isMade: false, resolve, reject };
}

/** Blocks of at most so many samples as a person waits for. */
function smaller({ split, start, end }: Block<Split>): Block<Split>[] {
  return Array.from({ length: Math.ceil((end - start) / LARGEST_BLOCK) }, (_, i) => ({
    split,
    start: start + i * LARGEST_BLOCK,
    end: Math.min(end, start + (i + 1) * LARGEST_BLOCK),
  }));
}
