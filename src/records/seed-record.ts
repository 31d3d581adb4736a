import { type ClientColumns, type ClientMeasurements, clientColumns } from "./client-columns.js";
import type { RecordedSettings } from "./settings.js";

/**
 * One checkpoint of one run, compared with the near-IID reference of its seed. All tables and figures derive from these
 * rows of the seed-level table. Fields are named like the Parquet and CSV columns; every setting has a column of its own.
 * Columns of clients are NaN in tables of earlier versions, and where they cannot be told.
 */
export interface SeedRecord extends RecordedSettings, ClientColumns {
  /** The first study that contains the run. */
  readonly study: string;
  /** Name of the data. */
  readonly task: string;
  /** Title of the data, if the run recorded one. */
  readonly title?: string;
  /** Concentration; NaN for a split without one. */
  readonly alpha: number;
  /** The split in words: `alpha 0.1`, `shards 2`; absent from tables of earlier versions, whose splits are the paper's. */
  readonly split?: string;
  /** Concentration of the reference run; NaN without a reference. */
  readonly reference_alpha: number;
  readonly seed: number;
  /** Communication round of the checkpoint; 0 is the shared initial model. */
  readonly round: number;
  /** Of the run's partition, the same in all its rows (`Metrics`). */
  readonly d_sol: number;
  readonly input_w1: number;
  readonly cv_n: number;
  /** Samples of the smallest and of the largest client. These and the next two are NaN in tables of earlier versions. */
  readonly n_min: number;
  readonly n_max: number;
  /** Weighted heterogeneity of the clients' bin histograms, H_q, and of their transport distances, H_W (eq:app-HW-Hq). */
  readonly h_q: number;
  readonly h_w: number;
  /** D_sol of IID splits of the same sizes, mean total variation and Jensen-Shannon distance; NaN in earlier tables. */
  readonly d_sol_floor: number;
  readonly tv: number;
  readonly js: number;
  readonly eps_part: number;
  readonly eps_quant: number;
  /** Normalised gradient dissimilarity at the shared start (eq:gradient-metric), the same in all rows of a run. */
  readonly h_g_norm: number;
  /**
   * Distance of the parameters from the reference's of the same round, relative to it (eq:weight-divergence); NaN where
   * the parameters are not at hand.
   */
  readonly d_theta: number;
  /** Relative L2 error on the test set, as a fraction. */
  readonly test_error: number;
  /** The same of the reference at the same round. */
  readonly reference_error: number;
  /** Signed drift: test error less the reference's, in percentage points. */
  readonly excess_error: number;
  /** Dispersion of the clients' local updates in the round that ended here; 0 at round 0. */
  readonly d_loc: number;
  /** Bytes that all participants of a round receive and send; NaN in tables of earlier versions. */
  readonly communication: number;
  readonly run_id: string;
}

/** What a seed record needs of a run at a checkpoint. */
export interface Measurement {
  readonly round: number;
  readonly test_error: number;
  readonly d_loc: number;
  /** Of single clients. */
  readonly clients?: Partial<ClientMeasurements>;
  /** If they are at hand. */
  readonly parameters?: Float32Array | undefined;
}

/** A run as the join sees it: what is the same in all its rows, and its checkpoints in order. */
export interface MeasuredRun {
  readonly common: Omit<
    SeedRecord,
    | ("round" | "reference_alpha" | "d_theta" | "test_error" | "reference_error" | "excess_error" | "d_loc")
    | keyof ClientColumns
  >;
  readonly checkpoints: readonly Measurement[];
}

/** Joins a run with its reference by checkpoint; it omits rounds that the reference lacks. */
export function seedRecords(run: MeasuredRun, reference: MeasuredRun): SeedRecord[] {
  return run.checkpoints.flatMap(({ round, test_error, d_loc, clients, parameters }) => {
    const paired = reference.checkpoints.find((checkpoint) => checkpoint.round === round);
    if (!paired) return [];
    return {
      ...run.common,
      reference_alpha: reference.common.alpha,
      round,
      d_theta: parameters && paired.parameters ? parameterDivergence(parameters, paired.parameters) : NaN,
      test_error,
      reference_error: paired.test_error,
      excess_error: 100 * (test_error - paired.test_error),
      d_loc,
      ...clientColumns(clients),
    };
  });
}

/** A run that there is no reference for: what compares it with one is NaN. */
export function recordsWithoutReference(run: MeasuredRun, referenceAlpha: number): SeedRecord[] {
  return run.checkpoints.map(({ round, test_error, d_loc, clients }) => ({
    ...run.common,
    reference_alpha: referenceAlpha,
    round,
    d_theta: NaN,
    test_error,
    reference_error: NaN,
    excess_error: NaN,
    d_loc,
    ...clientColumns(clients),
  }));
}

/** Keeps the quotient finite where the reference's parameters are all zero. */
const EPSILON = 1e-12;

/** D_theta: the distance of parameters from a reference's, relative to the reference's norm (eq:weight-divergence). */
export function parameterDivergence(parameters: Float32Array, reference: Float32Array): number {
  if (parameters.length !== reference.length)
    throw new RangeError(`${parameters.length} parameters cannot be compared with ${reference.length}`);
  let difference = 0;
  let norm = 0;
  for (let i = 0; i < parameters.length; i++) {
    difference += (parameters[i] - reference[i]) ** 2;
    norm += reference[i] ** 2;
  }
  return Math.sqrt(difference) / (Math.sqrt(norm) + EPSILON);
}
