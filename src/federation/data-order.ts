import { shuffle } from "../random/permutation.js";
import { stream } from "../random/stream.js";

/** The first word of the names of the streams that shuffle; client and pass follow. */
export const ORDER = "order";

/**
 * The mini-batches of a client: shuffled passes through its samples, each pass with a shuffle of its own, the last
 * batch of a pass short where the batch size does not divide. A client with fewer samples than a batch takes all of
 * them every time.
 *
 * The batch of a step is a function of the step alone, so that a resumed run needs no memory of the order. The
 * shuffle is named by seed, client and pass, not by alpha.
 *
 * @returns the samples of step 0, 1, ...
 */
export function dataOrder(
  samples: Int32Array,
  { seed, client, batch }: { readonly seed: number; readonly client: number; readonly batch: number },
): (step: number) => Int32Array {
  const size = Math.min(batch, samples.length);
  const passBatches = Math.ceil(samples.length / size);
  let shuffled = samples;
  let shuffledPass = -1;
  return (step) => {
    const pass = Math.floor(step / passBatches);
    if (pass !== shuffledPass) {
      shuffled = shuffle(stream(seed, ORDER, client, pass), samples.slice());
      shuffledPass = pass;
    }
    const start = (step % passBatches) * size;
    return shuffled.subarray(start, Math.min(start + size, samples.length));
  };
}
