import { Command } from "commander";
import { describe, expect, it } from "vitest";
import { addListFlag, addOptionFlags } from "../../src/cli/options/option-flags.js";
import { partitionCommand } from "../../src/cli/partition.js";
import { surveyCommand } from "../../src/cli/survey.js";
import { flagOf, type Option, realNumber, wholeNumber } from "../../src/options/option.js";
import { CLIENT_OPTIONS, PARTITION_OPTIONS } from "../../src/partition/partition-options.js";
import { DIRICHLET_OPTIONS } from "../../src/partition/partitioners/dirichlet.js";

const DECLARED: Readonly<Record<string, Option>> = {
  ...CLIENT_OPTIONS,
  ...PARTITION_OPTIONS,
  ...DIRICHLET_OPTIONS,
};

describe.each([partitionCommand(), surveyCommand()])("the flags of $_name", (command) => {
  it.each(Object.entries(DECLARED))("have the declared help of %s", (name, option) => {
    const flag = command.options.find(({ long }) => long === flagOf(name))!;
    expect(flag.description.startsWith(option.help), flag.description).toBe(true);
    expect(flag.argChoices).toEqual(option.kind === "choice" ? option.values : undefined);
  });
});

describe("flags of declared options", () => {
  const parsed = (...words: string[]) => {
    const command = new Command("test").exitOverride().configureOutput({ writeErr: () => {} });
    addOptionFlags(command, { min_size: wholeNumber({ from: 2, default: 16, help: "smallest client" }) });
    addListFlag(command, "alpha", realNumber({ from: 0, to: 9, defaultWords: "1 2", help: "some" }));
    return command.parse(words, { from: "user" });
  };

  it("are read by property name, and undefined unless given", () => {
    expect(parsed().opts()).toEqual({});
    expect(parsed("--min-size", "3", "--alpha", "0.1", "5,7").opts()).toEqual({
      minSize: 3,
      alpha: [0.1, 5, 7],
    });
  });

  it("say the default in the help", () => {
    const help = parsed().helpInformation();
    expect(help).toMatch(/--min-size <number> +smallest client \(default: 16\)/);
    expect(help).toMatch(/--alpha <numbers...> +some \(default: 1 2\)/);
  });

  it.each([
    ["--min-size", "1", "It is a whole number from 2 on."],
    ["--min-size", "2.5", '"2.5" is not a whole number from 0 on.'],
    ["--alpha", "x", '"x" is not a number.'],
  ])("refuse %s %s", (flag, value, reason) => {
    expect(() => parsed(flag, value)).toThrow(reason);
  });
});
