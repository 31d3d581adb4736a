import { dSolErrorBound } from "../../diagnostics/small-counts.js";
import { DataError } from "../../errors.js";
import type { CostMatrix } from "../../numerics/cost-matrix.js";
import { type BinReach, fitNotes } from "../../partition/bins-elsewhere.js";
import { withFile } from "../own-partition.js";
import { checkBins } from "../statistics.js";
import { readSiteCounts, type SiteFacts } from "./site-counts.js";

/** A client of a federation that is known by its counts alone. */
export interface CountedClient {
  readonly name: string;
  readonly counts: readonly number[];
  /** File that states its counts, and what that file says of them. */
  readonly file: string;
  readonly facts?: SiteFacts;
}

/** The bins that counts are measured with. */
export interface GivenBins {
  readonly cost: CostMatrix;
  /** Where they come from. */
  readonly from: string;
  /** SHA-256 of the bins, and the seed of their fit; undefined where costs or centroids alone are known. */
  readonly sha256?: string;
  readonly seed?: number;
  /** How far the data lie that the bins were fitted to, if their file says it. */
  readonly fitted?: BinReach;
}

/** What is known of counts below a minimum. */
export interface SmallCounts {
  /** Counts that are 0, among all of sites with a minimum. */
  readonly zeros: number;
  readonly counts: number;
  /** By how much D_sol may differ from that of the true counts; undefined where the positions of the bins are not theirs. */
  readonly dSolError?: number;
}

/** Reads counts of several files as one federation. A client has one name, and all of them the same bins. */
export async function readClients(
  paths: readonly string[],
  options: { readonly key?: string },
): Promise<readonly CountedClient[]> {
  const clients: CountedClient[] = [];
  for (const path of paths) {
    const { counts, clientNames, facts } = await withFile(path, (file) => readSiteCounts(file, options));
    for (const [i, name] of clientNames.entries()) {
      const twice = clients.find((client) => client.name === name && (facts || client.file !== path));
      if (twice !== undefined)
        throw new DataError(
          `${twice.file === path ? `${path} has` : `${twice.file} and ${path} both have`} counts of ${name}` +
            `${twice.file === path ? " twice" : ""}: a client has a name of its own, and one row`,
        );
      clients.push({ name, counts: counts[i], file: path, facts });
    }
  }
  checkSameBins(clients);
  return clients;
}

/** Throws where clients were counted in other bins than those that they are measured with. */
export function checkClients(clients: readonly CountedClient[], { cost, from, sha256 }: GivenBins): void {
  for (const { name, counts, file, facts } of clients) {
    checkBins({ clientNames: [name], binNames: counts.map(String), counts: [counts] }, cost.size, file, from);
    if (facts && sha256 !== undefined && facts.binsSha256 !== sha256)
      throw new DataError(`${file} was counted in other bins than those of ${from}`);
  }
}

function checkSameBins(clients: readonly CountedClient[]): void {
  const known = clients.filter(({ facts }) => facts !== undefined);
  const other = known.find(({ facts }) => facts!.binsSha256 !== known[0].facts!.binsSha256);
  if (other !== undefined)
    throw new DataError(`${known[0].file} and ${other.file} were counted in different bins`);
  const first = clients[0];
  const odd = clients.find(({ counts }) => counts.length !== first.counts.length);
  if (odd !== undefined)
    throw new DataError(
      `${first.file} has ${first.counts.length} bins, but ${odd.file} has ${odd.counts.length}`,
    );
}

/** How much of a federation may be hidden by minimum counts; undefined where all counts are exact. */
export function smallCounts(
  clients: readonly CountedClient[],
  { cost, sha256 }: GivenBins,
): SmallCounts | undefined {
  const ruled = clients.filter(({ facts }) => facts !== undefined && facts.rule.minimum > 1);
  if (ruled.length === 0) return undefined;
  const all = ruled.flatMap(({ counts }) => counts);
  // The rule counts samples in the nearest bin, which other costs need not agree with.
  const isBounded = sha256 !== undefined && cost.metric;
  return {
    zeros: all.filter((count) => count === 0).length,
    counts: all.length,
    ...(isBounded && {
      dSolError: dSolErrorBound(
        clients.map(({ counts, facts }) => ({ counts, rule: facts?.rule })),
        cost,
      ),
    }),
  };
}

/** What should be known of counts before the numbers are believed, one sentence each. */
export function countWarnings(clients: readonly CountedClient[], bins: GivenBins): string[] {
  const { fitted, from, sha256 } = bins;
  const unknown = [...new Set(clients.flatMap(({ file, facts }) => (facts ? [] : [file])))];
  const unsaid =
    sha256 === undefined || unknown.length === 0
      ? []
      : [
          `${unknown.join(", ")} ${unknown.length === 1 ? "does" : "do"} not say in which bins samples were counted: taken for those of ${from}.`,
        ];
  const unfit = clients.flatMap(({ name, counts, facts }) =>
    fitted && facts?.fit
      ? fitNotes({ ...facts.fit, samples: sum(counts) }, fitted).map((note) => `${name}: ${note}`)
      : [],
  );
  return [...unsaid, ...unfit];
}

/** What minimum counts do to the numbers, in words. */
export function smallCountNote(clients: readonly CountedClient[], hidden: SmallCounts): string {
  const { zeros, counts, dSolError } = hidden;
  const effect = dSolError === undefined ? "" : ` This changes D_sol by at most ${dSolError.toPrecision(2)}.`;
  return `${ruleInWords(clients)}: ${zeros} of ${counts} counts are 0 and may hide samples that are counted in the nearest bin.${effect}`;
}

/** The minimum of sites in words: `3 of 4 clients share no count below 5 samples`. */
function ruleInWords(clients: readonly CountedClient[]): string {
  const rules = clients.flatMap(({ facts }) =>
    facts && facts.rule.minimum > 1 ? [`${facts.rule.minimum} ${facts.rule.contributors}`] : [],
  );
  const who =
    rules.length === clients.length ? `All ${rules.length}` : `${rules.length} of ${clients.length}`;
  return `${who} clients share no count below ${[...new Set(rules)].join(" or ")}`;
}

/** Mean distance of a response from its centroid, where all sites share it. */
export function meanDistance(clients: readonly CountedClient[]): number | undefined {
  let [total, samples] = [0, 0];
  for (const { counts, facts } of clients) {
    if (!facts?.fit) return undefined;
    total += sum(counts) * facts.fit.meanDistance;
    samples += sum(counts);
  }
  return total / samples;
}

const sum = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0);
