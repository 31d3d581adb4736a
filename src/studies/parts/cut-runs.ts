import { replicaShape } from "../../federation/replicas/replicas.js";
import type { PlannedRun } from "../plan.js";
import { predictedNumbers } from "../progress.js";

/** What stays together when runs are cut into parts. */
export interface CutOptions {
  /** Whether runs are carried out as replicas of one program, as on a GPU: then runs of one shape stay together. */
  readonly isWide?: boolean;
}

type Runs = readonly PlannedRun[];

/**
 * Cuts runs into so many parts of about equal work. The cut depends on the runs alone, never on what is finished or on the
 * machine, so that processes that know nothing of each other agree on it. Runs of one seed, which share data and bins,
 * stay together, or those that are replicas of one program (`isWide`), as long as there are no more parts than such
 * groups; then the heaviest groups are halved. Parts are empty where there are more of them than runs.
 */
export function cutRuns(runs: Runs, parts: number, options: CutOptions = {}): readonly Runs[] {
  const groups = runGroups(runs, options);
  while (groups.length < parts) {
    const heaviest = groups.reduce((best, group, i) => (isHeavier(group, groups[best]) ? i : best), 0);
    if (!groups[heaviest] || groups[heaviest].length < 2) break;
    groups.splice(heaviest, 1, ...halves(groups[heaviest]));
  }
  const cut = evenCut(wholeWeights(groups.map(work)), parts);
  return cut.map(({ from, to }) => groups.slice(from, to).flat());
}

/** Groups of runs that should stay together, in the order of the plan. */
export function runGroups(runs: Runs, { isWide = false }: CutOptions = {}): Runs[] {
  const groups = new Map<string, PlannedRun[]>();
  for (const run of runs) {
    const key = isWide ? replicaShape(run.options) : sharedDataKey(run);
    const group = groups.get(key);
    if (group) group.push(run);
    else groups.set(key, [run]);
  }
  return [...groups.values()];
}

/** What runs have in common that train on the same samples in the same bins. */
function sharedDataKey({ options }: PlannedRun): string {
  const { task, parameters, data, dataSeed, seed, train, test } = options;
  return JSON.stringify([task, parameters, data?.sha256, dataSeed, seed, train, test]);
}

/** Numbers that the models of clients predict in all rounds: what the time of a run is in proportion to. */
const work = (runs: Runs): number =>
  runs.reduce((sum, { options }) => sum + options.rounds * predictedNumbers(options), 0);

/** Weights as whole numbers, whose sums are exact. */
function wholeWeights(weights: readonly number[]): number[] {
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  return weights.map((weight) => Math.ceil((weight / total) * 2 ** 40));
}

/** Groups of one run cannot be halved. */
const isHeavier = (one: Runs, other: Runs): boolean =>
  one.length > 1 && (other.length < 2 || work(one) > work(other));

/** Two halves; runs of one seed stay together where there are several seeds. */
function halves(group: Runs): [Runs, Runs] {
  const seeds = [...new Set(group.map(({ options }) => options.seed))];
  if (seeds.length === 1) {
    const middle = Math.ceil(group.length / 2);
    return [group.slice(0, middle), group.slice(middle)];
  }
  const first = new Set(seeds.slice(0, Math.ceil(seeds.length / 2)));
  return [
    group.filter(({ options }) => first.has(options.seed)),
    group.filter(({ options }) => !first.has(options.seed)),
  ];
}

/**
 * Cuts a row of whole weights into consecutive ranges such that the heaviest is as light as it can be: by bisection over the
 * limit that a range may weigh. No range is empty while another could give it something.
 */
export function evenCut(
  weights: readonly number[],
  parts: number,
): readonly { readonly from: number; readonly to: number }[] {
  let [low, high] = [Math.max(0, ...weights), weights.reduce((sum, weight) => sum + weight, 0)];
  while (low < high) {
    const limit = Math.floor((low + high) / 2);
    if (endsWithin(weights, limit, 1).length <= parts) high = limit;
    else low = limit + 1;
  }
  const ends = endsWithin(weights, high, parts);
  return Array.from({ length: parts }, (_, i) => ({
    from: i === 0 ? 0 : (ends[i - 1] ?? weights.length),
    to: ends[i] ?? weights.length,
  }));
}

/** Where ranges end that take as much as they can within a limit, but leave something for each of the `wanted` ones. */
function endsWithin(weights: readonly number[], limit: number, wanted: number): number[] {
  const ends: number[] = [];
  let sum = 0;
  for (const [i, weight] of weights.entries()) {
    const isNeeded = weights.length - i < wanted - ends.length;
    if (i > 0 && (sum + weight > limit || isNeeded)) {
      ends.push(i);
      sum = 0;
    }
    sum += weight;
  }
  return weights.length === 0 ? [] : [...ends, weights.length];
}
