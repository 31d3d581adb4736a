import { OptionError } from "../../errors.js";
import { propertyOf } from "../../options/option.js";
import { fedavg } from "./fedavg.js";
import type { StrategyEntry, StrategyRun } from "./strategy.js";

/** Options that a baseline cannot follow, each with the reason and the way out. They would be recorded as another run. */
type Refusals = Readonly<Record<string, string>>;

const NO_SERVER =
  "has no server that takes steps: leave out server_schedule; client_schedule changes learning rates";

function refuse(name: string, run: StrategyRun, refusals: Refusals): void {
  for (const [option, reason] of Object.entries(refusals))
    if (run[propertyOf(option) as keyof StrategyRun] !== undefined)
      throw new OptionError(`${name} ${reason}`);
}

/** Refuses to average states of optimisers where nothing is sent. */
function refuseAverages(name: string, { clientState, secondMoment }: StrategyRun): void {
  const option = Object.entries({ client_state: clientState, second_moment: secondMoment }).find(
    ([, rule]) => rule === "average",
  );
  if (option)
    throw new OptionError(`${name} sends nothing that could be averaged: take ${option[0]} keep or reset`);
}

/** Every client trains alone, and nothing is sent. The server's parameters are the mean of the clients', for comparison. */
export const localOnly: StrategyEntry = {
  describe: "every client trains alone, without communication (a baseline)",
  options: {},
  check(_, run) {
    refuse("local-only", run, {
      local: "has no shared parameters to tell from local ones: leave out local",
      server_schedule: NO_SERVER,
    });
    refuseAverages("local-only", run);
    if (run.sampling === "power-of-choice")
      throw new OptionError(
        "local-only has no common model whose losses clients could tell: take another sampling than power-of-choice",
      );
  },
  make: (_, run) => ({ ...fedavg.make({}, run), isLocal: () => true, traffic: { down: 0, up: 0 } }),
};

const ONE_PLACE = "trains on all samples at one place:";
const EQUAL_STEPS = "takes as many steps as one client, so all must take the same number:";

/** All samples at one place: as many optimiser steps as a client takes, on batches of the same size from all samples. */
export const centralised: StrategyEntry = {
  describe: "train on all samples at one place, with as many steps as one client takes (a baseline)",
  options: {},
  check(_, run) {
    refuse("centralised", run, {
      local: "has no shared parameters to tell from local ones: leave out local",
      participation: `${ONE_PLACE} leave out participation`,
      sampling: `${ONE_PLACE} leave out sampling`,
      candidates: `${ONE_PLACE} leave out candidates`,
      dropout: `${ONE_PLACE} leave out dropout`,
      weights: `${ONE_PLACE} leave out weights`,
      local_epochs: `${EQUAL_STEPS} give local_steps in place of local_epochs`,
      local_steps_min: `${EQUAL_STEPS} leave out local_steps_min`,
      server_schedule: NO_SERVER,
    });
    refuseAverages("centralised", run);
  },
  make: (_, run) => ({ ...fedavg.make({}, run), isPooled: true, traffic: { down: 0, up: 0 } }),
};
