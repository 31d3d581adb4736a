import type { DataFacts } from "../lab/lab.js";
import type { LentData } from "../lab/lent-data.js";
import type { StudioSettings } from "../settings.js";
import type { RunChanges } from "./run-list.js";
import type { UpdatesPlane } from "./updates-plane.js";

/** What is to be trained, as plain data. */
export interface TrainingRequest {
  readonly settings: StudioSettings;
  readonly runs: readonly RunChanges[];
  readonly data: Pick<DataFacts, "origin" | "description" | "coordinates" | "responseAxes">;
  /** Tells files from others of the same name, which are copied again. */
  readonly stamp?: number;
}

/** What a run will be, before anything is computed. */
export interface RunPlan {
  /** `DeepONet, width 64, depth 3`. */
  readonly model: string;
  readonly parameters: number;
  readonly batch: number;
  /** About so many seconds a round, on a usual machine. */
  readonly seconds: number;
  /** Whether model or batch are smaller than those of the commands, since they would take long in a page. */
  readonly isSmaller: boolean;
}

/** A run before its first round. */
export interface RunFacts {
  readonly clients: number;
  readonly clientNames?: readonly string[];
  readonly dSol: number;
  /** H_g^norm at the shared start. */
  readonly gradientDissimilarity: number;
  readonly notes: readonly string[];
}

/** What is measured of a run after a round; NaN is what was not measured then. */
export interface RunPoint {
  readonly testError: number;
  readonly dLoc: number;
  /** Distance of the parameters from those of the first run. */
  readonly dTheta: number;
  readonly trainLoss: number;
  /** Errors of clients on test samples of their bins: their mean, and the worst with its client. */
  readonly clientMean: number;
  readonly clientWorst: number;
  readonly worstClient: number;
}

/** A round of all runs. */
export interface Lap {
  readonly round: number;
  /** Undefined of a run that has diverged. */
  readonly runs: readonly (RunPoint | undefined)[];
}

/** The clients' updates of the last round that measured them. */
export interface Arrows {
  readonly round: number;
  /** Undefined of a run whose clients do not move on their own, or that has diverged. */
  readonly runs: readonly (RunArrows | undefined)[];
}

export interface RunArrows extends UpdatesPlane {
  /** Numbers of the clients that took part, in the order of the arrows. */
  readonly clients: readonly number[];
}

/** A test sample, and what a run predicts for it, in the units of the data. */
export interface Picture {
  readonly run: number;
  readonly sample: number;
  readonly round: number;
  readonly input: Float32Array | Float64Array;
  readonly truth: Float32Array | Float64Array;
  readonly prediction: Float32Array;
}

/** Which prediction is wanted. */
export interface PictureChoice {
  readonly run: number;
  readonly sample: number;
}

export type TrainingEvent =
  | { readonly kind: "progress"; readonly words: string; readonly done?: number }
  | {
      readonly kind: "rounds";
      /** Rounds that all runs have done. */
      readonly round: number;
      /** Laps that were measured since the last event. */
      readonly laps: readonly Lap[];
      /** Milliseconds of a round of each run, without what is measured after it. */
      readonly milliseconds: readonly number[];
      /** Rounds of each run in a second, with all that is measured. */
      readonly rate: number;
    }
  | { readonly kind: "arrows"; readonly arrows: Arrows }
  /** Some responses of the test half, from which pictures have one scale for all samples. */
  | { readonly kind: "examples"; readonly responses: readonly (Float32Array | Float64Array)[] }
  | { readonly kind: "picture"; readonly picture: Picture }
  /** Training came to its end, or could not go on. */
  | { readonly kind: "ended"; readonly message?: string };

export type TrainingListener = (event: TrainingEvent) => void;

/**
 * Trains runs side by side. It lives in a worker of its own, so that dial and data stay responsive; the page reaches it
 * through `comlink`.
 */
export interface Trainer {
  /** What the runs will be. Refused options are the reason in one line, in place of a plan. */
  plan(request: TrainingRequest): Promise<readonly (RunPlan | string)[]>;
  /** Prepares the runs up to their start, which it measures. What was open before is closed. */
  open(request: TrainingRequest, data: LentData, listener: TrainingListener): Promise<readonly RunFacts[]>;
  /** Trains up to this many rounds, or goes on after a pause: with the same bits as without it. */
  play(rounds: number): Promise<void>;
  /** Ends the present lap, or holds it between two programs where it takes long. Kept when nothing is computed any more. */
  pause(): Promise<void>;
  /** One round of all runs. */
  step(): Promise<void>;
  /** Which prediction is shown from now on. */
  show(choice: PictureChoice): Promise<void>;
  close(): Promise<void>;
}
