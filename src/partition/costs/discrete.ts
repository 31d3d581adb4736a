import type { GroundCost } from "../ground-cost.js";

/** 1 between any two bins: D_sol is then the mean total variation. */
export const discrete: GroundCost = {
  describe: "1 between any two bins, so that D_sol is the total variation",
  between: async ({ model: { bins } }) =>
    Float64Array.from({ length: bins * bins }, (_, at) => (at % (bins + 1) === 0 ? 0 : 1)),
};
