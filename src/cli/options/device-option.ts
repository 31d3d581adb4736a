import { Option } from "commander";
import { DEVICES } from "../../federation/backends.js";

/** `--device`, of commands that train. */
export function deviceOption(): Option {
  return new Option("--device <name>", "device to train on; auto uses a GPU if CUDA works")
    .choices(DEVICES)
    .default("auto");
}
