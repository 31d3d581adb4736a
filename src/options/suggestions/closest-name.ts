/** A name with more letters is no misspelt one, and would take long to compare. */
const LONGEST = 40;

/** What may have been meant by a name that is none of those known. */
export function suggestName(given: string, names: readonly string[]): string {
  const spelt = closest(given.toLowerCase(), names);
  return spelt === undefined ? "" : `: did you mean ${spelt}?`;
}

/**
 * The name that a misspelt one stands for: one edit, or two from eight letters on, three from twelve; or the only one
 * that begins with it.
 */
export function closest(given: string, names: readonly string[]): string | undefined {
  if (given.length < 3 || given.length > LONGEST) return undefined;
  const begun = names.filter((name) => name.startsWith(given));
  if (begun.length === 1) return begun[0];
  const near = names
    .map((name) => ({ name, edits: editDistance(given, name) }))
    .filter(({ name, edits }) => edits <= Math.max(1, Math.floor(Math.max(given.length, name.length) / 4)));
  return near.sort((a, b) => a.edits - b.edits)[0]?.name;
}

/** Insertions, deletions, substitutions and exchanges of neighbours (optimal string alignment). */
function editDistance(a: string, b: string): number {
  const rows = [Array.from({ length: b.length + 1 }, (_, j) => j)];
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = rows[i - 1][j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1);
      const exchanged =
        a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1] ? (rows[i - 2]?.[j - 2] ?? Infinity) + 1 : Infinity;
      row.push(Math.min(replaced, exchanged, rows[i - 1][j] + 1, row[j - 1] + 1));
    }
    rows.push(row);
  }
  return rows[a.length][b.length];
}
