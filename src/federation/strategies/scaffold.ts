import { add, multiply, subtract } from "../../engine/operations.js";
import { OptionError } from "../../errors.js";
import { choice, realNumber } from "../../options/option.js";
import { effectiveSteps } from "./momentum-steps.js";
import type { LocalEnd, LocalStep, StrategyEntry } from "./strategy.js";

/** c - c_k. */
const correction = ({ client, server }: Pick<LocalStep, "client" | "server">) =>
  subtract(server.control, client.control);

/**
 * SCAFFOLD (Karimireddy et al., 2020, Algorithm 1). Each client keeps a control c_k, the server their mean c, and local
 * steps follow g + c - c_k. The correction enters before the optimiser's moments. After a round c_k is the client's full
 * gradient at x (option I), or the mean gradient that its own steps reveal (option II), which plain or momentum SGD
 * allows: an Adam step is no multiple of a gradient.
 *
 * The mean c has the weights of the average: 1 / K as published for uniform ones, n_k / N where clients count by size, so
 * that corrections cancel in the mean.
 */
export const scaffold: StrategyEntry = {
  describe: "correct clients' gradients by control variates (SCAFFOLD)",
  options: {
    control: choice(["I", "II"], {
      default: "I",
      help: "new control of a client: its full gradient at the start of the round (I), or what its steps reveal (II, for sgd)",
    }),
    server_rate: realNumber({ from: 1e-12, to: 1e6, default: 1, help: "the server's learning rate" }),
  },
  check({ control }, { optimizer, local }) {
    if (control === "II" && optimizer.name !== "sgd")
      throw new OptionError(
        `scaffold with control II needs the optimizer sgd: ${optimizer.name} divides gradients by their size, so its steps ` +
          "do not reveal them; take control I",
      );
    if (local !== undefined)
      throw new OptionError("scaffold corrects all parameters: leave out local, or take another strategy");
  },
  make({ control, server_rate }, { optimizer, clientState }) {
    const isFull = control === "I";
    const revealed = ({ parameters, start, coefficients: [perStep], ...vectors }: LocalEnd) =>
      subtract(multiply(subtract(start, parameters), perStep), correction(vectors));
    return {
      serverVectors: ["control"],
      clientVectors: ["control"],
      traffic: { down: 2, up: 2 },
      ...(isFull
        ? { usesFullGradient: true }
        : {
            clientCoefficients: ({ steps, before }, factor) => {
              const remembered = clientState === "reset" ? 0 : before;
              return [1 / (factor * optimizer.rate * effectiveSteps(steps, remembered, optimizer))];
            },
          }),
      correction,
      finish: (end) => ({ control: isFull ? end.fullGradient! : revealed(end) }),
      aggregate({ local, start, server, before, after, mean, sum }) {
        const step = subtract(mean(local), start);
        return {
          parameters: add(start, multiply(step, Number(server_rate))),
          server: { control: add(server.control, sum(subtract(after.control, before.control))) },
        };
      },
    };
  },
};
