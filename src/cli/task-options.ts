import type { Command } from "commander";
import { number } from "./arguments.js";

/** Parameters of tasks as options of a command. */
export interface TaskOptions {
  readonly viscosity?: number;
}

export function withTaskOptions(command: Command): Command {
  return command.option("--viscosity <number>", "for burgers (default: 0.1)", number);
}

/** The parameters that were given. */
export const taskParameters = ({ viscosity }: TaskOptions) => ({ viscosity });
