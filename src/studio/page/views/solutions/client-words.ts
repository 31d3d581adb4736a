import type { SplitView } from "../../../lab/lab.js";

/** What a client is called: its name, or its number. */
export const clientName = ({ clientNames }: Pick<SplitView, "clientNames">, client: number): string =>
  clientNames?.[client] ?? `client ${client}`;

/** Which clients hold a bin: `4 of 10 clients hold it, client 2 most: 61 %`. */
export function clientWords(split: SplitView, bin: number): string {
  const held = split.counts.map((row) => row[bin]);
  const all = held.reduce((a, b) => a + b, 0);
  if (all === 0) return "";
  const holders = held.filter((count) => count > 0).length;
  const most = held.indexOf(Math.max(...held));
  const share = `${((100 * held[most]) / all).toFixed(0)} %`;
  return holders === 1
    ? `${clientName(split, most)} alone holds it`
    : `held by ${holders} of ${split.clients} clients, ${clientName(split, most)} has ${share}`;
}
