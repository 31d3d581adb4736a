import { add, divide, multiply, negate, sqrt, step, subtract } from "../../engine/operations.js";
import type { Tensor } from "../../engine/program.js";
import { flag, type Options, realNumber } from "../../options/option.js";
import type { RoundEnd, StrategyEntry } from "./strategy.js";

const rate = (usual: number) =>
  realNumber({ from: 1e-12, to: 1e6, default: usual, help: "the server's learning rate" });

/** The step that the server takes as its gradient: mean parameters of the clients less its own. */
const pseudoGradient = ({ local, start, mean }: RoundEnd): Tensor => subtract(mean(local), start);

/**
 * FedAvgM (Hsu et al., 2019): momentum at the server, v <- beta v + Delta, x <- x + rate v. Steady steps add up to
 * rate / (1 - beta) Delta; a rate of 1 - beta keeps the length of FedAvg's.
 */
export const fedavgm: StrategyEntry = {
  describe: "momentum at the server (FedAvgM)",
  options: {
    server_rate: rate(0.5),
    server_momentum: realNumber({
      from: 0,
      to: 1,
      below: true,
      default: 0.5,
      help: "momentum of the server",
    }),
  },
  make({ server_rate, server_momentum }) {
    return {
      serverVectors: ["velocity"],
      aggregate(round) {
        const velocity = add(multiply(round.server.velocity, Number(server_momentum)), pseudoGradient(round));
        const parameters = add(round.start, multiply(velocity, Number(server_rate)));
        return { parameters, server: { velocity } };
      },
    };
  },
};

const BETA1 = (usual: number) =>
  realNumber({ from: 0, to: 1, below: true, default: usual, help: "decay of the server's first moment" });
const TAU = (usual: number) =>
  realNumber({
    from: 1e-12,
    to: 1e3,
    default: usual,
    help: "added to the root of the server's second moment",
  });
const BETA2 = realNumber({
  from: 0,
  to: 1,
  below: true,
  default: 0.99,
  help: "decay of the server's second moment",
});
const BIAS = flag({
  default: false,
  help: "divide the server's moments by 1 - beta^t, as Adam does; the published algorithm does not",
});

/** How the second moment takes up a squared step: its new value. */
type SecondMoment = (second: Tensor, square: Tensor, beta2: number) => Tensor;

/** What tells adaptive servers apart besides their second moment. */
interface AdaptiveServer {
  readonly beta1: number;
  readonly hasDecay: boolean;
  /** Best of a grid with five local Adam steps of 1e-3 (docs/strategies.md). */
  readonly usual: { readonly rate: number; readonly tau: number };
}

/** An adaptive server (Reddi et al., 2021, Algorithm 2): x <- x + rate m / (sqrt(v) + tau), m and v from zero. */
function adaptive(
  describe: string,
  second: SecondMoment,
  { beta1, hasDecay, usual }: AdaptiveServer,
): StrategyEntry {
  const options: Options = {
    server_rate: rate(usual.rate),
    server_beta1: BETA1(beta1),
    ...(hasDecay && { server_beta2: BETA2, bias_correction: BIAS }),
    tau: TAU(usual.tau),
  };
  return {
    describe,
    options,
    make(values) {
      const { server_rate, server_beta1, server_beta2 = 0, tau } = values;
      const [b1, b2] = [Number(server_beta1), Number(server_beta2)];
      const isCorrected = values.bias_correction === true;
      return {
        serverVectors: ["first", "second"],
        ...(isCorrected && {
          coefficients: (round: number) => [1 / (1 - b1 ** (round + 1)), 1 / (1 - b2 ** (round + 1))],
        }),
        aggregate(round) {
          const delta = pseudoGradient(round);
          const first = add(multiply(round.server.first, b1), multiply(delta, 1 - b1));
          const square = multiply(delta, delta);
          const newSecond = second(round.server.second, square, b2);
          const [correction1, correction2] = round.coefficients;
          const mean = isCorrected ? multiply(first, correction1) : first;
          const size = isCorrected ? multiply(newSecond, correction2) : newSecond;
          const direction = divide(mean, add(sqrt(size), Number(tau)));
          return {
            parameters: add(round.start, multiply(direction, Number(server_rate))),
            server: { first, second: newSecond },
          };
        },
      };
    },
  };
}

export const fedadagrad = adaptive("Adagrad at the server (FedAdagrad)", add, {
  beta1: 0,
  hasDecay: false,
  usual: { rate: 1e-2, tau: 1e-3 },
});

export const fedadam = adaptive(
  "Adam at the server (FedAdam)",
  (second, square, beta2) => add(multiply(second, beta2), multiply(square, 1 - beta2)),
  { beta1: 0.9, hasDecay: true, usual: { rate: 1e-3, tau: 1e-4 } },
);

export const fedyogi = adaptive(
  "Yogi at the server, whose second moment changes by little at a time (FedYogi)",
  (second, square, beta2) =>
    subtract(second, multiply(multiply(square, 1 - beta2), sign(subtract(second, square)))),
  { beta1: 0.9, hasDecay: true, usual: { rate: 1e-3, tau: 1e-4 } },
);

/** 1, 0 or -1. */
const sign = (x: Tensor): Tensor => subtract(step(x), step(negate(x)));
