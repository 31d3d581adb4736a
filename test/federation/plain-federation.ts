import { dataOrder } from "../../src/federation/data-order.js";
import { participants } from "../../src/federation/participation/participants.js";
import type { RunOptions } from "../../src/federation/run-options.js";
import { scheduleOf } from "../../src/federation/schedule.js";
import { trainedClients } from "../../src/federation/trained-clients.js";
import type { SmallProblem } from "./small-problem.js";
import { plainStrategy } from "./strategies/plain-strategies.js";

/** A DeepONet's prediction of one sample at all points by loops, with what its gradient needs. */
export function plainDeepOnet(
  problem: SmallProblem,
  parameters: ArrayLike<number>,
  input: ArrayLike<number>,
) {
  const { sizes, points } = problem;
  const { layout } = problem.operator;
  const block = (name: string) => layout.find((entry) => entry.name === name)!;
  const network = (name: string, x: ArrayLike<number>, activateLast: boolean) => {
    const layers = [Array.from(x)];
    for (let layer = 0; layer < sizes.depth; layer++) {
      const weight = block(`${name}.${layer}.weight`);
      const bias = block(`${name}.${layer}.bias`);
      const [rows, columns] = weight.shape;
      const active = layer + 1 < sizes.depth || activateLast;
      layers.push(
        Array.from({ length: columns }, (_, j) => {
          let z = parameters[bias.start + j];
          for (let i = 0; i < rows; i++) z += layers[layer][i] * parameters[weight.start + i * columns + j];
          return active ? Math.max(z, 0) : z;
        }),
      );
    }
    return layers;
  };
  const branch = network("branch", input, false);
  const trunks = Array.from({ length: points.length / sizes.coordinates }, (_, p) =>
    network("trunk", points.subarray(p * sizes.coordinates, (p + 1) * sizes.coordinates), true),
  );
  const values = trunks.map((trunk) =>
    branch[sizes.depth].reduce(
      (sum, b, i) => sum + b * trunk[sizes.depth][i],
      parameters[block("bias").start],
    ),
  );
  return { branch, trunks, values };
}

/** Gradient of the mean squared error over some samples, by loops in float64. */
export function plainGradient(
  problem: SmallProblem,
  parameters: ArrayLike<number>,
  samples: ArrayLike<number>,
): Float64Array {
  const { sizes, train } = problem;
  const { layout } = problem.operator;
  const block = (name: string) => layout.find((entry) => entry.name === name)!;
  const count = train.responses.length / train.samples;
  const gradient = new Float64Array(parameters.length);
  const back = (name: string, layers: number[][], top: number[], activateLast: boolean) => {
    let d = top;
    for (let layer = sizes.depth - 1; layer >= 0; layer--) {
      const weight = block(`${name}.${layer}.weight`);
      const bias = block(`${name}.${layer}.bias`);
      const [rows, columns] = weight.shape;
      if (layer + 1 < sizes.depth || activateLast) d = d.map((v, j) => (layers[layer + 1][j] > 0 ? v : 0));
      const below = new Array<number>(rows).fill(0);
      for (let j = 0; j < columns; j++) {
        gradient[bias.start + j] += d[j];
        for (let i = 0; i < rows; i++) {
          gradient[weight.start + i * columns + j] += layers[layer][i] * d[j];
          below[i] += parameters[weight.start + i * columns + j] * d[j];
        }
      }
      d = below;
    }
  };
  for (const sample of Array.from(samples)) {
    const input = train.inputs.subarray(sample * sizes.sensors, (sample + 1) * sizes.sensors);
    const { branch, trunks, values } = plainDeepOnet(problem, parameters, input);
    const toBranch = new Array<number>(sizes.width).fill(0);
    trunks.forEach((trunk, p) => {
      const slope = (2 * (values[p] - train.responses[sample * count + p])) / (count * samples.length);
      gradient[block("bias").start] += slope;
      trunk[sizes.depth].forEach((t, i) => {
        toBranch[i] += slope * t;
      });
      back(
        "trunk",
        trunk,
        branch[sizes.depth].map((b) => slope * b),
        true,
      );
    });
    back("branch", branch, toBranch, false);
  }
  return gradient;
}

/** An optimiser's state, by loops. */
interface PlainState {
  first: number[];
  second: number[];
  /** Steps that each of them remembers. */
  steps: { first: number; second: number };
}

