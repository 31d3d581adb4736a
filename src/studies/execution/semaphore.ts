/**
 * A counting semaphore with first-come order.
 *
 * @returns `acquire`, which waits for one of `count` permits and gives the function that releases it; releasing twice is a
 * no-op
 */
export function semaphore(count: number): () => Promise<() => void> {
  let free = count;
  const waiting: (() => void)[] = [];
  return async () => {
    if (free > 0) free--;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      const next = waiting.shift();
      if (next) next();
      else free++;
    };
  };
}
