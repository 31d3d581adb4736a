import type { MissingRun } from "../records/missing-run.js";
import type { SeedRecord } from "../records/seed-record.js";
import { settingKey } from "../records/settings.js";
import { type Case, type Compared, differences, taskTitle, varyingSettings } from "./cases.js";
import { verbatim } from "./notation.js";
import { alphasOf, seedsOf } from "./observations.js";
import { list } from "./phrases.js";
import type { Published } from "./published.js";

/** Runs excluded from the means. */
export interface LeftOut {
  readonly runs: number;
  /** Number of all planned runs: the excluded ones and those with records. */
  readonly planned: number;
  /**
   * The excluded runs and the reason, one phrase per setting and concentration. Example: "Burgers, α = 0.01: seeds 1
   * and 3 diverged before round 10".
   */
  readonly phrases: readonly string[];
}

/** Phrases that a caption has room for. */
const MOST_PHRASES = 6;

type Row = Omit<MissingRun, "why" | "run_id">;

/**
 * Which runs means leave out: those that were asked for without success, and those that other seeds of the same setting
 * have. Two concentrations are then compared over different seeds.
 */
export function leftOut(
  records: readonly SeedRecord[],
  missing: readonly MissingRun[] = [],
  known?: Pick<Published, "titleOf">,
): LeftOut {
  const present = new Set(records.map(runKey));
  const asked = new Map(missing.map((run) => [runKey(run), run]));
  const all: Row[] = [...records, ...missing];
  const absent: MissingRun[] = [];
  const titles = titlesOf(all, known);
  for (const setting of titles.keys()) {
    const rows = all.filter((row) => caseKey(row) === setting);
    for (const alpha of alphasOf(rows))
      for (const seed of seedsOf(rows)) {
        const run = { ...rows[0], alpha, seed };
        if (present.has(runKey(run))) continue;
        const why = asked.get(runKey(run))?.why ?? "without a record";
        absent.push({ ...run, run_id: "", why });
      }
  }
  const groups = new Map<string, MissingRun[]>();
  for (const run of absent) {
    const title = titles.get(caseKey(run))!;
    const place = Number.isFinite(run.alpha) ? `${title}, α = ${run.alpha}` : title;
    groups.set(place, [...(groups.get(place) ?? []), run]);
  }
  return {
    runs: absent.length,
    planned: present.size + absent.length,
    phrases: [...groups].map(([place, runs]) => `${place}: ${reasonWords(runs)}`),
  };
}

/** What a caption says of the runs that its means leave out; nothing where there are none. */
export function leftOutSentence({ runs, planned, phrases }: LeftOut): string {
  if (runs === 0) return "";
  const more = phrases.length - MOST_PHRASES;
  const shown = [...phrases.slice(0, MOST_PHRASES), ...(more > 0 ? [`and so on for ${more} more`] : [])];
  return `${runs} of ${planned} runs are left out: ${shown.join("; ")}.`;
}

/** What cannot be shown of runs that have records and no reference, a sentence for every case. */
export function withoutReferenceSentences(cases: readonly Pick<Case, "title" | "final">[]): string[] {
  return cases.flatMap(({ title, final }) => {
    const runs = final.filter(({ excess_error }) => Number.isNaN(excess_error));
    if (runs.length === 0) return [];
    const places = alphasOf(runs).map((alpha) => {
      const seeds = seedsOf(runs.filter((run) => run.alpha === alpha)).map(String);
      return `α = ${alpha} (seed${seeds.length > 1 ? "s" : ""} ${list(seeds)})`;
    });
    return [
      `${title}: no reference run with the same seed and options for ${list(places)}, ` +
        "so excess error and D_θ cannot be shown.",
    ];
  });
}

/** "seed 1 diverged before round 5, seeds 2 and 3 not finished". */
function reasonWords(runs: readonly MissingRun[]): string {
  const reasons = [...new Set(runs.map(({ why }) => why))];
  return reasons
    .map((reason) => {
      const seeds = runs.filter(({ why }) => why === reason).map(({ seed }) => String(seed));
      return `seed${seeds.length > 1 ? "s" : ""} ${list(seeds)} ${reasonText(reason)}`;
    })
    .join(", ");
}

/** A reason whose message, which may name files, is text. */
function reasonText(reason: string): string {
  const [, start, message] = /^(.*?\bfailed: )(.*)$/.exec(reason) ?? [];
  return message === undefined ? reason : start + verbatim(message);
}

/** Titles of data with whatever tells their settings apart, by the key of a setting. */
function titlesOf(rows: readonly Row[], known: Pick<Published, "titleOf"> | undefined): Map<string, string> {
  const firsts = [...new Map(rows.map((row) => [caseKey(row), row])).values()];
  return new Map(
    firsts.map((row) => {
      const alike = firsts.filter(({ task }) => task === row.task).map(compared);
      const words = differences(compared(row), varyingSettings(alike));
      return [caseKey(row), [taskTitle(row, known), ...words].join(", ")];
    }),
  );
}

function compared({ task, settings, overrides, reference_alpha }: Row): Compared {
  return { task, settings, overrides, referenceAlpha: reference_alpha };
}

function caseKey({ task, settings, reference_alpha }: Row): string {
  return settingKey(settings, task, reference_alpha);
}

function runKey(row: Row): string {
  return settingKey(row.settings, row.task, row.reference_alpha, row.alpha, row.seed);
}
