import { type Federation, federate, type PreparedData } from "../../federation/federation.js";
import { prepareLoaded } from "../../federation/prepare-loaded.js";
import { type RunOptions, runOptions } from "../../federation/run-options.js";
import type { Samples } from "../../federation/samples/stored-samples.js";
import { DEFAULT_PARTITIONER } from "../../partition/partitioners.js";
import { clientCount, knowledgeOf, wantedBy } from "../../pipeline/sample-knowledge.js";
import type { BorrowedData } from "./borrowed-data.js";
import { givenRun } from "./given-run.js";
import type { RunChanges } from "./run-list.js";
import type { TrainingRequest } from "./trainer.js";

/** GB of memory for normalised responses. */
const MEMORY = 2;

/** A run with its clients: what the command `train` prepares for the same options, to the last bit. */
export interface PreparedRun {
  readonly options: RunOptions;
  readonly problem: Federation<Samples>;
}

/** Prepares runs one after another. Those that agree on bins and model share data, bins and model. */
export function runPreparer(data: BorrowedData, request: TrainingRequest) {
  const prepared = new Map<string, Promise<PreparedData<Samples>>>();
  const { inputs, responses } = data.loaded.train;
  return async (run: RunChanges): Promise<PreparedRun> => {
    const given = givenRun(request.settings, run, request.data);
    const { partitioner = { name: DEFAULT_PARTITIONER }, clients: asked, seed } = given;
    const wanted = wantedBy(partitioner);
    const known = await knowledgeOf(
      wanted,
      { inputs, responses, attributes: data.attributes },
      { samples: responses.samples, seed, memory: MEMORY },
    );
    const options = runOptions({ ...given, clients: clientCount(partitioner, known, asked, asked!) });
    const { bins, normalise, model } = options;
    const key = JSON.stringify({ seed, bins, normalise, model, wanted });
    const ready =
      prepared.get(key) ??
      prepareLoaded(await data.checked(options), options, {
        knowledge: async () => ({ known }),
        samples: async () => ({ ...(await data.samples(options)), close: async () => {} }),
        measuresInputs: false,
        memory: MEMORY,
      });
    prepared.set(key, ready);
    return { options, problem: await federate(await ready, options) };
  };
}
