import type { RunOptions } from "../../../src/federation/run-options.js";

/** A strategy by loops over numbers, written from the formulas of its paper. */
export interface PlainStrategy {
  /** The gradient of one weight w of a client, of whom the server has x. */
  gradient?(g: number, w: number, x: number): number;
  /** The weight after the optimiser's step to `updated`. */
  settle?(updated: number, w: number, x: number): number;
  /** The server's new weight i from its present one and the clients' mean. */
  server(x: number, mean: number, i: number, round: number): number;
}

/** The strategy of a run; its state is its own. */
export function plainStrategy({ strategy, optimizer }: RunOptions, size: number): PlainStrategy {
  const of = (name: string) => Number(strategy?.[name]);
  const [m, v] = [new Float64Array(size), new Float64Array(size)];
  const average = (_: number, mean: number) => mean;
  const adaptive = (second: (before: number, square: number) => number) => ({
    server(x: number, mean: number, i: number, round: number) {
      const delta = mean - x;
      m[i] = of("server_beta1") * m[i] + (1 - of("server_beta1")) * delta;
      v[i] = second(v[i], delta * delta);
      const isCorrected = strategy?.bias_correction === true;
      const first = isCorrected ? m[i] / (1 - of("server_beta1") ** (round + 1)) : m[i];
      const size2 = isCorrected ? v[i] / (1 - of("server_beta2") ** (round + 1)) : v[i];
      return x + (of("server_rate") * first) / (Math.sqrt(size2) + of("tau"));
    },
  });
  switch (strategy?.name) {
    case undefined:
      return { server: average };
    case "fedprox":
      return strategy.proximal === "decoupled"
        ? { settle: (updated, w, x) => updated - optimizer.rate * of("mu") * (w - x), server: average }
        : { gradient: (g, w, x) => g + of("mu") * (w - x), server: average };
    case "fedavgm":
      return {
        server(x, mean, i) {
          v[i] = of("server_momentum") * v[i] + (mean - x);
          return x + of("server_rate") * v[i];
        },
      };
    case "fedadagrad":
      return adaptive((before, square) => before + square);
    case "fedadam":
      return adaptive((before, square) => of("server_beta2") * before + (1 - of("server_beta2")) * square);
    case "fedyogi":
      return adaptive(
        (before, square) => before - (1 - of("server_beta2")) * square * Math.sign(before - square),
      );
    default:
      throw new Error(`no plain form of ${strategy?.name}`);
  }
}
