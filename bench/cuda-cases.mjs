/** Rounds of federated training as the benchmarks on a GPU have them: 10 clients, random data of the paper's shapes. */

import { SOURCES } from "../dist/datasets/sources.js";
import { runOptions } from "../dist/federation/run-options.js";
import { UNSCALED } from "../dist/federation/scaling.js";
import { initialState } from "../dist/federation/trainer.js";
import { trainableDeepOnet } from "../dist/models/deeponet.js";
import { fieldShape } from "../dist/models/model.js";
import { modelOf } from "../dist/models/models.js";
import { stream } from "../dist/random/stream.js";

export const CLIENTS = 10;
/** Replicas of a study: five seeds, each with data of its own, and five alphas. */
const RUNS = 25;
/** Those of one alpha: enough for models of fields, whose runs fill a GPU. */
const FIELD_RUNS = 5;
const SEEDS = 5;

const grid = { sensors: 101, coordinates: 2, points: 10201 };
const recordings = { task: "flat-velocity", responseShape: [70, 70], samples: 320 };
export const CASES = {
  antiderivative: { sensors: 100, coordinates: 1, points: 100, samples: 1000 },
  burgers: { ...grid, samples: 800 },
  "diffusion-reaction": { ...grid, samples: 1000 },
  fno2d: { task: "darcy", inputShape: [64, 64], responseShape: [64, 64], samples: 320 },
  "fno2d-128": { task: "darcy", inputShape: [128, 128], responseShape: [128, 128], samples: 320 },
  fno1d: {
    task: "darcy",
    axes: 1,
    inputShape: [1024],
    responseShape: [1024],
    samples: 640,
    batch: 32,
    model: { width: 64 },
  },
  fno3d: {
    task: "darcy",
    axes: 3,
    inputShape: [32, 32, 32],
    responseShape: [32, 32, 32],
    samples: 80,
    batch: 4,
    model: { width: 20 },
  },
  "deeponet-64": {
    task: "burgers",
    inputShape: [100],
    responseShape: [64, 64],
    samples: 640,
    batch: 64,
    model: { width: 64, depth: 3 },
  },
  "inversion-net-1000": { ...recordings, inputShape: [5, 1000, 70] },
  "inversion-net-250": { ...recordings, inputShape: [5, 250, 70] },
};
export const isDeepOnet = (name) => SOURCES[name]?.model.name === "deeponet";
export const runsOf = (name) => (isDeepOnet(name) ? RUNS : FIELD_RUNS);

/** `count` replicas of a case, with other options than the usual ones where some are given. */
export function randomReplicas(name, count = 1, clients = CLIENTS, given = {}) {
  const { task = name, samples, batch } = CASES[name];
  const operator = operatorOf(name);
  const data = Array.from({ length: Math.min(SEEDS, count) }, (_, seed) => randomSamples(name, seed));
  const own = samples / CLIENTS;
  const clientIndices = Array.from({ length: clients }, (_, client) =>
    Int32Array.from({ length: own }, (_, i) => (client % CLIENTS) * own + i),
  );
  return Array.from({ length: count }, (_, run) => {
    const train = data[run % data.length];
    const shares = new Float64Array(clients).fill(1 / clients);
    const problem = { train, test: train, operator, clientIndices, weights: shares, scaling: UNSCALED };
    const options = runOptions({
      task,
      alpha: 100,
      seed: run,
      clients,
      minSize: 1,
      ...(clients > samples && { train: clients }), // for the check alone: clients share samples
      ...(batch && { batch }),
      ...given,
    });
    return { problem, options, start: initialState(problem, options) };
  });
}

function operatorOf(name) {
  if (!isDeepOnet(name)) {
    const { inputShape, responseShape, axes = 2, model } = CASES[name];
    const kind = ["fno", "deeponet", "inversion-net"].find((known) => name.startsWith(known));
    const inputs = fieldShape(inputShape, kind === "deeponet" ? 1 : axes);
    return modelOf(kind).build({ inputs, responses: fieldShape(responseShape, axes) }, model);
  }
  const { sensors, coordinates, points } = CASES[name];
  const places = randomNumbers(points * coordinates, 0, "points");
  return trainableDeepOnet({ sensors, coordinates, ...SOURCES[name].model.options }, places);
}

function randomSamples(name, seed) {
  const { samples, sensors, points, inputShape = [sensors], responseShape = [points] } = CASES[name];
  const size = (shape) => shape.reduce((product, length) => product * length, samples);
  return {
    samples,
    inputs: randomNumbers(size(inputShape), seed, "inputs"),
    responses: randomNumbers(size(responseShape), seed, "responses"),
  };
}

/** Numbers between 0 and 1; a few thousand of them, over and over, since drawing 50 million would take seconds. */
function randomNumbers(length, seed, name) {
  const random = stream(seed, "bench", name);
  const values = new Float32Array(length);
  const drawn = Math.min(length, 4999);
  for (let i = 0; i < drawn; i++) values[i] = random.uniform();
  for (let done = drawn; done < length; done *= 2) values.copyWithin(done, 0, Math.min(done, length - done));
  return values;
}

/** Milliseconds of a round; the fastest of some turns of about a third of a second. `next(measure)` does a round. */
export async function timedRounds(next, turns = 3) {
  for (let warm = 0; warm < 2; warm++) await next(false);
  const several = async (rounds) => {
    const began = performance.now();
    // What the last round measures comes back only when all rounds are done.
    for (let round = 1; round <= rounds; round++) await next(round === rounds);
    return (performance.now() - began) / rounds;
  };
  const rounds = Math.ceil(300 / (await several(2)));
  let best = Infinity;
  for (let turn = 0; turn < turns; turn++) best = Math.min(best, await several(rounds));
  return best;
}
