/** Lengths in pixels as a style takes them: Preact adds no unit. */
export const pixels = <K extends string>(lengths: Readonly<Record<K, number>>): Record<K, string> =>
  Object.fromEntries(
    Object.entries<number>(lengths).map(([name, length]) => [name, `${length}px`]),
  ) as Record<K, string>;
