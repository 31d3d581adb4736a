import { z } from "zod";
import { expectedWords, type Option, type Options, takes, type ValueOf } from "../options/option.js";

/** The schema of an option's value. Its error is what the value should have been; the reader makes a line of it. */
export function oneValue<O extends Option>(option: O): z.ZodType<ValueOf<O>> {
  return schemaOf(option) as unknown as z.ZodType<ValueOf<O>>;
}

function schemaOf(option: Option): z.ZodType {
  const error = ({ input }: { readonly input?: unknown }) =>
    option.kind === "whole" && Number(input) > Number.MAX_SAFE_INTEGER
      ? expectedWords({ ...option, to: option.to ?? Number.MAX_SAFE_INTEGER })
      : expectedWords(option);
  switch (option.kind) {
    case "whole": {
      const from = z.int({ error }).min(option.from, { error });
      return option.to === undefined ? from : from.max(option.to, { error });
    }
    case "number": {
      const from = z.number({ error }).min(option.from, { error });
      return option.below ? from.lt(option.to, { error }) : from.max(option.to, { error });
    }
    case "choice":
      return z.enum(option.values as [string, ...string[]], { error });
    case "flag":
      return z.boolean({ error });
    case "text":
      return z
        .union([z.string(), z.number()], { error })
        .transform(String)
        .refine((value) => takes(option, value), { error });
  }
}

/** A list without repetitions, with something in it. */
export const listOf = <T extends z.ZodType>(item: T, what: string) =>
  z
    .array(item, { error: `a list of ${what}` })
    .min(1, { error: `a non-empty list of ${what}` })
    .refine((values) => new Set(values.map((value) => JSON.stringify(value))).size === values.length, {
      error: `a list of ${what} without repetitions`,
    });

/** One value, or a list of them: an axis of the study. */
export const axis = <T extends z.ZodType>(item: T, what: string) =>
  z.preprocess((value) => (Array.isArray(value) ? value : [value]), listOf(item, what));

/** Values of declared options as a study has them: a list each. */
export type AxisValues<O extends Options> = { readonly [K in keyof O]?: readonly ValueOf<O[K]>[] };

/**
 * Declared options as fields of a study, each an axis; what is left out has its default, if that is a value. Studies of
 * earlier versions do not have options that came later.
 */
export const axesOf = (options: Options): Record<string, z.ZodType> =>
  mapped(options, (field, { default: usual, later }) =>
    usual === undefined || later ? field.optional() : field.default([usual]),
  );

/** The same without defaults: overrides of one entry. */
export const overridesOf = (options: Options): Record<string, z.ZodType> =>
  mapped(options, (field) => field.optional());

const optionAxis = (name: string, option: Option) => axis(oneValue(option), `values of ${name}`);

function mapped(
  options: Options,
  change: (field: ReturnType<typeof optionAxis>, option: Option) => z.ZodType,
): Record<string, z.ZodType> {
  const entries = Object.entries(options).map(([name, option]) => [
    name,
    change(optionAxis(name, option), option),
  ]);
  return Object.fromEntries(entries);
}

/** A map with these fields and no others. */
export const fields = <T extends z.ZodRawShape>(shape: T) =>
  z.strictObject(shape, {
    error: ({ code }) =>
      `${code === "unrecognized_keys" ? "the fields are" : "a map with the fields"} ${Object.keys(shape).join(", ")}`,
  });

/** The fields that a complaint about an unknown one lists. */
export const fieldsIn = (complaint: string): readonly string[] =>
  complaint.replace(/^the fields are /, "").split(", ");

/** All combinations of lists of values by name; the last name varies fastest. Names without a list are left out. */
export function combinations<T>(
  lists: Readonly<Record<string, readonly T[] | undefined>>,
): Readonly<Record<string, T>>[] {
  return Object.entries(lists).reduce<Record<string, T>[]>(
    (rows, [name, values]) =>
      values === undefined ? rows : rows.flatMap((row) => values.map((value) => ({ ...row, [name]: value }))),
    [{}],
  );
}
