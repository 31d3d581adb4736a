import { OptionError } from "../errors.js";

/** A value of an option as it is recorded. */
export type OptionValue = number | string | boolean;

interface Declaration<T extends OptionValue> {
  /** What it does, in one line, for the help and the documentation; the default is added to it. */
  readonly help: string;
  /** Undefined where the default depends on the data or on another option; `defaultWords` then says how. */
  readonly default?: T;
  readonly defaultWords?: string;
  /**
   * Recorded only where it differs from its default. True for options that came later than the first records: names of
   * runs are hashes of what is recorded, and earlier runs must keep theirs.
   */
  readonly later?: boolean;
  /** True for a value that the program finds: it is recorded, but nobody can give it. */
  readonly found?: boolean;
  /** The option with the lower end, where what people ask for may be a range: `1-5`. */
  readonly lowerEnd?: string;
  /** Part of the name of what it configures even at its default: `pathological, bins per client 2`. */
  readonly naming?: boolean;
}

export interface WholeNumber extends Declaration<number> {
  readonly kind: "whole";
  readonly from: number;
  readonly to?: number;
}

export interface RealNumber extends Declaration<number> {
  readonly kind: "number";
  readonly from: number;
  readonly to: number;
  /** Whether the upper limit itself is too large. */
  readonly below?: boolean;
  /** What the number is, as the end of a sentence, where its limits do not say it. */
  readonly expected?: string;
}

export interface Choice<T extends string = string> extends Declaration<T> {
  readonly kind: "choice";
  readonly values: readonly T[];
}

export interface Flag extends Declaration<boolean> {
  readonly kind: "flag";
}

export interface Text extends Declaration<string> {
  readonly kind: "text";
  /** What the text is, as the end of a sentence: `the name of an attribute`. */
  readonly expected: string;
  /** Whether it is the path of a file: records keep its name alone, and a study's YAML counts it from its own folder. */
  readonly path?: boolean;
}

export type Option = WholeNumber | RealNumber | Choice | Flag | Text;

/**
 * Options by their recorded names, such as `local_steps`. This one declaration gives the type of the value, its default
 * and limits, the field of a study, the flag of a command, the name in records and the row in the documentation.
 */
export type Options = Readonly<Record<string, Option>>;

/** The type of an option's value. */
export type ValueOf<O> = O extends { readonly kind: "whole" | "number" }
  ? number
  : O extends { readonly kind: "flag" }
    ? boolean
    : O extends { readonly kind: "choice"; readonly values: readonly (infer T)[] }
      ? T
      : O extends { readonly kind: "text" }
        ? string
        : never;

/** Values of declared options by recorded name. */
export type ValuesOf<O extends Options> = { readonly [K in keyof O]: ValueOf<O[K]> };

/** `local_steps` as the library has it: `localSteps`. */
type Camel<S extends string> = S extends `${infer A}_${infer B}` ? `${A}${Capitalize<Camel<B>>}` : S;

/** Values of declared options as properties of the library: `localSteps` of `local_steps`. */
export type PropertiesOf<O extends Options> = {
  readonly [K in keyof O & string as Camel<K>]: ValueOf<O[K]>;
};

/** Values that may leave some out. */
export type GivenValues = Readonly<Record<string, OptionValue | undefined>>;

export const wholeNumber = <const D extends Omit<WholeNumber, "kind">>(declaration: D) =>
  ({ kind: "whole", ...declaration }) as const;

export const realNumber = <const D extends Omit<RealNumber, "kind">>(declaration: D) =>
  ({ kind: "number", ...declaration }) as const;

export const choice = <T extends string>(
  values: readonly T[],
  declaration: Omit<Choice<NoInfer<T>>, "kind" | "values">,
) => ({ kind: "choice", values, ...declaration }) as const;

export const flag = (declaration: Declaration<boolean>): Flag => ({ kind: "flag", ...declaration });

