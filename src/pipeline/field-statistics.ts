import type { Fields } from "../datasets/fields.js";
import { fieldSize } from "../datasets/fields.js";

/** Values that are read at a time. */
const BLOCK = 1 << 20;

/** Statistics of one field. */
const STATISTICS: Readonly<Record<string, (field: ArrayLike<number>) => number>> = {
  mean: (field) => sumOf(field, (value) => value) / field.length,
  rms: (field) => Math.sqrt(sumOf(field, (value) => value * value) / field.length),
};

type Named = { readonly inputs?: Fields | undefined; readonly responses?: Fields | undefined };

/**
 * Attributes that all data have, for samples without parameters of their own: mean and root mean square of every sample's
 * input and response.
 */
export function statisticNames(fields: Named): string[] {
  const kinds = [...(fields.inputs ? ["input"] : []), ...(fields.responses ? ["response"] : [])];
  return kinds.flatMap((kind) => Object.keys(STATISTICS).map((name) => `${kind}-${name}`));
}

/** Whether an attribute of this name is a statistic of fields. */
export const isStatistic = (name: string): boolean => {
  const [kind, statistic, ...more] = name.split("-");
  return more.length === 0 && ["input", "response"].includes(kind) && Object.hasOwn(STATISTICS, statistic);
};

/** A statistic of every sample, by its name such as `input-rms`. */
export async function fieldStatistic(name: string, { inputs, responses }: Named): Promise<Float64Array> {
  const [kind, statistic] = name.split("-");
  const fields = (kind === "input" ? inputs : responses)!;
  const size = fieldSize(fields);
  const rows = Math.max(1, Math.floor(BLOCK / size));
  const found = new Float64Array(fields.samples);
  for (let start = 0; start < fields.samples; start += rows) {
    const end = Math.min(start + rows, fields.samples);
    const values = await fields.read(start, end);
    for (let i = start; i < end; i++)
      found[i] = STATISTICS[statistic](values.subarray((i - start) * size, (i - start + 1) * size));
  }
  return found;
}

function sumOf(values: ArrayLike<number>, term: (value: number) => number): number {
  let sum = 0;
  for (let i = 0; i < values.length; i++) sum += term(values[i]);
  return sum;
}
