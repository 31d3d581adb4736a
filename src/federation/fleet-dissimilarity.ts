import type { Backend } from "../engine/backend.js";
import { add, multiply, subtract, sum } from "../engine/operations.js";
import { Program } from "../engine/program.js";
import { joined as joinedTensors, parameterCount, weightsOf } from "../models/parameter-layout.js";
import type { FederatedProblem } from "./federated-problem.js";
import type { FleetData } from "./fleet-data.js";
import { EPSILON } from "./observables.js";
import { heldInputs } from "./round-program.js";
import { hold, joined } from "./rounds.js";

interface Evaluation {
  readonly backend: Backend;
  /** Samples of each run whose gradients are computed at once. */
  readonly rows: number;
  readonly threads?: number;
}

/**
 * H_g^norm of each run (eq:gradient-metric), client after client: gradients of millions of parameters stay where they are
 * computed, and their spread about the mean is added up as the mean moves (West, Communications of the ACM 22, 1979).
 */
export async function gradientDissimilarities(
  problems: readonly FederatedProblem[],
  data: Omit<FleetData, "test">,
  parameters: readonly Float32Array[],
  { backend, rows, threads }: Evaluation,
): Promise<readonly number[]> {
  const runs = problems.length;
  // Asked for at the start alone: the program is made for that.
  const executable = await backend.compile(gradientProgram(data, runs, rows), { threads });
  try {
    hold(executable, data.training);
    executable.write("parameters", joined(parameters));
    for (const name of ["gradient", "mean"])
      executable.write(name, new Float32Array(runs * parameterCount(data.operator.layout)));
    const totals = problems.map(() => ({ weight: 0, spread: 0, size: 0 }));
    for (const client of problems[0].clientIndices.keys()) {
      const batches = batchesOf(problems, client, data.train.starts, rows);
      const shares = problems.map(({ weights }) => weights[client]);
      for (const [i, batch] of batches.entries()) {
        const isLast = i === batches.length - 1;
        const rates = totals.map(({ weight }, run) => (isLast ? shares[run] / (weight + shares[run]) : 0));
        const { square, distance } = await executable.run(
          { ...batch, kept: Float64Array.of(i === 0 ? 0 : 1), rates: Float64Array.from(rates) },
          isLast ? ["square", "distance"] : [],
        );
        if (isLast)
          totals.forEach((total, run) => {
            total.spread += rates[run] * total.weight * distance[run];
            total.size += shares[run] * square[run];
            total.weight += shares[run];
          });
      }
    }
    return totals.map(({ spread, size }) => spread / (size + EPSILON));
  } finally {
    await executable.close();
  }
}

/**
 * Adds the gradient of each run's mean squared error under `weights`, of samples chosen by `indices`, to `kept` times
 * `gradient` [runs, P], and moves `mean` towards that by `rates`; it carries both. Outputs are the square of what `gradient`
 * has become, and of its distance from the mean before.
 */
export function gradientProgram(
  { operator, training }: Omit<FleetData, "test">,
  runs: number,
  rows: number,
): Program {
  const program = new Program();
  const shape = [runs, parameterCount(operator.layout)];
  const gradients = training.gradients(
    weightsOf(program.input("parameters", shape), training.blocks),
    heldInputs(program, training),
    program.input("indices", [runs, rows], "int"),
    program.input("weights", [runs, rows]),
  );
  const found = joinedTensors(
    training.blocks.map(({ name }) => gradients[name]),
    [runs],
  );
  const gradient = add(multiply(program.input("kept", []), program.input("gradient", shape)), found);
  const mean = program.input("mean", shape);
  const away = subtract(gradient, mean);
  program.output("new gradient", gradient);
  program.output("new mean", add(mean, multiply(program.input("rates", [runs, 1]), away)));
  program.carry("new gradient", "gradient");
  program.carry("new mean", "mean");
  program.output("square", sum(multiply(gradient, gradient), [1]));
  program.output("distance", sum(multiply(away, away), [1]));
  return program;
}

/** All samples of a client in every run; where one has fewer, the rest has weight zero. */
function batchesOf(
  problems: readonly FederatedProblem[],
  client: number,
  starts: readonly number[],
  rows: number,
): { readonly indices: Int32Array; readonly weights: Float32Array }[] {
  const samples = problems.map(({ clientIndices }) => clientIndices[client]);
  const count = Math.ceil(Math.max(...samples.map(({ length }) => length)) / rows);
  return Array.from({ length: count }, (_, batch) => {
    const indices = new Int32Array(samples.length * rows);
    const weights = new Float32Array(indices.length);
    samples.forEach((own, run) => {
      const chosen = own.subarray(batch * rows, (batch + 1) * rows);
      for (let i = 0; i < rows; i++) indices[run * rows + i] = starts[run] + (chosen[i] ?? own[0]);
      weights.fill(1 / own.length, run * rows, run * rows + chosen.length);
    });
    return { indices, weights };
  });
}
