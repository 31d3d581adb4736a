import type { Group } from "./cases.js";

/** A relation of the partition's distance with what training does. */
export type Relation = "h_g_norm" | "d_theta" | "excess_error";

/** What a publication says of an excess error in percentage points: its mean, its interval, or only the verdict. */
export interface StatedExcess {
  readonly mean?: number;
  readonly low?: number;
  readonly high?: number;
  /** Whether the 95 % interval excludes zero. */
  readonly excludesZero?: boolean;
}

/** A value, or a range of values, that a publication states at a concentration. */
export interface StatedRange {
  readonly alpha: number;
  readonly low: number;
  readonly high: number;
}

/**
 * Results that were published elsewhere. A report shows them beside the cases that have their settings (`divided`), and
 * says nothing of them where no case has. Functions return undefined where the publication is silent.
 */
export interface Published {
  /** What tables call it: "paper". */
  readonly source: string;
  /** How many seeds its means are over. */
  readonly seeds: number;
  /** How many runs its rank correlations are over. */
  readonly ranked: number;
  /** Recorded names of its data, in its order. */
  readonly tasks: readonly string[];
  readonly titleOf: (task: string) => string | undefined;
  /** What it calls the data of a group. */
  readonly ownTitle: (group: Group) => string;
  /**
   * Of all groups of one data: the one with the main setting of the publication, and those with settings that it varies,
   * which have tables of their own.
   */
  readonly divided: (groups: readonly Group[]) => {
    readonly main?: Group;
    readonly varied: readonly Group[];
  };
  readonly excess: (group: Group, alpha: number) => StatedExcess | undefined;
  /** Relative error of the reference, in per cent. */
  readonly referenceError: (group: Group) => number | undefined;
  /** Means at a concentration. */
  readonly means: (
    group: Group,
    alpha: number,
  ) => Readonly<Record<"d_sol" | "h_g_norm" | "d_theta", number>> | undefined;
  readonly pearson: (
    group: Group,
    relation: Relation,
  ) => { readonly solution: number; readonly input: number } | undefined;
  readonly spearman: (group: Group, relation: Relation) => number | undefined;
  /** Mean solution distances of data, and ranges over several data. */
  readonly distances: (task: string) => readonly StatedRange[];
  readonly distanceRanges: (tasks: readonly string[]) => readonly StatedRange[];
}
