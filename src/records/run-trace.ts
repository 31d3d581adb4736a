/** What a report shows of a run beside its rows of the seed-level table: from `journal.jsonl` and `run.json`. */
export interface RunTrace {
  readonly run_id: string;
  /** Mean squared error over all training samples at every checkpoint. */
  readonly losses: readonly { readonly round: number; readonly train_loss: number }[];
  /** Samples of the partition, clients x solution bins; empty where it is unknown. */
  readonly counts: readonly (readonly number[])[];
}