export const text = <const D extends Omit<Text, "kind">>(declaration: D) =>
  ({ kind: "text", ...declaration }) as const;

/** What an option takes, as the end of a sentence: `a whole number from 1 on`. */
export function expectedWords(option: Option): string {
  switch (option.kind) {
    case "whole":
      return `a whole number from ${option.from} ${option.to === undefined ? "on" : `to ${option.to}`}`;
    case "number":
      if (option.expected !== undefined) return option.expected;
      return `a number from ${option.from} to ${option.below ? "below " : ""}${option.to}`;
    case "choice":
      return `one of ${option.values.join(", ")}`;
    case "flag":
      return "true or false";
    case "text":
      return option.expected;
  }
}

/**
 * How a range such as `1-5` is given to an option that takes one number; undefined where it cannot be, or is none.
 *
 * @param written how an option of this name and a value are written
 */
export function rangeWords(
  name: string,
  { lowerEnd }: Option,
  text: string,
  written: (name: string, value: string) => string,
): string | undefined {
  const [, low, high] = /^\s*(\d+)\s*(?:-|:|,|\.\.|to)\s*(\d+)\s*$/.exec(text) ?? [];
  if (lowerEnd === undefined || low === undefined) return undefined;
  return `for ${low} to ${high} give ${written(name, high)} and ${written(lowerEnd, low)}`;
}

/** Whether an option takes a value. */
export function takes(option: Option, value: unknown): boolean {
  switch (option.kind) {
    case "whole":
      return (
        Number.isSafeInteger(value) &&
        (value as number) >= option.from &&
        (value as number) <= (option.to ?? Number.MAX_SAFE_INTEGER)
      );
    case "number":
      return (
        typeof value === "number" &&
        value >= option.from &&
        value <= option.to &&
        !(option.below && value === option.to)
      );
    case "choice":
      return option.values.includes(value as string);
    case "flag":
      return typeof value === "boolean";
    case "text":
      return typeof value === "string" && value.trim() !== "";
  }
}

/**
 * Refuses values that are not declared or not allowed.
 *
 * @param whose `the model`, as the messages call the owner of the options
 */
export function checkValues(options: Options, given: GivenValues, whose: string): void {
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined) continue;
    if (!Object.hasOwn(options, name))
      throw new OptionError(`${whose} has no option "${name}"; it has ${Object.keys(options).join(", ")}`);
    if (!takes(options[name], value))
      throw new OptionError(
        `${whose}'s ${name} is ${expectedWords(options[name])}, not ${JSON.stringify(value)}`,
      );
  }
}

/** All values: those given, else the defaults; what has neither is left out. */
export function withDefaults(options: Options, given: GivenValues): Record<string, OptionValue> {
  const entries = Object.entries(options).flatMap(([name, option]) => {
    const value = given[name] ?? option.default;
    return value === undefined ? [] : [[name, value] as const];
  });
  return Object.fromEntries(entries);
}

/** The options that a user can give. */
export const givable = (options: Options): Options =>
  Object.fromEntries(Object.entries(options).filter(([, { found }]) => !found));

/** The values that are recorded: all but those that came later and are at their defaults. */
export function recordedValues<T extends GivenValues>(options: Options, values: T): T {
  const isTold = ([name, value]: readonly [string, unknown]) =>
    !(options[name]?.later && value === options[name].default);
  return Object.fromEntries(Object.entries(values).filter(isTold)) as T;
}

/** `local_steps` as it is written on the command line: `--local-steps`. */
export const flagOf = (name: string): string => `--${name.replaceAll("_", "-")}`;

/** `local_steps` as the library has it: `localSteps`. */
export const propertyOf = (name: string): string =>
  name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

/** The default as the help and the documentation say it; undefined where there is none to be said. */
export function defaultOf({ default: value, defaultWords }: Option): string | undefined {
  return defaultWords ?? (value === undefined || value === false ? undefined : String(value));
}
