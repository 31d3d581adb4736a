import type { ArrayFile } from "../array-file.js";

/**
 * A convention of files that arranges their arrays so that samples lie along the first axis: axes that MATLAB reversed, a
 * group a sample, fields that lack an axis.
 */
export interface Layout {
  readonly name: string;
  /** What it does, in words for `inspect`. */
  readonly words: string;
  applies(file: ArrayFile): Promise<boolean>;
  arranged(file: ArrayFile): Promise<ArrayFile>;
}

/** `plain` reads arrays as they are stored, whatever convention the file follows. */
export type LayoutChoice = "auto" | "plain";
export const LAYOUT_CHOICES: readonly LayoutChoice[] = ["auto", "plain"];
