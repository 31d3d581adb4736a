/**
 * Reads one item after another; while the caller works on one, the next is being read. At most one read is under way.
 * None is left running when the caller stops early.
 */
export async function* readAhead<T, R>(
  items: Iterable<T>,
  read: (item: T) => Promise<R>,
): AsyncGenerator<readonly [item: T, found: R]> {
  const rest = items[Symbol.iterator]();
  const start = () => {
    const { done, value } = rest.next();
    if (done) return undefined;
    const found = read(value);
    found.catch(() => {}); // whoever waits for it gets the error, at its turn
    return { item: value, found };
  };
  let ahead = start();
  try {
    while (ahead) {
      const { item } = ahead;
      const found = await ahead.found;
      ahead = start();
      yield [item, found] as const;
    }
  } finally {
    await ahead?.found.catch(() => {});
  }
}
