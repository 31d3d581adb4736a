/** Our options, each with the names that Flower, PyTorch, NIID-Bench and other programs have for it. */
export const FAMILIAR_OPTIONS: Readonly<Record<string, readonly string[]>> = {
  alpha: ["a", "alphas", "dirichlet-alpha", "dir-alpha", "concentration", "beta"],
  batch: ["b", "bs", "batch-size", "local-batch-size", "local-bs", "train-batch-size"],
  bins: ["num-bins", "n-bins", "num-clusters", "n-clusters", "clusters"],
  clients: [
    ...["k", "num-clients", "n-clients", "client-num", "client-num-in-total", "num-users", "n-parties"],
    ...["partitions", "num-partitions", "num-supernodes", "num-nodes"],
  ],
  data: ["d", "dataset", "data-file", "data-path", "file"],
  device: ["gpu", "gpus", "gpu-id", "cuda", "use-cuda"],
  figure: ["fig", "plot"],
  force: ["f", "overwrite"],
  jobs: ["j", "n-jobs", "workers", "num-workers", "processes"],
  "local-steps": ["e", "epochs", "num-epochs", "n-epochs", "local-epochs", "local-ep", "local-iterations"],
  "min-size": ["min-samples", "min-partition-size", "min-require-size"],
  model: ["arch", "architecture", "net"],
  normalise: ["normalisation", "normalization", "standardize", "standardise"],
  optimizer: ["opt", "optim", "client-optimizer"],
  mu: ["proximal-mu", "fedprox-mu", "prox-mu"],
  "server-rate": ["server-lr", "global-lr", "server-learning-rate", "eta-server"],
  participation: [
    ...["fraction-fit", "fraction-train", "fraction", "frac", "client-fraction", "sample-fraction"],
    ...["clients-per-round", "client-num-per-round", "join-ratio", "participation-rate"],
  ],
  strategy: ["algorithm", "alg", "aggregator", "fl-algorithm"],
  out: ["o", "output", "outputs", "out-dir", "output-dir", "out-file", "output-file", "save", "save-dir"],
  quiet: ["q", "silent"],
  rate: ["lr", "learning-rate", "local-lr", "client-lr", "eta", "step-size"],
  format: ["to", "tool", "target"],
  responses: ["labels", "label", "targets", "solutions", "y", "partition-by", "key"],
  inputs: ["features", "x"],
  rounds: [
    ...["r", "num-rounds", "n-rounds", "num-server-rounds", "server-rounds", "global-rounds"],
    ...["comm-round", "comm-rounds", "communication-rounds", "iterations", "global-epochs"],
  ],
  seed: ["s", "seeds", "random-seed", "random-state", "init-seed", "manual-seed"],
  test: ["num-test", "n-test", "test-size", "test-samples"],
  threads: ["num-threads", "n-threads"],
  train: ["num-train", "n-train", "train-size", "train-samples"],
};

/** What our option means where the familiar name means something slightly different. */
export const OPTION_NOTES: Readonly<Record<string, string>> = {
  "local-steps": "optimiser steps per client and round, not epochs",
};

/** Our options as `study` takes them. */
export const STUDY_FIELDS: Readonly<Record<string, string>> = {
  alpha: "alphas=[100,0.1]",
  batch: "federation.batch=64",
  bins: "partition.bins=10",
  clients: "federation.clients=10",
  data: "data=ns.npz",
  "local-steps": "federation.local_steps=5",
  "min-size": "partition.min_size=16",
  model: "model.width=32",
  normalise: "normalise=standard",
  optimizer: "'optimizer={name: sgd}'",
  participation: "federation.participation=0.2",
  strategy: "'federation.strategy={name: fedprox, mu: 10}'",
  rate: "'optimizer={name: adam, rate: 0.001}'",
  rounds: "federation.rounds=50",
  seed: "seeds=[0,1]",
  test: "data.0.test=200",
  train: "data.0.train=1000",
};

const ONE_OR_MANY = "`train` trains one run, `study` a grid of runs";
const PICTURES = "`show` draws samples, `partition --figure` a split, and `report` the figures of a study";
const NO_SERVER = "there is no server; `report` writes a page that any browser opens";
const MEASURES = "`diagnose` measures a split";
const SPLITS = "`partition` splits data among clients";
const TESTS = "`train` and `study` measure the test error as they train";
const AGAIN = "`study` and `train --out` resume when you repeat the same command";
const EXPORTS_TO =
  "`export <partition> --format flower` hands a partition to Flower, and other formats to other tools";
const LOADS =
  "`train --out` writes model.onnx and parameters.safetensors, which Python loads: see docs/pytorch.md";
const LOOKS = "`inspect` looks into a file: its arrays, and how to go on";
const STANDS = "`status` shows the progress of a study";

/** Commands of other programs, and what does their job here. */
export const FAMILIAR_COMMANDS: Readonly<Record<string, string>> = {
  flower: EXPORTS_TO,
  flwr: EXPORTS_TO,
  fedlab: EXPORTS_TO,
  predict: LOADS,
  load: LOADS,
  info: LOOKS,
  describe: LOOKS,
  peek: LOOKS,
  h5ls: LOOKS,
  summary: "`report` summarises a study",
  serve: NO_SERVER,
  server: NO_SERVER,
  dashboard: NO_SERVER,
  ui: NO_SERVER,
  fit: ONE_OR_MANY,
  run: ONE_OR_MANY,
  experiment: ONE_OR_MANY,
  sweep: ONE_OR_MANY,
  simulation: ONE_OR_MANY,
  plot: PICTURES,
  draw: PICTURES,
  view: PICTURES,
  visualize: PICTURES,
  visualise: PICTURES,
  split: SPLITS,
  divide: SPLITS,
  measure: MEASURES,
  metrics: MEASURES,
  analyze: MEASURES,
  analyse: MEASURES,
  evaluate: TESTS,
  eval: TESTS,
  test: TESTS,
  resume: AGAIN,
  continue: AGAIN,
  list: STANDS,
  ls: STANDS,
  progress: STANDS,
  simulate: "`generate` makes data of a task",
  download: "there is no download; `import` reads public files that you have",
  transform: "`convert` writes data of any file to HDF5, `export` writes partitions for other tools",
  check: "`verify` checks the runs of a study",
  validate: "`verify` checks the runs of a study",
  clean: "`cache --clear` removes generated data and compiled kernels",
  clear: "`cache --clear` removes generated data and compiled kernels",
  gpu: "`devices` lists the CPU and the GPUs",
  init: "`study quickstart --out <folder>` is a first study",
  version: "`--version` prints it",
};
