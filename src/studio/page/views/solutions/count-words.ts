/** `1 sample`, `84 samples`. */
export const countWords = (count: number, what: string): string =>
  `${count} ${what}${count === 1 ? "" : "s"}`;
