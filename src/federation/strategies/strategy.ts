import type { Tensor } from "../../engine/program.js";
import type { Options, OptionValue } from "../../options/option.js";
import type { OptimizerOptions } from "../optimizer-options.js";

/** A strategy by its name, with the values of its options: `{ name: "fedprox", mu: 0.1 }`. */
export interface StrategyOptions {
  readonly name: string;
  readonly [option: string]: OptionValue;
}

/** Tensors by name. */
export type Tensors = Readonly<Record<string, Tensor>>;

/** What a strategy knows of the run before it starts. */
export interface StrategyRun {
  readonly optimizer: OptimizerOptions;
  readonly localSteps: number;
}

/** A local step of clients on some of their parameters. All tensors have the same shape. */
export interface LocalStep {
  /** The clients' parameters before the step. */
  readonly parameters: Tensor;
  /** The server's parameters, from which the round started. */
  readonly start: Tensor;
}

/** What the server has at the end of a round: parameters lie along the last axis, clients along the last but one. */
export interface RoundEnd {
  /** The clients' parameters after their local steps. */
  readonly local: Tensor;
  /** The server's parameters at the start, with one entry along the axis over clients, as all that follows. */
  readonly start: Tensor;
  /** The server's vectors by name. */
  readonly server: Tensors;
  /** Mean over clients by their weights. */
  mean(x: Tensor): Tensor;
  /** What `coefficients` gave for the round, as scalars. */
  readonly coefficients: readonly Tensor[];
}

/** The server after a round: its parameters and its vectors. */
export interface ServerUpdate {
  readonly parameters: Tensor;
  readonly server?: Tensors;
}

/**
 * A federated algorithm: how local steps differ from plain ones, and how the server uses what clients send. It is written
 * as tensor programs, which run alone, client by client and as replicas on a GPU.
 */
export interface Strategy {
  /** Names of the server's vectors between rounds, each as long as the parameters and zero at the start. */
  readonly serverVectors?: readonly string[];
  /** Numbers that the server needs in round 0, 1, ... */
  coefficients?(round: number): readonly number[];
  /** The gradient that a client's optimiser gets. */
  gradient?(gradient: Tensor, step: LocalStep): Tensor;
  /** A client's parameters after its optimiser's step. */
  settle?(updated: Tensor, step: LocalStep): Tensor;
  /** The server's update. */
  aggregate(round: RoundEnd): ServerUpdate;
}

/** An entry of `STRATEGIES`. */
export interface StrategyEntry {
  /** One line for `--help` and the documentation. */
  readonly describe: string;
  readonly options: Options;
  make(values: Readonly<Record<string, OptionValue>>, run: StrategyRun): Strategy;
}
