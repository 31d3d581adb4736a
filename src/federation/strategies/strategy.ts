import type { Tensor } from "../../engine/program.js";
import type { Options, OptionValue } from "../../options/option.js";
import type { OptimizerOptions } from "../optimizer-options.js";
import type { Participant } from "../participation/participant.js";
import type { Sampling } from "../participation/sampling.js";

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
  readonly clientState: string;
  readonly secondMoment?: string;
  readonly participation?: number;
  readonly sampling?: Sampling;
  readonly candidates?: number;
  readonly dropout?: number;
  readonly weights?: string;
  readonly local?: string;
  readonly localEpochs?: number;
  readonly localStepsMin?: number;
  readonly serverSchedule?: string;
}

/** A local step of clients on some of their parameters. All tensors have the same shape. */
export interface LocalStep {
  /** The clients' parameters before the step. */
  readonly parameters: Tensor;
  /** The parameters from which the round started. */
  readonly start: Tensor;
  /** Vectors that the strategy keeps with clients and with the server, by name. */
  readonly client: Tensors;
  readonly server: Tensors;
}

/** Clients after their local steps, [..., clients, parameters]; or one client, [parameters]. */
export interface LocalEnd extends LocalStep {
  /** The gradient of each client's loss over all its samples at the start; only with `usesFullGradient`. */
  readonly fullGradient?: Tensor;
  /** What `clientCoefficients` gave for each client; each multiplies a vector of the client. */
  readonly coefficients: readonly Tensor[];
}

/** What the server has at the end of a round: parameters lie along the last axis, participants along the last but one. */
export interface RoundEnd {
  /** The clients' parameters after their local steps. */
  readonly local: Tensor;
  /** The server's parameters at the start, with one entry along the axis over clients, as all that follows. */
  readonly start: Tensor;
  /** The server's vectors by name. */
  readonly server: Tensors;
  /** The strategy's vectors of the participants, before and after the round. */
  readonly before: Tensors;
  readonly after: Tensors;
  /** Mean over participants by their weights, which sum to 1. */
  mean(x: Tensor): Tensor;
  /** Sum over participants by their weights among all clients. */
  sum(x: Tensor): Tensor;
  /** What `coefficients` gave for the round, as scalars. */
  readonly coefficients: readonly Tensor[];
  /** What `clientCoefficients` gave for each participant, [..., clients, 1]. */
  readonly clientCoefficients: readonly Tensor[];
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
  /** Names of vectors that each client keeps between rounds, as long and zero at the start. */
  readonly clientVectors?: readonly string[];
  /** Whether `finish` needs each client's gradient over all its samples, an extra pass through them. */
  readonly usesFullGradient?: boolean;
  /** Whether parameters of this name stay with the client. The server has their mean, which no client sees. */
  isLocal?(block: string): boolean;
  /** The gradient of a second model of each client, which takes the same steps beside the first and stays with the client. */
  readonly personal?: (gradient: Tensor, step: LocalStep) => Tensor;
  /** Whether all samples are trained on at one place. */
  readonly isPooled?: boolean;
  /** Vectors as long as the parameters that a client receives and sends in a round; 1 each unless given. */
  readonly traffic?: { readonly down: number; readonly up: number };
  /** Numbers that the server needs in round 0, 1, ... */
  coefficients?(round: number): readonly number[];
  /** Numbers of each participant of a round; `factor` is what a schedule multiplies the clients' learning rate by. */
  clientCoefficients?(participant: Pick<Participant, "steps" | "before">, factor: number): readonly number[];
  /** What is added to every gradient of a client in a round, from its vectors and the server's. */
  correction?(vectors: Pick<LocalStep, "client" | "server">): Tensor;
  /** The gradient that a client's optimiser gets. */
  gradient?(gradient: Tensor, step: LocalStep): Tensor;
  /** A client's parameters after its optimiser's step. */
  settle?(updated: Tensor, step: LocalStep): Tensor;
  /** The strategy's new vectors of clients after their local steps. */
  finish?(end: LocalEnd): Tensors;
  /** The server's update. */
  aggregate(round: RoundEnd): ServerUpdate;
}

/** An entry of `STRATEGIES`. */
export interface StrategyEntry {
  /** One line for `--help` and the documentation. */
  readonly describe: string;
  readonly options: Options;
  make(values: Readonly<Record<string, OptionValue>>, run: StrategyRun): Strategy;
  /** Refuses options of a run that it cannot work with. */
  check?(values: Readonly<Record<string, OptionValue>>, run: StrategyRun): void;
}
