import { choice, flag, type Options, realNumber, text, wholeNumber } from "../options/option.js";
import { CLIENT_OPTIONS } from "../partition/partition-options.js";
import { SAMPLINGS } from "./participation/sampling.js";
import { SCHEDULE_WORDS } from "./schedule.js";

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

/** What a participation is. */
export const PARTICIPATION_WORDS = "a share below 1, or a number of clients from 2 on";

const SCHEDULE = { expected: SCHEDULE_WORDS } as const;

/** How many clients train, and how long. */
export const ROUND_OPTIONS = {
  clients: {
    ...CLIENT_OPTIONS.clients,
    help: "number of clients K",
  },
  rounds: wholeNumber({ from: 0, default: 1000, help: "communication rounds" }),
  local_steps: wholeNumber({
    from: 1,
    default: 5,
    lowerEnd: "local_steps_min",
    help: "optimiser steps per client and round",
  }),
  local_steps_min: wholeNumber({
    from: 1,
    later: true,
    defaultWords: "local_steps",
    help: "stragglers: a client takes from this many to local_steps steps, drawn anew in every round",
  }),
  local_epochs: wholeNumber({
    from: 1,
    later: true,
    defaultWords: "local_steps count instead",
    help: "passes of each client through its samples per round, in place of local_steps",
  }),
  batch: wholeNumber({
    from: 1,
    defaultWords: "the model's: 64 for deeponet, else 16",
    help: "batch size",
  }),
} as const satisfies Options;

/** What clients keep between rounds, and how learning rates change. */
export const STATE_OPTIONS = {
  client_state: choice(CLIENT_STATES, {
    default: "keep",
    help: "whether clients keep, reset or average their optimiser states between rounds",
  }),
  second_moment: choice(CLIENT_STATES, {
    later: true,
    defaultWords: "as client_state",
    help: "the same for Adam's second moment alone; client_state then rules the first",
  }),
  client_schedule: text({
    default: "constant",
    later: true,
    ...SCHEDULE,
    help: "clients' learning rate by the round: exponential:0.99, step:0.5:100 or cosine",
  }),
  server_schedule: text({
    default: "constant",
    later: true,
    ...SCHEDULE,
    help: "length of the server's steps by the round, in the same words",
  }),
  local: text({
    default: "none",
    later: true,
    expected: "names of parameters with * for any characters, such as branch.*",
    help: "parameters that stay with each client, such as branch.* or several patterns with commas",
  }),
} as const satisfies Options;

/** Who takes part in a round. */
export const PARTICIPATION_OPTIONS = {
  participation: realNumber({
    from: 1e-6,
    to: 1e6,
    later: true,
    defaultWords: "all clients",
    expected: PARTICIPATION_WORDS,
    help: "clients that take part in a round",
  }),
  sampling: choice(SAMPLINGS, {
    default: "uniform",
    later: true,
    help: "who takes part: drawn alike, by size, the largest losses of some candidates, or one of each cluster of clients by their solutions",
  }),
  candidates: wholeNumber({
    from: 2,
    later: true,
    defaultWords: "twice the participants",
    help: "clients that power-of-choice draws and asks for their losses",
  }),
  dropout: realNumber({
    from: 0,
    to: 1,
    below: true,
    default: 0,
    later: true,
    help: "probability that a participant leaves before its update arrives",
  }),
  weights: choice(["size", "uniform"], {
    default: "size",
    later: true,
    help: "weights of clients in the average: by their samples, or all alike",
  }),
} as const satisfies Options;

/** How clients and server train. */
export const FEDERATION_OPTIONS = {
  ...ROUND_OPTIONS,
  ...STATE_OPTIONS,
  ...PARTICIPATION_OPTIONS,
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
