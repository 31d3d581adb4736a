/** How many numbers, 4, 2 or 1, one instruction can read wherever all of these offsets and strides are multiples. */
export function vectorLength(...multiples: readonly number[]): 1 | 2 | 4 {
  const divides = (count: number) => multiples.every((value) => value % count === 0);
  return divides(4) ? 4 : divides(2) ? 2 : 1;
}
