import { DataError, OptionError } from "../errors.js";
import { costMatrix } from "../numerics/cost-matrix.js";
import { discrete } from "./costs/discrete.js";
import { h1 } from "./costs/h1.js";
import { l2 } from "./costs/l2.js";
import type { CostContext, GivenCost, GroundCost } from "./ground-cost.js";

/** All ground metrics by name; a file with a matrix is another one. */
export const GROUND_COSTS = { l2, h1, discrete } as const satisfies Readonly<Record<string, GroundCost>>;

/** Name of a ground metric. */
export type GroundCostName = keyof typeof GROUND_COSTS;

export const GROUND_COST_NAMES = Object.keys(GROUND_COSTS) as readonly GroundCostName[];

/** Distances of centroids. Records of partitions do not name it. */
export const DEFAULT_COST = "l2" satisfies GroundCostName;

/** A ground metric: its name, or a matrix. */
export type CostChoice = string | GivenCost;

/** Whether a text names a ground metric, and not a file. */
export const isCostName = (text: string): text is GroundCostName => Object.hasOwn(GROUND_COSTS, text);

/** The name of a choice as records have it; undefined for the default. */
export function recordedCost(choice: CostChoice | undefined): string | undefined {
  const name = typeof choice === "object" ? choice.name : choice;
  return name === DEFAULT_COST ? undefined : name;
}

/** Refuses what is neither a ground metric nor a matrix, and fields where there are none. */
export function checkCost(choice: CostChoice, representation: { readonly readsArrays?: boolean }): void {
  if (typeof choice === "object") return;
  if (!isCostName(choice))
    throw new OptionError(
      `cost is ${GROUND_COST_NAMES.join(", ")} or a file with a matrix (.csv, .npy, .npz), not "${choice}"`,
    );
  const { needsFields }: GroundCost = GROUND_COSTS[choice];
  if (needsFields && representation.readsArrays)
    throw new OptionError(
      `the cost ${choice} compares fields on one grid, and bins of descriptors have none: take l2, discrete or a matrix`,
    );
}

/** Costs between bins by this choice; undefined for the distances of centroids. */
export async function groundCosts(
  choice: CostChoice,
  context: CostContext,
): Promise<Float64Array | undefined> {
  if (typeof choice === "string") return GROUND_COSTS[choice as GroundCostName].between(context);
  const { bins } = context.model;
  const { name, rows } = choice;
  if (rows.length !== bins)
    throw new DataError(
      `${name} is a cost matrix of ${rows.length} bins, but there are ${bins}: add --bins ${rows.length}`,
    );
  return costMatrix(rows.flat(), bins).values;
}
