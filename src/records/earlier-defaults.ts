import type { Settings } from "./settings.js";

/**
 * The defaults of the versions whose run records state no settings (`run/2`, and `run/3` without `settings`), as the
 * bundled studies of these versions had them, with what was no option yet. This table is history: it never changes, whatever the defaults of today are.
 */
const COMMON = {
  clients: 10,
  bins: 10,
  repair: "largest",
  local_steps: 5,
  optimizer: "adam",
  client_state: "keep",
  backend: "onnx",
} as const;

const DEEPONET = {
  batch: 64,
  normalise: "none",
  model: "deeponet",
  activation: "relu",
  trunk_output: "activation",
  initialiser: "glorot-normal",
} as const;
const FNO2D = {
  batch: 16,
  normalise: "channels",
  model: "fno2d",
  width: 32,
  modes: 12,
  layers: 4,
  projection: 128,
  padding: 0,
  activation: "gelu",
  coordinates: "unit",
  initialiser: "pytorch",
} as const;
const INVERSION_NET = {
  batch: 16,
  normalise: "none",
  model: "inversion-net",
  width: 8,
  normalisation: "group",
  activation: "leaky-relu",
  initialiser: "pytorch",
} as const;

/** Settings of a task apart from the parameters of its data, and these parameters. */
export interface EarlierTask {
  readonly settings: Settings;
  readonly parameters: Settings;
  /** The seed of its data where all seeds share them; undefined where each seed has its own. */
  readonly dataSeed?: number;
}

export const EARLIER_TASKS: Readonly<Record<string, EarlierTask>> = {
  antiderivative: {
    settings: { ...COMMON, train: 1000, test: 1000, min_size: 16, ...DEEPONET, width: 40, depth: 2 },
    parameters: {},
  },
  burgers: {
    settings: { ...COMMON, train: 800, test: 500, min_size: 16, ...DEEPONET, width: 64, depth: 2 },
    parameters: { viscosity: 0.1 },
  },
  "diffusion-reaction": {
    settings: { ...COMMON, train: 1000, test: 1000, min_size: 16, ...DEEPONET, width: 100, depth: 3 },
    parameters: { diffusion: 0.01, reaction: 0.01 },
  },
  darcy: {
    settings: { ...COMMON, train: 800, test: 200, min_size: 16, ...FNO2D },
    parameters: { grid: 128, beta: 1, variant: "steady" },
    dataSeed: 0,
  },
  "dam-break": {
    settings: { ...COMMON, train: 800, test: 100, min_size: 16, ...FNO2D },
    parameters: { grid: 128, time: 1 },
    dataSeed: 0,
  },
  cylinder: {
    settings: { ...COMMON, train: 80, test: 20, min_size: 4, ...FNO2D },
    parameters: {
      grid: 64,
      reynoldsMin: 20,
      reynoldsMax: 300,
      startUp: 100,
      interval: 2.5,
      perturbation: 0.2,
      resolution: 20,
      latticeSpeed: 0.08,
    },
    dataSeed: 0,
  },
  "flat-velocity": {
    settings: { ...COMMON, train: 800, test: 200, min_size: 16, ...INVERSION_NET },
    parameters: { stride: 1 },
    dataSeed: 0,
  },
};

/** What each optimiser had unless told otherwise. */
export const EARLIER_OPTIMIZERS: Readonly<Record<string, Settings>> = {
  adam: { rate: 1e-3 },
  sgd: { rate: 1e-2, momentum: 0.9 },
};
