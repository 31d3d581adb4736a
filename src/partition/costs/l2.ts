import type { GroundCost } from "../ground-cost.js";

/** Euclidean distance of centroids in the space of the representation (eq:centroid-cost). */
export const l2: GroundCost = {
  describe: "distance of the bins' centroids",
  between: async () => undefined,
};
