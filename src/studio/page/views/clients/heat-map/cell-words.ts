import type { SplitView } from "../../../../lab/lab.js";

/** A client by its number, and by its name where it has one. */
export const nameOf = ({ clientNames }: Pick<SplitView, "clientNames">, client: number): string =>
  clientNames ? `client ${client} (${clientNames[client]})` : `client ${client}`;

function percent(part: number, whole: number): string {
  const share = whole === 0 ? 0 : (100 * part) / whole;
  return `${share.toFixed(share > 0 && share < 9.95 ? 1 : 0)} %`;
}

const capitalised = (words: string): string => words.slice(0, 1).toUpperCase() + words.slice(1);

const samplesOf = (count: number): string => `${count} ${count === 1 ? "sample" : "samples"}`;

/** A cell of the heat map in words, or a whole client. */
export function cellWords(split: SplitView, { client, bin }: { client: number; bin?: number }): string {
  const counts = split.counts[client];
  const size = counts.reduce((a, b) => a + b, 0);
  const name = capitalised(nameOf(split, client));
  if (bin === undefined) {
    const { received, given } = split;
    const moved =
      received[client] > 0
        ? `, ${received[client]} moved here by repair`
        : given[client] > 0
          ? `, ${given[client]} moved away by repair`
          : "";
    return `${name}: ${samplesOf(size)}${moved}`;
  }
  const ofBin = split.counts.reduce((sum, row) => sum + row[bin], 0);
  return `${name}, bin ${bin}: ${samplesOf(counts[bin])}, ${percent(counts[bin], size)} of the client, ${percent(counts[bin], ofBin)} of the bin`;
}

/** A row of the heat map for those who hear it. */
export function clientWords(
  split: SplitView,
  { client, counts, size }: { client: number; counts: readonly number[]; size: number },
): string {
  const held = counts.flatMap((count, bin) => (count > 0 ? [`${count} of bin ${bin}`] : []));
  return `${nameOf(split, client)}: ${samplesOf(size)}, ${held.join(", ")}`;
}
