/**
 * Places for so many at a time: who asks for one gets it in turn, when there is room, and with it the way to leave. Leaving
 * twice is leaving once.
 */
export function places(count: number): () => Promise<() => void> {
  let free = count;
  const waiting: (() => void)[] = [];
  return async () => {
    if (free > 0) free--;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    let isHere = true;
    return () => {
      if (!isHere) return;
      isHere = false;
      const next = waiting.shift();
      if (next) next();
      else free++;
    };
  };
}
