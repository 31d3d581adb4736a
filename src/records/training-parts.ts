import type { RecordedOptions } from "./run-record.js";

/**
 * Options that came later than the first names of runs. They are recorded where they are not the default alone, so that
 * earlier runs keep their names.
 */
const NAMED: readonly string[] = [
  ...["local_steps_min", "local_epochs", "second_moment", "client_schedule", "server_schedule", "local"],
  ...["participation", "sampling", "dropout", "weights"],
];

/** Letters of a value, at most: a folder's name holds all of them, and the hash tells the rest apart. */
const LONGEST = 24;

/** How a run trains beside its optimiser, as words of a name: `fedprox-mu-0.1`, `scaffold-I`, `participation-0.2`. */
export function trainingParts(options: RecordedOptions): string[] {
  const { name, ...values } = options.strategy ?? {};
  const [leading] = Object.entries(values);
  const others = NAMED.flatMap((option) => {
    const value = (options as Readonly<Record<string, unknown>>)[option];
    return value === undefined ? [] : [`${slug(option)}-${slug(value)}`];
  });
  return [...(name === undefined ? [] : [[slug(name), ...leadingWords(leading)].join("-")]), ...others];
}

/** The option that a strategy is known by, which is its first: a word as it is, a number with its name. */
function leadingWords(option: readonly [string, unknown] | undefined): string[] {
  if (option === undefined) return [];
  const [name, value] = option;
  return typeof value === "number" ? [slug(name), slug(value)] : [slug(value)];
}

const slug = (value: unknown): string =>
  String(value)
    .replace(/\.?[^A-Za-z0-9.]+/g, "-")
    .slice(0, LONGEST)
    .replace(/^[-.]+|[-.]+$/g, "");
