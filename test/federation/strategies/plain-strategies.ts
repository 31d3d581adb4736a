import type { Participant } from "../../../src/federation/participation/participant.js";
import type { RunOptions } from "../../../src/federation/run-options.js";
import type { ParameterLayout } from "../../../src/models/parameter-layout.js";

/** What the server of a strategy by loops has at the end of a round. */
export interface PlainRound {
  readonly x: readonly number[];
  /** Parameters of the participants. */
  readonly local: readonly number[][];
  readonly average: readonly number[];
  readonly present: readonly Participant[];
  readonly round: number;
  /** What the schedule multiplies the clients' learning rate by. */
  readonly clientRate: number;
  fullGradient(client: number): Float64Array;
}

/** A strategy by loops over numbers, written from the formulas of its paper. */
export interface PlainStrategy {
  /** The gradient of weight i, w, of client k, who started from x. */
  gradient?(g: number, w: number, x: number, k: number, i: number): number;
  /** The weight after the optimiser's step to `updated`; `factor` is that of the client's learning rate. */
  settle?(updated: number, w: number, x: number, factor: number): number;
  /** The gradient of a weight v of a client's own model. */
  personal?(g: number, v: number, x: number): number;
  /** Whether weight i stays with the client. */
  isLocal?(i: number): boolean;
  /** The server's new weights. */
  server(round: PlainRound): readonly number[];
}

/** Gradients that count in a round of `steps`: once a step, or by the momentum that is left of each. */
function effective(steps: number, before: number, { optimizer }: RunOptions): number {
  const rho = optimizer.name === "sgd" ? Number(optimizer.momentum) : 0;
  let [velocity, moved] = [0, 0];
  for (let step = 0; step < before; step++) velocity = rho * velocity + 1;
  for (let step = 0; step < steps; step++) {
    velocity = rho * velocity + 1;
    moved += velocity;
  }
  return moved;
}

/** The strategy of a run; its state is its own. */
export function plainStrategy(
  options: RunOptions,
  size: number,
  clients: number,
  layout: ParameterLayout,
): PlainStrategy {
  const { strategy, optimizer, local: pattern } = options;
  const of = (name: string) => Number(strategy?.[name]);
  const [m, v] = [new Float64Array(size), new Float64Array(size)];
  const average = ({ average }: PlainRound) => average;
  const prefix = pattern?.replace("*", "");
  const isLocal = (i: number) =>
    layout.some(({ name, start, size: own }) => name.startsWith(prefix!) && i >= start && i < start + own);
  const parts = prefix === undefined ? {} : { isLocal };
  const adaptive = (second: (before: number, square: number) => number) => ({
    ...parts,
    server: ({ x, average: mean, round }: PlainRound) =>
      x.map((x, i) => {
        const delta = mean[i] - x;
        m[i] = of("server_beta1") * m[i] + (1 - of("server_beta1")) * delta;
        v[i] = second(v[i], delta * delta);
        const isCorrected = strategy?.bias_correction === true;
        const first = isCorrected ? m[i] / (1 - of("server_beta1") ** (round + 1)) : m[i];
        const size2 = isCorrected ? v[i] / (1 - of("server_beta2") ** (round + 1)) : v[i];
        return x + (of("server_rate") * first) / (Math.sqrt(size2) + of("tau"));
      }),
  });
  switch (strategy?.name) {
    case undefined:
    case "centralised":
      return { ...parts, server: average };
    case "local-only":
      return { isLocal: () => true, server: average };
    case "fedprox":
      return strategy.proximal === "decoupled"
        ? {
            ...parts,
            settle: (updated, w, x, factor) => updated - factor * optimizer.rate * of("mu") * (w - x),
            server: average,
          }
        : { ...parts, gradient: (g, w, x) => g + of("mu") * (w - x), server: average };
    case "scaffold": {
      const controls = Array.from({ length: clients }, () => new Float64Array(size));
      const common = new Float64Array(size);
      return {
        gradient: (g, _, __, k, i) => g - controls[k][i] + common[i],
        server({ x, local, average: mean, present, fullGradient, clientRate }) {
          const changes = new Float64Array(size);
          for (const [place, { client, steps, before, weight }] of present.entries()) {
            const remembered = options.clientState === "reset" ? 0 : before;
            const moved = clientRate * optimizer.rate * effective(steps, remembered, options);
            const full = strategy.control === "I" ? fullGradient(client) : undefined;
            for (let i = 0; i < size; i++) {
              const revealed = controls[client][i] - common[i] + (x[i] - local[place][i]) / moved;
              const after = full ? full[i] : revealed;
              changes[i] += weight * (after - controls[client][i]);
              controls[client][i] = after;
            }
          }
          for (let i = 0; i < size; i++) common[i] += changes[i];
          return x.map((x, i) => x + of("server_rate") * (mean[i] - x));
        },
      };
    }
    case "fednova":
      return {
        ...parts,
        server({ x, local, present }) {
          const moved = present.map(({ steps }) => effective(steps, 0, options));
          const mean = present.reduce((sum, { share }, k) => sum + share * moved[k], 0);
          return x.map((x, i) =>
            present.reduce((sum, { share }, k) => sum + (mean * share * (local[k][i] - x)) / moved[k], x),
          );
        },
      };
    case "ditto":
      return { ...parts, personal: (g, own, x) => g + of("lambda") * (own - x), server: average };
    case "fedavgm":
      return {
        ...parts,
        server: ({ x, average: mean }) =>
          x.map((x, i) => {
            v[i] = of("server_momentum") * v[i] + (mean[i] - x);
            return x + of("server_rate") * v[i];
          }),
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
