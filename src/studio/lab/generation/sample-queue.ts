/** Samples `start` to `end - 1` of a half that are made at one go. */
export interface Block<Half extends string = string> {
  readonly split: Half;
  readonly start: number;
  readonly end: number;
}

/** Blocks that are still to be made, in their order, but those that somebody waits for first. */
export interface SampleQueue<B extends Block> {
  /** The next block to make; undefined if there is none. */
  next(): B | undefined;
  /** Puts the block with a sample before all others, unless it was handed out already. */
  prefer(split: B["split"], sample: number): void;
}

export function sampleQueue<B extends Block>(blocks: readonly B[]): SampleQueue<B> {
  const waiting = [...blocks];
  return {
    next: () => waiting.shift(),
    prefer(split, sample) {
      const at = waiting.findIndex(
        (block) => block.split === split && block.start <= sample && sample < block.end,
      );
      if (at > 0) waiting.unshift(...waiting.splice(at, 1));
    },
  };
}
