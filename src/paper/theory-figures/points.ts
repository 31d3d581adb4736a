/** The range of positive numbers with some air, for a logarithmic axis. */
export function spanOf(values: readonly number[]): [number, number] {
  return [Math.min(...values) / 1.3, Math.max(...values) * 1.3];
}

/** Points in an order in which no colour hides the others, the same every time. */
export function shuffled<T>(items: readonly T[]): T[] {
  const step = 7919; // a prime: it divides no list that is shorter
  return items.map((_, i) => items[(i * step) % items.length]);
}
