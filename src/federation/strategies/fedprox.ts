import { add, multiply, subtract } from "../../engine/operations.js";
import type { Tensor } from "../../engine/program.js";
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
    mu: realNumber({ from: 0, to: 1e6, default: 0.01, help: "weight of the proximal term mu / 2 (w - x)^2" }),
    proximal: choice(["gradient", "decoupled"], {
      default: "gradient",
      help: "whether the term enters the gradient, as published, or moves parameters after the optimiser's step",
    }),
  },
  make({ mu, proximal }, run) {
    const weight = Number(mu);
    if (weight === 0) return fedavg.make({}, run);
    const pull = ({ parameters, start }: LocalStep, factor: number) =>
      parameters === start ? undefined : multiply(subtract(parameters, start), factor); // none at the first step
    const gradient = (plain: Tensor, step: LocalStep) => {
      const pulled = pull(step, weight);
      return pulled ? add(plain, pulled) : plain;
    };
    const settle = (updated: Tensor, step: LocalStep) => {
      const pulled = pull(step, run.optimizer.rate * weight);
      return pulled ? subtract(updated, pulled) : updated;
    };
    return { ...fedavg.make({}, run), ...(proximal === "gradient" ? { gradient } : { settle }) };
  },
};
