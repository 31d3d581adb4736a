import { type Work, workOf } from "../engine/program-work.js";
import { demandOf } from "../engine/working-memory.js";
import { fieldSize } from "../models/model.js";
import { parameterCount } from "../models/parameter-layout.js";
import { chosenModel, plannedModel, plannedShapes } from "./chosen-model.js";
import { participantCount } from "./participation/participants.js";
import { averageRound } from "./rounds/average-round.js";
import { stateBytes } from "./rounds/clients-memory.js";
import { isTogether } from "./rounds/rounds.js";
import type { RunOptions } from "./run-options.js";
import { trainedCount } from "./trained-clients.js";

export type { Work };

/** What a run needs, whatever its seed and split, as far as that is known before its data are read. */
export interface RunDemand {
  /** The name of its model. */
  readonly model: string;
  /** What a round computes, with clients of equal size. */
  readonly work: Work;
  /** Bytes of the process that trains it on a CPU, at most. */
  readonly memory: number;
  /** Bytes of its saved state. */
  readonly state: number;
  readonly parameters: number;
  /** Clients that train: one where all data are at one place. */
  readonly clients: number;
}

/** Bytes of a process before it has read any data. */
const PROCESS = 0.15e9;
const BYTES = 4;

export function runDemand(options: RunOptions): RunDemand {
  const operator = plannedModel(options);
  const shapes = plannedShapes(options);
  const sizes = { inputs: fieldSize(shapes.inputs), responses: fieldSize(shapes.responses) };
  const { train, test, batch } = options;
  const clients = trainedCount(options.clients, options);
  const round = averageRound(operator, sizes, train, options);
  const participants = participantCount(clients, options);
  // One client after another where all at once would leave the cache.
  const share = isTogether(participants * batch * operator.activation) ? 1 : 1 / participants;
  const state = stateBytes(operator.layout, options.clients, options);
  const samples = (train + test) * (sizes.inputs + sizes.responses);
  return {
    model: chosenModel(options).name,
    work: workOf(round),
    memory: PROCESS + BYTES * (share * demandOf(round).working + 2 * samples) + 2 * state,
    state,
    parameters: parameterCount(operator.layout),
    clients,
  };
}
