import { add, multiply, subtract } from "../../engine/operations.js";
import { choice, realNumber } from "../../options/option.js";
import { fedavg } from "./fedavg.js";
import type { LocalStep, StrategyEntry } from "./strategy.js";

/**
 * FedProx (Li et al., 2020): each client minimises its loss plus mu / 2 |w - x|^2, which holds it near the server's
 * parameters x. Adam divides the gradient by its own size, and with it the pull of the proximal term; the decoupled form
 * pulls after the optimiser's step instead, as AdamW does with weight decay.
 */
export const fedprox: StrategyEntry = {
  describe: "hold clients near the server's parameters by a proximal term (FedProx)",
  options: {
    mu: realNumber({ from: 0, to: 1e6, default: 1, help: "weight of the proximal term mu / 2 |w - x|^2" }),
    proximal: choice(["gradient", "decoupled"], {
      default: "gradient",
      help: "whether the term enters the gradient, as published, or moves parameters after the optimiser's step",
    }),
  },
  make({ mu, proximal }, run) {
    const weight = Number(mu);
    if (weight === 0) return fedavg.make({}, run);
    const { rate } = run.optimizer;
    const distance = ({ parameters, start }: LocalStep) => subtract(parameters, start);
    return {
      ...fedavg.make({}, run),
      ...(proximal === "gradient"
        ? { gradient: (gradient, step) => add(gradient, multiply(distance(step), weight)) }
        : { settle: (updated, step) => subtract(updated, multiply(distance(step), rate * weight)) }),
    };
  },
};
