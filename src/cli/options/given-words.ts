import type { Command } from "commander";

/** The options that were given to a command as words, for another command that has them too: those that it has by name. */
export function givenWords(command: Command, wanted: (name: string) => boolean): string[] {
  return command.options.flatMap((option) => {
    const name = option.attributeName();
    if (!wanted(name) || command.getOptionValueSource(name) !== "cli") return [];
    const value: unknown = command.getOptionValue(name);
    if (value === true) return [option.long!];
    return [value].flat().flatMap((one) => [option.long!, `${one}`]);
  });
}
