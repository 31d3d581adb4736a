import { DataError } from "../errors.js";

/** A partition that was made elsewhere. */
export interface ForeignPartition {
  /**
   * Client of each sample, from 0 to clientNames.length - 1. If `partial` is set, -1 marks a sample without a client.
   */
  readonly clientOfSample: Int32Array;
  /** Solution bin of each sample, if the file states it. */
  readonly binOfSample?: Int32Array;
  /** Client names from the file. Whole numbers are in numerical order, other names in natural order. */
  readonly clientNames: readonly string[];
}

/** Which samples a partition must cover. */
export interface Cover {
  /**
   * Number of samples in the dataset. Default: inferred from the file, for index lists as the largest index plus one.
   */
  readonly samples?: number;
  /** Whether the partition may leave out samples. Default false. */
  readonly partial?: boolean;
}

/** Samples of every client, by its name. No sample may be held twice; clients may be empty. */
export function partitionOfGroups(
  groups: ReadonlyMap<string, readonly number[]>,
  file: string,
  cover: Cover = {},
): ForeignPartition {
  const clientNames = inOrder(groups.keys());
  const held = clientNames.reduce((sum, client) => sum + groups.get(client)!.length, 0);
  if (held === 0) throw new DataError(`${file}: no client holds any sample`);
  const covered = checkCover(groups, clientNames, file, cover);
  const clientOfSample = new Int32Array(covered).fill(-1);
  clientNames.forEach((client, index) => {
    for (const sample of groups.get(client)!) clientOfSample[sample] = index;
  });
  return { clientOfSample, clientNames };
}

/**
 * The client of every sample, in the order of the samples. `clients` names those that may hold none. A partition that may
 * leave out samples may say -1, as our own arrays do.
 */
export function partitionOfColumn(
  column: readonly (string | number)[],
  file: string,
  { samples, partial, clients = [] }: Cover & { clients?: readonly string[] } = {},
): ForeignPartition {
  const isLeftOut = (client: string | number) => partial === true && Number(client) === -1;
  if (column.every(isLeftOut)) throw new DataError(`${file}: no client holds any sample`);
  if (samples !== undefined && column.length !== samples) {
    throw new DataError(
      `${file} names the client of ${column.length} samples, but the dataset has ${samples}`,
    );
  }
  const names = column.map((client, sample) =>
    isLeftOut(client) ? undefined : clientName(client, sample, file),
  );
  const clientNames = inOrder(new Set([...clients, ...names.filter((name) => name !== undefined)]));
  const indexOf = new Map(clientNames.map((client, index) => [client, index]));
  const clientOfSample = Int32Array.from(names, (name) => (name === undefined ? -1 : indexOf.get(name)!));
  return { clientOfSample, clientNames };
}

const WHOLE = /^\d+$/;

function clientName(client: string | number, sample: number, file: string): string {
  const name = String(client).trim();
  if (name === "") throw new DataError(`${file}: sample ${sample} has no client`);
  const number = Number(name);
  if (Number.isNaN(number) || (WHOLE.test(name) && !Number.isSafeInteger(number))) return name;
  if (!Number.isSafeInteger(number) || number < 0) {
    throw new DataError(
      `${file}: sample ${sample} has client ${name}, which is not a whole number from 0 on`,
    );
  }
  return String(number); // NumPy's savetxt writes 2.000000000000000000e+00
}

function inOrder(names: Iterable<string>): string[] {
  const list = [...names];
  if (list.every((name) => WHOLE.test(name))) return list.sort((a, b) => Number(a) - Number(b));
  const natural = new Intl.Collator("en", { numeric: true });
  return list.sort((a, b) => natural.compare(a, b) || (a < b ? -1 : 1));
}

/** Most times as many samples as are held that a partition may leave out: an absurd index must cost no memory. */
const MOST_LEFT_OUT = 1000;

/** The number of samples. Sorts all indices instead of marking them in an array: see above. */
function checkCover(
  groups: ReadonlyMap<string, readonly number[]>,
  clients: readonly string[],
  file: string,
  { samples, partial = false }: Cover,
): number {
  const sorted = Float64Array.from(clients.flatMap((client) => groups.get(client)!)).sort();
  const holders = (sample: number): string[] =>
    clients.flatMap((client) =>
      groups
        .get(client)!
        .filter((held) => held === sample)
        .map(() => client),
    );
  if (sorted[0] < 0)
    throw new DataError(`${file}: client ${holders(sorted[0])[0]} holds sample ${sorted[0]}`);
  const last = sorted[sorted.length - 1];
  if (samples !== undefined && last >= samples) {
    const outside = sorted.filter((sample) => sample >= samples);
    throw new DataError(
      `${file}: client ${holders(outside[0])[0]} holds sample ${outside[0]}, but the dataset has ${samples} samples` +
        `${outside.length > 1 ? ` (${outside.length} such indices)` : ""}`,
    );
  }
  const twice = sorted.filter((sample, i) => i > 0 && sample === sorted[i - 1]);
  if (twice.length > 0) {
    const [first, second] = holders(twice[0]);
    const where = first === second ? `twice by client ${first}` : `by clients ${first} and ${second}`;
    const more = twice.length > 1 ? ` (${twice.length} samples are held more than once)` : "";
    throw new DataError(`${file}: sample ${twice[0]} is held ${where}${more}`);
  }
  const total = samples ?? last + 1;
  const isSparse = samples === undefined && total > MOST_LEFT_OUT * sorted.length;
  if (sorted.length < total && (!partial || isSparse)) {
    const gap = sorted.findIndex((sample, i) => sample !== i);
    const missing = gap < 0 ? sorted.length : gap;
    const count = total - sorted.length;
    throw new DataError(
      `${file}: no client holds sample ${missing}${count > 1 ? ` (${count} of ${total} samples have none)` : ""}`,
    );
  }
  return total;
}
