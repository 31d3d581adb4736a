const ONE_OR_MANY = "`train` trains one run, `study` a grid of runs";
const PICTURES = "`show` draws samples, `partition --figure` a split, and `report` the figures of a study";
const PAGE = "`studio` opens a page in the browser; `report` writes one that any browser opens";
const SUBMITS = "`submit` hands a study to Slurm";
const CANCELS = "`cancel` ends the jobs of a study on a cluster";
const MEASURES = "`diagnose` measures a split";
const SPLITS = "`partition` splits data among clients";
const TESTS = "`train` and `study` measure the test error as they train";
const AGAIN = "`study` and `train --out` resume when you repeat the same command";
const EXPORTS_TO =
  "`export <partition> --format flower` hands a partition to Flower, and other formats to other tools";
const LOADS =
  "`train --out` writes model.onnx and parameters.safetensors, which Python loads: see docs/pytorch.md";
const LOOKS = "`inspect` looks into a file: its arrays, and how to go on";
const LOGS =
  "`track <folder> --track tensorboard` logs runs that were trained; `train` and `study` take --track too";
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
  serve: PAGE,
  server: PAGE,
  dashboard: PAGE,
  ui: PAGE,
  sbatch: SUBMITS,
  slurm: SUBMITS,
  qsub: SUBMITS,
  bsub: SUBMITS,
  cluster: SUBMITS,
  squeue: STANDS,
  queue: STANDS,
  qstat: STANDS,
  jobs: STANDS,
  kill: CANCELS,
  stop: CANCELS,
  fit: ONE_OR_MANY,
  run: ONE_OR_MANY,
  experiment: ONE_OR_MANY,
  sweep: ONE_OR_MANY,
  simulation: ONE_OR_MANY,
  tensorboard: LOGS,
  mlflow: LOGS,
  wandb: LOGS,
  log: LOGS,
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
