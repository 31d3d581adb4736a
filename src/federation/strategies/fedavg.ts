import type { StrategyEntry } from "./strategy.js";

/** Federated averaging (McMahan et al., 2017): the new parameters are the mean of the clients'. */
export const fedavg: StrategyEntry = {
  describe: "average the clients' parameters (federated averaging)",
  options: {},
  make: () => ({ aggregate: ({ local, mean }) => ({ parameters: mean(local) }) }),
};