/** One step of the run's optimiser, times `factor`. */
function plainStep(
  own: number[],
  gradient: ArrayLike<number>,
  state: PlainState,
  { optimizer }: RunOptions,
  factor: number,
): void {
  state.steps.first++;
  state.steps.second++;
  for (let i = 0; i < own.length; i++) {
    const g = gradient[i];
    if (optimizer.name === "sgd") {
      state.first[i] = Number(optimizer.momentum) * state.first[i] + g;
      own[i] -= factor * optimizer.rate * state.first[i];
    } else {
      state.first[i] = 0.9 * state.first[i] + 0.1 * g;
      state.second[i] = 0.999 * state.second[i] + 0.001 * g * g;
      const m = state.first[i] / (1 - 0.9 ** state.steps.first);
      const v = state.second[i] / (1 - 0.999 ** state.steps.second);
      own[i] -= (factor * optimizer.rate * m) / (Math.sqrt(v) + 1e-8);
    }
  }
}

/** A federation by loops in float64: parameters after the given number of rounds, D_loc of the last, and own models. */
export function plainFederation(
  problem: SmallProblem,
  options: RunOptions,
  start: ArrayLike<number>,
): { parameters: number[]; dispersion: number; personal: number[][] } {
  const { clientState, secondMoment = clientState } = options;
  const { clientIndices, weights } = trainedClients(problem, options);
  const orders = clientIndices.map((samples, client) => dataOrder(samples, { ...options, client }));
  const size = start.length;
  const zeros = () => new Array<number>(size).fill(0);
  const fresh = (): PlainState => ({ first: zeros(), second: zeros(), steps: { first: 0, second: 0 } });
  const [states, personalStates] = [orders.map(fresh), orders.map(fresh)];
  let server = Array.from(start);
  const personal = orders.map(() => server.slice());
  const strategy = plainStrategy(options, size, orders.length, problem.operator.layout);
  let dispersion = 0;
  const turns = participants({ ...problem, clientIndices, weights }, options);
  const rates = [options.clientSchedule, options.serverSchedule].map((text) => scheduleOf(text, options));
  for (let round = 0; round < options.rounds; round++) {
    const [clientRate, serverRate] = rates.map((rate) => rate?.(round) ?? 1);
    const present = turns.of(round).filter(({ share }) => share > 0);
    const mean = (vectors: readonly number[][]) =>
      server.map((_, i) => vectors.reduce((sum, vector, k) => sum + present[k].share * vector[i], 0));
    for (const state of [...states, ...personalStates]) {
      if (clientState === "reset")
        Object.assign(state, { first: zeros(), steps: { ...state.steps, first: 0 } });
      if (secondMoment === "reset")
        Object.assign(state, { second: zeros(), steps: { ...state.steps, second: 0 } });
    }
    const before = server;
    const walks = present.map(({ client, before: taken, steps }) => {
      const from = before.map((x, i) => (strategy.isLocal?.(i) ? personal[client][i] : x));
      const own = from.slice();
      for (let step = 0; step < steps; step++) {
        const batch = orders[client](taken + step);
        const plain = plainGradient(problem, own, batch);
        const at = own.slice();
        plainStep(
          own,
          plain.map((g, i) => strategy.gradient?.(g, at[i], from[i], client, i) ?? g),
          states[client],
          options,
          clientRate,
        );
        // The pull of a strategy after the step shrinks with the rate too.
        if (strategy.settle)
          for (let i = 0; i < size; i++) own[i] = strategy.settle(own[i], at[i], from[i], clientRate);
        if (!strategy.personal) continue;
        const ofPersonal = plainGradient(problem, personal[client], batch);
        const pulled = ofPersonal.map((g, i) => strategy.personal!(g, personal[client][i], from[i]));
        plainStep(personal[client], pulled, personalStates[client], options, clientRate);
      }
      if (strategy.isLocal) personal[client] = own.slice();
      return { from, own };
    });
    const local = walks.map(({ own }) => own);
    const average = mean(local);
    dispersion = local.reduce(
      (sum, own, k) => sum + present[k].share * own.reduce((s, v, i) => s + (v - average[i]) ** 2, 0),
      0,
    );
    const fullGradient = (client: number) => plainGradient(problem, before, clientIndices[client]);
    const updated = strategy.server({ x: before, local, average, present, round, clientRate, fullGradient });
    server = before.map((x, i) => x + serverRate * (updated[i] - x));
    for (const [rule, vector] of [
      [clientState, "first"],
      [secondMoment, "second"],
    ] as const) {
      if (rule !== "average") continue;
      const common = mean(present.map(({ client }) => states[client][vector]));
      for (const { client } of present) states[client][vector] = common.slice();
    }
  }
  return { parameters: server, dispersion, personal };
}
