import { dataOrder } from "../../src/federation/data-order.js";
import { participants } from "../../src/federation/participation/participants.js";
import type { RunOptions } from "../../src/federation/run-options.js";
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

/** A federation by loops in float64: parameters after the given number of rounds, and D_loc of the last. */
export function plainFederation(
  problem: SmallProblem,
  options: RunOptions,
  start: ArrayLike<number>,
): { parameters: number[]; dispersion: number } {
  const { optimizer, localSteps, clientState } = options;
  const orders = problem.clientIndices.map((samples, client) => dataOrder(samples, { ...options, client }));
  const zeros = () => new Array<number>(start.length).fill(0);
  let states = orders.map(() => ({ first: zeros(), second: zeros(), steps: 0 }));
  let server = Array.from(start);
  const strategy = plainStrategy(options, start.length);
  let dispersion = 0;
  const turns = participants(orders.length, options);
  const taken = orders.map(() => 0);
  for (let round = 0; round < options.rounds; round++) {
    const present = turns(round).map(({ client }) => client);
    const sizes = present.map((client) =>
      options.weights === "uniform" ? 1 : problem.clientIndices[client].length,
    );
    const shares = sizes.map((size) => size / sizes.reduce((a, b) => a + b, 0));
    const mean = (vectors: readonly number[][]) =>
      server.map((_, i) => vectors.reduce((sum, vector, k) => sum + shares[k] * vector[i], 0));
    if (clientState === "reset") states = states.map(() => ({ first: zeros(), second: zeros(), steps: 0 }));
    const local = present.map((client) => {
      const order = orders[client];
      const own = server.slice();
      const state = states[client];
      for (let step = 0; step < localSteps; step++) {
        const gradient = plainGradient(problem, own, order(taken[client]++));
        state.steps++;
        const before = own.slice();
        gradient.forEach((plain, i) => {
          const g = strategy.gradient?.(plain, before[i], server[i]) ?? plain;
          if (optimizer.name === "sgd") {
            state.first[i] = Number(optimizer.momentum) * state.first[i] + g;
            own[i] -= optimizer.rate * state.first[i];
          } else {
            state.first[i] = 0.9 * state.first[i] + 0.1 * g;
            state.second[i] = 0.999 * state.second[i] + 0.001 * g * g;
            const m = state.first[i] / (1 - 0.9 ** state.steps);
            const v = state.second[i] / (1 - 0.999 ** state.steps);
            own[i] -= (optimizer.rate * m) / (Math.sqrt(v) + 1e-8);
          }
          own[i] = strategy.settle?.(own[i], before[i], server[i]) ?? own[i];
        });
      }
      return own;
    });
    const average = mean(local);
    dispersion = local.reduce(
      (sum, own, k) => sum + shares[k] * own.reduce((s, v, i) => s + (v - average[i]) ** 2, 0),
      0,
    );
    server = server.map((x, i) => strategy.server(x, average[i], i, round));
    if (clientState === "average") {
      const first = mean(present.map((client) => states[client].first));
      const second = mean(present.map((client) => states[client].second));
      for (const client of present)
        states[client] = { first: first.slice(), second: second.slice(), steps: states[client].steps };
    }
  }
  return { parameters: server, dispersion };
}
