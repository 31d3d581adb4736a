/** In place of linkedom, which figures need only where there is no document. */
export function parseHTML(): never {
  throw new Error("a page draws in its own document");
}
