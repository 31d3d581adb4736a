import type { Backend } from "../engine/backend.js";
import { Program } from "../engine/program.js";
import type { Training } from "../models/trainable-model.js";
import { averaged, localSteps, type ProgramOptions } from "./round-program.js";

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
  const local = localSteps(program, { training }, options, who, rows, backend);
  const shares = program.input("shares", [runs, 1, clients]);
  averaged(program, local, shares, options);
  return program;
}
