import { add, divide, multiply, subtract } from "../../engine/operations.js";
import { OptionError } from "../../errors.js";
import { effectiveSteps } from "./momentum-steps.js";
import type { StrategyEntry } from "./strategy.js";

/**
 * FedNova (Wang et al., 2020): each client's update is divided by its effective number of steps before the average, so
 * that clients with more steps do not count more. Where all take the same number it is federated averaging. The paper has
 * no form for Adam, whose steps all have about the same length: here each counts as one.
 */
export const fednova: StrategyEntry = {
  describe: "divide each client's update by its number of local steps (FedNova)",
  options: {},
  check(_, { optimizer: { name, momentum }, clientState }) {
    if (name === "sgd" && Number(momentum) > 0 && clientState !== "reset")
      throw new OptionError(
        "fednova starts every round without momentum: add client_state reset, or take momentum 0",
      );
  },
  make: (_, { optimizer }) => ({
    clientCoefficients: ({ steps }) => [effectiveSteps(steps, 0, optimizer)],
    aggregate({ local, start, mean, clientCoefficients: [steps] }) {
      const normalised = mean(divide(subtract(local, start), steps));
      return { parameters: add(start, multiply(normalised, mean(steps))) };
    },
  }),
};
