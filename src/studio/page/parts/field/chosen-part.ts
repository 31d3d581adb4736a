import type { SamplePanel } from "../../../../figures/samples/sample-panel.js";

/**
 * The panel of a response by which bins are shown where nobody chose: the middle one of those that show the first
 * quantity. That is the middle frame of a trajectory, a middle slice of a volume, the first of several channels.
 */
export function usualPart(panels: readonly SamplePanel[]): number {
  const same = panels.findIndex(({ quantity }) => quantity !== panels[0].quantity);
  return Math.floor((same < 0 ? panels.length : same) / 2);
}

/** The panel that the setting `part` means: 0 is the usual one, as is one that there is not. */
export const chosenPart = (panels: readonly SamplePanel[], part: number): number =>
  part >= 1 && part <= panels.length ? part - 1 : usualPart(panels);

/** What a panel shows, without marks of mathematics. */
export const partWords = ({ title, place, quantity }: SamplePanel): string =>
  [title ?? quantity, place]
    .filter((text) => text?.trim())
    .join(", ")
    .replace(/[$`]/g, "");
