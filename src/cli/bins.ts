import { Command } from "commander";
import { binsCountCommand } from "./bins/count.js";
import { binsFitCommand } from "./bins/fit.js";

export function binsCommand(): Command {
  return new Command("bins")
    .summary("fit bins for sites that cannot pool data, and count samples in them")
    .description("Solution bins of data: fit them, and count the samples of a site in them.")
    .addCommand(binsFitCommand())
    .addCommand(binsCountCommand());
}
