import type { Command } from "commander";
import { number, wholeNumber } from "./arguments.js";

/** Parameters of tasks as options of a command. */
export interface TaskOptions {
  readonly viscosity?: number;
  readonly grid?: number;
  readonly beta?: number;
  readonly variant?: string;
  readonly stride?: number;
}

export function withTaskOptions(command: Command): Command {
  return command
    .option("--viscosity <number>", "viscosity, for burgers (default: 0.1)", number)
    .option(
      "--grid <number>",
      "grid points per side, for darcy, dam-break (default: 128) and cylinder (64)",
      wholeNumber,
    )
    .option("--beta <number>", "source strength, for darcy (default: 1)", number)
    .option(
      "--variant <name>",
      "for darcy: steady (default), or pdebench-like with PDEBench's remaining transient",
    )
    .option(
      "--stride <number>",
      "for flat-velocity: keep every 1st (default), 2nd, 4th or 8th time step",
      wholeNumber,
    );
}

/** The parameters that were given. */
export const taskParameters = ({ viscosity, grid, beta, variant, stride }: TaskOptions) => ({
  viscosity,
  grid,
  beta,
  variant,
  stride,
});
