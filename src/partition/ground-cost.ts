import type { AxisKind } from "../datasets/dataset.js";
import type { BinModel } from "./bins.js";

/** Mean response of every bin, in normalised units: minus the mean response, over the scale s_u of the responses. */
export interface BinFields {
  /** Bins x field size. */
  readonly values: Float64Array;
  /** Of one response. */
  readonly shape: readonly number[];
  readonly axes?: readonly AxisKind[];
}

/** What a cost may ask for. */
export interface CostContext {
  readonly model: BinModel;
  /** Mean responses of the bins; a pass over the data where bins are not of the responses themselves. */
  binFields(): Promise<BinFields>;
}

/** A matrix of costs that a user gives, with the name of its file. */
export interface GivenCost {
  readonly name: string;
  readonly rows: readonly (readonly number[])[];
}

/** The ground metric between bins. Entries are listed in `GROUND_COSTS`. */
export interface GroundCost {
  /** One line for `--help` and the documentation. */
  readonly describe: string;
  /** Whether it compares fields, so that bins of descriptors cannot have it. */
  readonly needsFields?: boolean;
  /** Costs between bins, bins x bins; undefined for the distances of centroids. */
  between(context: CostContext): Promise<Float64Array | undefined>;
}
