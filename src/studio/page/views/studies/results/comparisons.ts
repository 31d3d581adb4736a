import { type Axis, allAxes } from "../../../../../analysis/axes/axes.js";
import { alphasOfComparison } from "../../../../../analysis/axes/axis-contrasts.js";
import { type Case, casesOf, groupsOf } from "../../../../../analysis/cases.js";
import { alphasOf, distinctRecords } from "../../../../../analysis/observations.js";
import { splitsOf } from "../../../../../analysis/splits.js";
import type { SeedRecord } from "../../../../../records/seed-record.js";
import { KNOWN_DATA } from "./data-titles.js";

/** Runs over seeds that are alike but for the seed. */
export interface Level {
  /** In the notation of `notation.ts`. */
  readonly label: string;
  readonly alpha: number;
  /** All checkpoints. */
  readonly rows: readonly SeedRecord[];
  /** The last round that any run of its setting came to: where a report takes its results. */
  readonly last: number;
}

/** Levels that differ in one thing alone. The first is what others are compared with. */
export interface Panel {
  readonly title: string;
  readonly levels: readonly Level[];
}

/** Something that results can be compared along. */
export interface Along {
  /** As the address has it. */
  readonly name: string;
  readonly title: string;
  readonly panels: () => readonly Panel[];
}

/** Everything that records can be compared along: the concentration, the split, and all settings that vary. */
export function alongsOf(records: readonly SeedRecord[]): Along[] {
  const all = distinctRecords(records);
  const cases = casesOf(groupsOf(all.filter(({ alpha }) => Number.isFinite(alpha))), KNOWN_DATA);
  const splits = splitsOf(all, KNOWN_DATA);
  return [
    ...(cases.length > 0 ? [{ name: "alpha", title: "α", panels: () => cases.map(alphaPanel) }] : []),
    ...(splits.length > 0 ? [{ name: "split", title: "Split", panels: () => splitPanels(all) }] : []),
    ...allAxes(cases).map((axis) => ({ name: axis.name, title: axis.title, panels: () => axisPanels(axis) })),
  ];
}

/** Compared first where a study varies them; else it is the concentration. */
const LEADING = ["strategy", "split"];

/** What is compared: the chosen one, else what leads. */
export function chosenAlong(alongs: readonly Along[], name: string): Along | undefined {
  return (
    alongs.find((along) => along.name === name) ??
    alongs.find((along) => LEADING.includes(along.name)) ??
    alongs[0]
  );
}

/** The levels of all panels at one place each. */
function alphaPanel({ title, records, rounds }: Case): Panel {
  return {
    title,
    levels: alphasOf(records).map((alpha) => ({
      label: `α = ${alpha}`,
      alpha,
      rows: records.filter((record) => record.alpha === alpha),
      last: rounds,
    })),
  };
}

function splitPanels(records: readonly SeedRecord[]): Panel[] {
  return splitsOf(records, KNOWN_DATA).map(({ title, splits }) => ({
    title,
    levels: splits.map(({ label, alpha, final }) => {
      const ids = new Set(final.map(({ run_id }) => run_id));
      const rows = records.filter(({ run_id }) => ids.has(run_id));
      return { label, alpha, rows, last: Math.max(...final.map(({ round }) => round)) };
    }),
  }));
}

/** A panel for every concentration of every comparison. */
function axisPanels({ comparisons, name }: Axis): Panel[] {
  return comparisons.flatMap((comparison) => {
    const alphas = alphasOfComparison(comparison);
    const own = name === "data" && comparison.title === "Data" ? [] : [comparison.title];
    return alphas.map((alpha) => ({
      title: [...own, `α = ${alpha}`].join(", "),
      levels: comparison.levels.flatMap(({ label, of }): Level[] => {
        const rows = of.records.filter((record) => record.alpha === alpha);
        return rows.length === 0 ? [] : [{ label, alpha, rows, last: of.rounds }];
      }),
    }));
  });
}

/** The rounds at which runs were measured. */
export function checkpointsOf(records: readonly SeedRecord[]): number[] {
  return [...new Set(records.map(({ round }) => round))].sort((a, b) => a - b);
}
