import { DataError, OptionError } from "../../errors.js";
import { flag, realNumber, text } from "../../options/option.js";
import { normal } from "../../random/normal.js";
import { stream } from "../../random/stream.js";
import { apportion, cutBySizes } from "../client-sizes.js";
import type { AttributeValues, Draw, DrawOptions, Known, Partitioner } from "../partitioner.js";
import type { Units } from "../units.js";

/** Samples a value on average below which numbers are no names of clients. */
const FEWEST_PER_VALUE = 4;

/**
 * Clients by an attribute of the samples: one client per value, as a site has its own viscosity or file, or a contiguous
 * range of numbers per client. The strictness mixes ranges with noise: 1 is sorted, 0 is IID (Flower's
 * `ContinuousPartitioner`).
 */
export const by: Partitioner = {
  describe:
    "clients by an attribute: one per value (a parameter, a source file), or one per range of numbers",
  options: {
    by: text({
      expected: "the name of an attribute, such as viscosity or file",
      help: "attribute that makes the clients: an array with one value per sample, file for the source file, or input-rms",
    }),
    ranges: flag({
      defaultWords: "if you ask for fewer clients than there are values",
      help: "give each client a contiguous range of the numbers, not one value",
    }),
    strictness: realNumber({
      from: 0,
      to: 1,
      default: 1,
      help: "1 cuts sorted numbers into ranges, 0 ignores them, values between mix them with noise",
    }),
  },
  wants({ by: attribute }) {
    if (attribute === undefined)
      throw new OptionError("the partitioner by needs an attribute: --by <name>, such as viscosity or file");
    return { attribute: String(attribute) };
  },
  clientsOf(known, values, asked) {
    const kind = kindOf(attributeOf(known, values), values, asked);
    return kind.isRanges ? asked : kind.distinct.length;
  },
  keepsClients: true,
  draw(units, options, known) {
    const attribute = attributeOf(known, options.values);
    const { isRanges, distinct } = kindOf(attribute, options.values, options.clients);
    if (isRanges) return ranges(units, attribute as ArrayLike<number>, options);
    const clientOf = new Map(distinct.map((value, client) => [value, client]));
    return {
      clientOfUnit: Int32Array.from(attribute as ArrayLike<number>, (value) => clientOf.get(value)!),
      clientNames: distinct.map((value) => `${options.values.by} = ${shortest(value)}`),
      notes: [`Clients are the ${distinct.length} values of ${options.values.by}.`],
    };
  },
};

function attributeOf({ attribute }: Known, { by: name }: DrawOptions["values"]): AttributeValues {
  if (!attribute) throw new DataError(`the data have no attribute "${name}"`);
  return attribute;
}

/** Whether clients are ranges of numbers or single values, and what these are, in order. */
function kindOf(
  attribute: AttributeValues,
  { by: name, ranges: asRanges, strictness }: DrawOptions["values"],
  clients: number | undefined,
): { readonly isRanges: boolean; readonly distinct: readonly (number | string)[] } {
  const values = Array.from(attribute as ArrayLike<number | string>);
  const unknown = values.findIndex((value) => typeof value === "number" && !Number.isFinite(value));
  if (unknown >= 0) throw new DataError(`${name} of sample ${unknown} is ${values[unknown]}`);
  const distinct = [...new Set(values)].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  if (distinct.length === 1)
    throw new OptionError(`${name} is ${distinct[0]} for all samples: it cannot make clients`);
  const areNumbers = values.every((value) => typeof value === "number");
  const wantsRanges = asRanges === true || Number(strictness) < 1;
  if (wantsRanges && !areNumbers)
    throw new OptionError(`${name} has names, not numbers: it has no ranges, and no strictness`);
  if (wantsRanges || (areNumbers && asRanges !== false && clients !== undefined && clients < distinct.length))
    return { isRanges: true, distinct };
  if (clients !== undefined && clients > distinct.length)
    throw new OptionError(`${name} has ${distinct.length} values, which cannot make ${clients} clients`);
  if (clients !== undefined && clients < distinct.length)
    throw new OptionError(
      `${name} has ${distinct.length} values, each a client: leave out --clients, or ask for ${distinct.length}`,
    );
  if (clients === undefined && areNumbers && values.length < FEWEST_PER_VALUE * distinct.length)
    throw new OptionError(
      `${name} has ${distinct.length} values for ${values.length} samples: say how many clients share its range (--clients 10)`,
    );
  return { isRanges: false, distinct };
}

/** A value with the digits that tell it from others: 0.1, not 0.10000000149011612 of a float32. */
function shortest(value: number | string): string {
  if (typeof value === "string" || Math.fround(value) !== value) return String(value);
  const short = Number(value.toPrecision(7));
  return String(Math.fround(short) === value ? short : value);
}

/** Sorts units by their value, mixed with noise below strictness 1, and cuts them into clients of equal sizes. */
function ranges(units: Units, attribute: ArrayLike<number>, { clients, seed, values }: DrawOptions): Draw {
  const strictness = Number(values.strictness);
  const keys = strictness === 1 ? Float64Array.from(attribute) : mixedWithNoise(attribute, strictness, seed);
  const sorted = Int32Array.from(keys.keys()).sort((a, b) => keys[a] - keys[b] || a - b);
  const sizes = apportion(new Array(clients).fill(1), units.samples);
  const clientOfUnit = new Int32Array(units.count);
  cutBySizes(sorted, units.sizes, sizes, (unit, client) => {
    clientOfUnit[unit] = client;
  });
  const exactly = strictness === 1 ? "" : `, with strictness ${strictness}`;
  return {
    clientOfUnit,
    sizes,
    notes: [`Each client has a contiguous range of ${values.by}${exactly}.`],
  };
}

/** Standardised values and standard normal noise, in the given proportion. */
function mixedWithNoise(attribute: ArrayLike<number>, strictness: number, seed: number): Float64Array {
  const largest = Array.from(attribute, Math.abs).reduce((a, b) => Math.max(a, b));
  const numbers = Float64Array.from(attribute, (value) => value / largest); // squares of 1e200 would overflow
  const mean = numbers.reduce((a, b) => a + b, 0) / numbers.length;
  const variance = numbers.reduce((sum, value) => sum + (value - mean) * (value - mean), 0) / numbers.length;
  const noise = stream(seed, "strictness");
  return numbers.map(
    (value) => (strictness * (value - mean)) / Math.sqrt(variance) + (1 - strictness) * normal(noise),
  );
}
