import type { SeedRecord } from "../../../../../records/seed-record.js";
import type { STUDIES_WORDS } from "../words.js";

/** A column of the seed-level table, as the page shows it. */
export interface Measure {
  readonly name: MeasureName;
  /** Its entry in the glossary. */
  readonly term: keyof typeof STUDIES_WORDS;
  /** What a number is of: "%", "pp", or nothing. */
  readonly unit: string;
  /** What a recorded value is multiplied by. */
  readonly scale: number;
  /** Unit of a difference, where it is another one. */
  readonly difference?: string;
  /** Whether it changes while a run is trained; others are facts about the partition. */
  readonly isTrained: boolean;
  /** Whether curves are drawn on a logarithmic axis. */
  readonly isLogarithmic?: boolean;
}

const error = { unit: "%", scale: 100, difference: "pp", isTrained: true, isLogarithmic: true } as const;
const trained = { unit: "", scale: 1, isTrained: true } as const;
const partition = { unit: "", scale: 1, isTrained: false } as const;

const TABLE = {
  test_error: { term: "study_test_error", ...error },
  excess_error: { term: "study_excess_error", unit: "pp", scale: 1, isTrained: true },
  d_theta: { term: "study_d_theta", ...trained },
  client_error_mean: { term: "study_client_error_mean", ...error },
  client_error_worst: { term: "study_client_error_worst", ...error },
  client_error_spread: { term: "study_client_error_spread", ...error, unit: "pp" },
  d_loc: { term: "study_d_loc", ...trained },
  h_g_norm: { term: "study_h_g_norm", ...partition },
  communication: { term: "study_communication", unit: "MB", scale: 1e-6, isTrained: false },
  d_sol: { term: "study_d_sol", ...partition },
  d_sol_floor: { term: "study_d_sol_floor", ...partition },
  input_w1: { term: "study_input_w1", ...partition },
  cv_n: { term: "study_cv_n", ...partition },
  n_min: { term: "study_n_min", ...partition },
  n_max: { term: "study_n_max", ...partition },
  h_q: { term: "study_h_q", ...partition },
  h_w: { term: "study_h_w", ...partition },
  tv: { term: "study_tv", ...partition },
  js: { term: "study_js", ...partition },
  eps_part: { term: "study_eps_part", ...partition },
  eps_quant: { term: "study_eps_quant", ...partition },
} as const satisfies Readonly<Record<string, Omit<Measure, "name">>>;

export type MeasureName = keyof typeof TABLE;

/** Every measure, the most asked for first. */
export const MEASURES: readonly Measure[] = Object.entries(TABLE).map(([name, measure]) => ({
  ...measure,
  name: name as MeasureName,
}));

/** The measures that some record has. */
export function measuresOf(records: readonly SeedRecord[]): Measure[] {
  return MEASURES.filter(({ name }) => records.some((record) => Number.isFinite(record[name])));
}

/** The chosen measure; the first of those there are where none or another is chosen. */
export function chosenMeasure(measures: readonly Measure[], name: string): Measure | undefined {
  return measures.find((measure) => measure.name === name) ?? measures[0];
}

/** A value in the unit of its measure. */
export const valueIn =
  ({ name, scale }: Measure) =>
  (record: SeedRecord): number =>
    scale * record[name];

/** "%": behind a number, with its space. */
export const unitOf = ({ unit }: Pick<Measure, "unit">): string => (unit === "" ? "" : ` ${unit}`);

/** " (%)": behind the name of a measure. */
export const unitIn = ({ unit }: Pick<Measure, "unit">): string => (unit === "" ? "" : ` (${unit})`);
