import type { Backend } from "../engine/backend.js";
import { broadcast, matmul, multiply, reshape, subtract, sum } from "../engine/operations.js";
import { Program } from "../engine/program.js";
import type { Training } from "./operator.js";
import { localSteps, type ProgramOptions, stateName } from "./round-program.js";

/** How large the program of a fleet is. */
export interface FleetSizes {
  readonly runs: number;
  /** Clients of each run. */
  readonly clients: number;
  /** Samples of a batch, short ones filled up. */
  readonly rows: number;
}

/**
 * A round of several runs at once: the local steps of all their clients along two leading axes, [runs, clients], and
 * for each run the average of its clients by its `shares` [runs, 1, clients]. Inputs are otherwise those of
 * `roundProgram`, with these axes: `parameters` [runs, P], states [runs, clients, P], `indices` and `weights`
 * [steps, runs, clients, rows]. Output `dispersion` [runs] is D_loc of each.
 */
export function fleetProgram(
  training: Training,
  options: ProgramOptions,
  { runs, clients, rows }: FleetSizes,
  backend: Pick<Backend, "wide"> = {},
): Program {
  const program = new Program();
  const who = { clients: [runs, clients], ofServer: 1 } as const;
  const { parameters: local, state } = localSteps(program, { training }, options, who, rows, backend);
  const shares = program.input("shares", [runs, 1, clients]);
  const average = matmul(shares, local);
  const deviation = subtract(local, average);
  program.output("dispersion", sum(matmul(shares, multiply(deviation, deviation)), [1, 2]));
  program.output("average", reshape(average, [runs, local.shape[2]]));
  program.carry("average", "parameters");
  if (options.clientState === "reset") return program;
  state.forEach((vector, i) => {
    const kept = options.clientState === "average" ? broadcast(matmul(shares, vector), vector.shape) : vector;
    program.output(`new ${stateName(i)}`, kept);
    program.carry(`new ${stateName(i)}`, stateName(i));
  });
  return program;
}
