import type { DataShapes } from "../../models/model.js";
import type { ModelName } from "../../models/models.js";
import type { OptionValue } from "../../options/option.js";

/** Sizes of models and batches with which a page trains within a few seconds a round, on data of any size. */
export interface PageSize {
  readonly model: Readonly<Record<string, OptionValue>>;
  readonly batch?: number;
}

/** Points of a response from which on DeepONets are narrower. */
const MANY_POINTS = 2000;

/** What is smaller in a page than in the commands, for the model of the data. Nothing where a page is fast enough. */
export function pageSize(model: ModelName, { responses }: Pick<DataShapes, "responses">): PageSize {
  const { grid } = responses;
  const points = grid.reduce((product, length) => product * length, 1);
  switch (model) {
    case "fno": {
      if (grid.length === 1) return { model: {} };
      const modes = Math.max(1, Math.min(8, Math.floor(Math.min(...grid) / 2)));
      return { model: { width: 8, modes, layers: 2, projection: 32 }, batch: 4 };
    }
    case "inversion-net":
      return { model: { width: 2 }, batch: 4 };
    case "deeponet":
      return { model: points > MANY_POINTS ? { width: 32 } : {} };
    default:
      return { model: {} }; // its own size
  }
}
