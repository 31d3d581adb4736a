import { choice, flag, type Options, realNumber, wholeNumber } from "../options/option.js";
import { CLIENT_OPTIONS } from "../partition/partition-options.js";

/** What becomes of a client's optimiser state between rounds. The paper keeps it. */
export type ClientState = "keep" | "reset" | "average";
export const CLIENT_STATES: readonly ClientState[] = ["keep", "reset", "average"];

/**
 * How inputs and responses are scaled before training: not at all, or by one mean and one standard deviation each, of all
 * numbers or of each channel, fitted on the whole training set and the same for every client. Errors are those of the
 * unscaled responses.
 */
export type Normalisation = "none" | "standard" | "channels";
export const NORMALISATIONS: readonly Normalisation[] = ["none", "standard", "channels"];

export type BackendName = "onnx" | "reference";
export const BACKENDS: readonly BackendName[] = ["onnx", "reference"];

/** How clients and server train. */
export const FEDERATION_OPTIONS = {
  clients: {
    ...CLIENT_OPTIONS.clients,
    help: "number of clients K",
  },
  rounds: wholeNumber({ from: 0, default: 1000, help: "communication rounds" }),
  local_steps: wholeNumber({ from: 1, default: 5, help: "optimiser steps per client and round" }),
  batch: wholeNumber({
    from: 1,
    defaultWords: "the model's: 64 for deeponet, else 16",
    help: "batch size",
  }),
  client_state: choice(CLIENT_STATES, {
    default: "keep",
    help: "whether clients keep, reset or average their optimiser states between rounds",
  }),
  participation: realNumber({
    from: 1e-6,
    to: 1e6,
    later: true,
    defaultWords: "all clients",
    help: "clients that take part in a round: a share below 1, or a number",
  }),
  weights: choice(["size", "uniform"], {
    default: "size",
    later: true,
    help: "weights of clients in the average: by their samples, or all alike",
  }),
} as const satisfies Options;

/** How data reach the model. */
export const SCALING_OPTIONS = {
  normalise: choice(NORMALISATIONS, {
    defaultWords:
      "channels for fno, standard for deeponet (none on its built-in tasks), none for inversion-net",
    help: "scale inputs and responses by mean and standard deviation: not at all, over all values, or per channel; errors refer to unscaled responses",
  }),
} as const satisfies Options;

/** What computes. Threads do not change what a run is, but one thread gives the same bits every time. */
export const ENGINE_OPTIONS = {
  backend: choice(BACKENDS, {
    default: "onnx",
    help: "engine: onnx is ONNX Runtime on a CPU and CUDA on a GPU; reference is slow plain code in float64",
  }),
  tf32: flag({
    default: false,
    later: true,
    help: "use TF32 (10-bit mantissa) for matrix products on a GPU: faster, and recorded as another run",
  }),
  threads: wholeNumber({ from: 1, default: 1, help: "threads of the engine" }),
} as const satisfies Options;
