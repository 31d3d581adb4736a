import type { RunOptions } from "../run-options.js";
import { trainedCount } from "../trained-clients.js";
import { mostStepsOf } from "./local-steps-taken.js";
import { participantCount } from "./participants.js";

/** Optimiser steps that all participants of a round take together, about: as if clients had equally many samples. */
export function stepsOfRound(options: RunOptions): number {
  const all = trainedCount(options.clients, options);
  const most = mostStepsOf(Math.ceil(options.train / all), options);
  const { localStepsMin = most } = options;
  return (participantCount(all, options) * (localStepsMin + most)) / 2;
}
