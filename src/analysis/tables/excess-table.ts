import type { SeedRecord } from "../../records/seed-record.js";
import type { Group } from "../cases.js";
import {
  alphasOf,
  errorOfReference,
  haveReference,
  overSeeds,
  referenceHeading,
  referenceWords,
  roundWords,
  type SeedSummary,
  seedsOf,
  withoutReference,
} from "../observations.js";
import type { Published, StatedExcess } from "../published.js";
import type { Subject } from "../subject.js";
import {
  type Cell,
  type Column,
  ESTIMATE_PARTS,
  estimateCell,
  meanCell,
  type Table,
  textCell,
} from "./table.js";

/** Of the column of {@link referenceCell}, what follows its name in CSV. */
const REFERENCE_PARTS = ["", "_sd", "_seeds"];

/** Excess errors of every case at every concentration, beside published ones. */
export function excessTable({ records, cases, published }: Subject): Table {
  const alphas = alphasOf(withoutReference(records));
  return {
    name: "excess-error",
    title: "Excess error",
    caption: excessCaption(records),
    columns: excessColumns(records),
    groups: cases
      .filter((one) => haveReference(one.records))
      .map((one) =>
        excessRows(one, {
          alphas,
          ours: [one.title],
          ...(published && one.isPublished && { published, theirs: [published.ownTitle(one)] }),
        }),
      ),
  };
}

export function excessCaption(records: readonly SeedRecord[]): string {
  return (
    `Signed excess error in percentage points after ${roundWords(records)}, against the run with the same ` +
    `seed and ${referenceWords(records)}: mean over seeds, sample standard deviation in parentheses, 95 % Student-t interval ` +
    "in brackets, and the number n of seeds where it differs within a row. Intervals that exclude zero are bold. " +
    `${referenceHeading(records)} is the mean relative error of the reference in per cent, with its standard deviation.`
  );
}

/** The columns of a table of excess errors, with one for what was varied. */
export function excessColumns(records: readonly SeedRecord[], varied?: string): Column[] {
  return [
    { heading: "Task", csv: ["task"], align: "left" as const },
    ...(varied === undefined ? [] : [{ heading: varied, csv: ["setting"], align: "left" as const }]),
    { heading: "Source", csv: ["source"], align: "left" as const },
    {
      heading: referenceHeading(records),
      csv: REFERENCE_PARTS.map((part) => `reference_error_percent${part}`),
    },
    ...alphasOf(withoutReference(records)).map((alpha) => ({
      heading: `α = ${alpha}`,
      csv: ESTIMATE_PARTS.map((part) => `alpha_${alpha}${part}`),
    })),
    { heading: "Seeds", csv: ["seeds"] },
  ];
}

interface ExcessRows {
  readonly alphas: readonly number[];
  /** What stands at the head of our row, and of the published one. */
  readonly ours: readonly string[];
  readonly theirs?: readonly string[];
  readonly published?: Published;
}

/** Our row, where there are records, and the published one, where something is stated. */
export function excessRows(group: Group, { alphas, ours, theirs = ours, published }: ExcessRows): Cell[][] {
  const runs = group.final;
  const summaries = alphas.map((alpha) => overSeeds(runs, alpha, "excess_error"));
  const counts = [...new Set(summaries.flatMap((summary) => summary?.seeds ?? []))].sort((a, b) => a - b);
  // Of the seeds that something is compared with; a reference whose runs all failed has nothing beside it.
  const paired = seedsOf(withoutReference(runs));
  const error = errorOfReference(runs.filter(({ seed }) => paired.length === 0 || paired.includes(seed)));
  const counted = counts.length > 1 || (error !== undefined && counts[0] !== error.seeds);
  const seeds = counts.length > 1 ? `${counts[0]}–${counts.at(-1)}` : String(counts[0] ?? 0);
  const found: Cell[][] =
    runs.length === 0
      ? []
      : [
          [
            ...[...ours, "here"].map(textCell),
            referenceCell(error, counted),
            ...summaries.map((summary) => estimateCell(summary, { counted })),
            textCell(seeds),
          ],
        ];
  if (!published) return found;
  const stated = alphas.map((alpha) => published.excess(group, alpha));
  const reference = published.referenceError(group);
  if (reference === undefined && stated.every((entry) => entry === undefined)) return found;
  const mean = reference === undefined ? undefined : { mean: reference, sd: null, seeds: published.seeds };
  return [
    ...found,
    [
      ...[...theirs, published.source].map(textCell),
      referenceCell(mean, false),
      ...stated.map((entry) => statedCell(entry, published.seeds)),
      textCell(String(published.seeds)),
    ],
  ];
}

function referenceCell(
  error: Pick<SeedSummary, "mean" | "sd" | "seeds"> | undefined,
  counted: boolean,
): Cell {
  const { text, values } = meanCell(error);
  return {
    text: error && counted ? `${text}, n = ${error.seeds}` : text,
    values: [...values, error?.seeds ?? null],
  };
}

function statedCell(entry: StatedExcess | undefined, seeds: number): Cell {
  const nothing = estimateCell(undefined);
  if (!entry) return nothing;
  const { mean, low = null, high = null, excludesZero } = entry;
  if (mean === undefined) return { ...nothing, text: excludesZero ? "excludes 0" : "includes 0" };
  // No standard deviation is stated.
  return { ...estimateCell({ mean, sd: null, low, high, seeds }), strong: excludesZero };
}
