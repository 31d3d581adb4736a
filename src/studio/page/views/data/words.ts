import type { Words } from "../../glossary.js";

/** Words of the view of data. */
export const DATA_WORDS = {
  task: { label: "Task", meaning: "A built-in PDE problem: its samples are simulated in this page." },
  file: {
    label: "File",
    meaning:
      "HDF5, netCDF, MATLAB, PyTorch, NPZ or NPY. This page reads it where it lies and sends it nowhere.",
  },
  server_file: {
    label: "Below the open folder",
    meaning:
      "Files of data on the machine where the command runs. The page asks for the bytes that it needs.",
  },
  data_seed: {
    label: "Data seed",
    meaning: "Fixes the simulated samples: the same seed gives the same data, bit by bit.",
  },
  train_samples: {
    label: "Training samples",
    meaning: "Samples that clients share. Empty means the number of the task.",
  },
  test_samples: {
    label: "Test samples",
    meaning:
      "Samples that no client has: the global model is measured on them. Empty means the number of the task.",
  },
  sample: {
    label: "Sample",
    meaning: "An input and the solution that belongs to it. Arrow keys go from sample to sample.",
  },
  channel: { label: "Channels", meaning: "Quantities that a sample holds at each point, such as u and v." },
  frame: { label: "Frame", meaning: "The time of a trajectory at which it is drawn." },
  scale: {
    label: "Colours",
    meaning:
      "One scale for all samples makes them comparable. One for each sample shows its finest differences.",
  },
  input: {
    label: "Input",
    meaning: "What is given: a coefficient, a source, an initial state, a recording.",
  },
  response: {
    label: "Response",
    meaning: "The solution of the PDE for the input. Bins and splits are made from it.",
  },
  axes: {
    label: "Axes",
    meaning:
      "What the numbers of a sample run over, and from where to where; points of an axis without coordinates are numbered.",
  },
  origin: {
    label: "Origin",
    meaning: "Who made the data: simulated here, imported from a benchmark, or a file.",
  },
  reading: {
    label: "Reading",
    meaning: "How the arrays of the file are understood. The commands under Share repeat it.",
  },
} as const satisfies Words;
