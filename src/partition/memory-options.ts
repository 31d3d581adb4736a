import { OptionError } from "../errors.js";
import { expectedWords, type Options, type PropertiesOf, realNumber, takes } from "../options/option.js";

/** How much memory data may take. Never changes a result, so it is no setting of a run and not recorded. */
export const MEMORY_OPTIONS = {
  memory: realNumber({
    from: 0.25,
    to: 1024,
    default: 4,
    help: "GB of memory to use; larger data are read from disk as needed, with the same results",
  }),
} as const satisfies Options;

/** The memory that data may take, in bytes. */
export function memoryBytes({ memory }: Partial<PropertiesOf<typeof MEMORY_OPTIONS>> = {}): number {
  const option = MEMORY_OPTIONS.memory;
  if (memory !== undefined && !takes(option, memory))
    throw new OptionError(`memory is ${expectedWords(option)} (GB), not ${memory}`);
  return (memory ?? option.default) * 1e9;
}
