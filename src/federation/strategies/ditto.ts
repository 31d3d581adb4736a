import { add, multiply, subtract } from "../../engine/operations.js";
import { realNumber } from "../../options/option.js";
import { fedavg } from "./fedavg.js";
import type { StrategyEntry } from "./strategy.js";

/**
 * Ditto (Li et al., 2021): beside federated averaging each client trains a model of its own, on the same batches and held
 * near the server's parameters x by lambda (v - x). Clients are measured with their own models.
 */
export const ditto: StrategyEntry = {
  describe: "train a model of each client beside the common one (Ditto)",
  options: {
    lambda: realNumber({
      from: 0,
      to: 1e6,
      default: 1,
      help: "pull of a client's own model towards the server's",
    }),
  },
  make: ({ lambda }, run) => ({
    ...fedavg.make({}, run),
    personal: (gradient, { parameters, start }) =>
      add(gradient, multiply(subtract(parameters, start), Number(lambda))),
  }),
};
