import { OptionError } from "../errors.js";
import { exp } from "../numerics/elementary.js";
import { realNumber, text } from "../options/option.js";
import { logDirichlet } from "../random/dirichlet.js";
import { normal } from "../random/normal.js";
import { stream } from "../random/stream.js";
import type { DrawOptions } from "./partitioner.js";
import type { Units } from "./units.js";

type Law = (options: DrawOptions) => readonly number[];

const ofClients = (clients: number, weight: (client: number) => number): number[] =>
  Array.from({ length: clients }, (_, client) => weight(client));

/**
 * Laws of client sizes: weights in proportion to which the samples are divided. The first four depend on a client's number
 * alone, as in Flower; the others are drawn. Weights of `exponential` are relative to the last client's: e^1000 is no number.
 */
const LAWS: Readonly<Record<string, Law>> = {
  equal: ({ clients }) => ofClients(clients, () => 1),
  linear: ({ clients }) => ofClients(clients, (client) => client + 1),
  square: ({ clients }) => ofClients(clients, (client) => (client + 1) * (client + 1)),
  exponential: ({ clients }) => ofClients(clients, (client) => exp(client + 1 - clients)),
  lognormal: ({ clients, seed, values }) =>
    ofClients(clients, (client) => exp(Number(values.sigma) * normal(stream(seed, "sizes", client)))),
  dirichlet: ({ clients, seed, values }) => {
    const components = ofClients(clients, (client) => client).map((client) => stream(seed, "sizes", client));
    return [...logDirichlet(components, Number(values.size_alpha)).map(exp)];
  },
};

/** Names of the laws. */
export const SIZE_LAWS: readonly string[] = Object.keys(LAWS);

/** Options of partitioners whose clients have intended sizes. */
export const SIZE_OPTIONS = {
  sizes: text({
    default: "equal",
    expected: `${SIZE_LAWS.join(", ")}, or numbers with commas between them`,
    help: `samples per client: ${SIZE_LAWS.join(", ")}, or numbers or shares such as 500,300,200`,
  }),
  sigma: realNumber({
    from: 0,
    to: 10,
    default: 1,
    help: "spread of sizes that are lognormal",
  }),
  size_alpha: realNumber({
    from: 1e-3,
    to: 1e6,
    default: 1,
    help: "concentration of sizes that are a Dirichlet draw",
  }),
} as const;

/** Sizes that are given as numbers; undefined for a law. */
export function givenSizes(values: DrawOptions["values"]): readonly number[] | undefined {
  const words = String(values.sizes);
  if (Object.hasOwn(LAWS, words)) return undefined;
  const numbers = words.split(/[\s,]+/).filter((word) => word !== "");
  const sizes = numbers.map(Number);
  if (sizes.length === 0 || sizes.some((size) => !(size > 0) || !Number.isFinite(size)))
    throw new OptionError(
      `sizes are ${SIZE_LAWS.join(", ")}, or positive numbers such as 500,300,200, not "${words}"`,
    );
  return sizes;
}

/** Refuses sizes that do not fit the number of clients or of samples. */
export function checkSizes({ clients, values }: DrawOptions, samples: number): void {
  const given = givenSizes(values);
  if (given === undefined) return;
  if (given.length !== clients)
    throw new OptionError(`there are ${given.length} sizes for ${clients} clients: give one for each`);
  const total = given.reduce((a, b) => a + b, 0);
  if (!areShares(total) && (given.some((size) => !Number.isInteger(size)) || total !== samples))
    throw new OptionError(
      `the sizes sum to ${Number(total.toPrecision(6))}: they must sum to the ${samples} samples, or be shares that sum to 1`,
    );
}

const areShares = (total: number): boolean => Math.abs(total - 1) < 1e-9;

/** The intended number of samples of every client; they sum to all samples. */
export function intendedSizes(options: DrawOptions, units: Units): Int32Array {
  const weights = givenSizes(options.values) ?? LAWS[String(options.values.sizes)](options);
  const sizes = apportion(weights, units.samples);
  if (units.groups) {
    const largest = units.sizes.reduce((a, b) => Math.max(a, b));
    const smallest = sizes.reduce((a, b) => Math.min(a, b));
    if (largest > smallest)
      throw new OptionError(
        `a group of ${largest} samples stays together, but a client should hold ${smallest}: ` +
          "take fewer clients, or split groups with --group none",
      );
  }
  return sizes;
}

/** Whole numbers in proportion to weights that sum to a total: the largest remainders are rounded up. */
export function apportion(weights: readonly number[], total: number): Int32Array {
  const sum = weights.reduce((a, b) => a + b, 0);
  const exact = weights.map((weight) => (weight / sum) * total);
  const sizes = Int32Array.from(exact, Math.floor);
  const left = total - sizes.reduce((a, b) => a + b, 0);
  const byRemainder = [...exact.keys()].sort((a, b) => exact[b] - sizes[b] - (exact[a] - sizes[a]) || a - b);
  for (const client of byRemainder.slice(0, left)) sizes[client]++;
  return sizes;
}

/**
 * Cuts a sequence of units into consecutive blocks of the given numbers of samples. A unit belongs to the block that holds
 * its middle, so that units of one sample give blocks of exactly these sizes.
 *
 * @param receive called for every unit with the number of its block
 */
export function cutBySizes(
  sequence: ArrayLike<number>,
  unitSizes: Int32Array,
  sizes: ArrayLike<number>,
  receive: (unit: number, block: number) => void,
): void {
  let block = 0;
  let end = sizes[0];
  let before = 0;
  for (let i = 0; i < sequence.length; i++) {
    const middle = before + unitSizes[sequence[i]] / 2;
    while (middle >= end && block < sizes.length - 1) end += sizes[++block];
    receive(sequence[i], block);
    before += unitSizes[sequence[i]];
  }
}
