import type { SeedRecord } from "../../records/seed-record.js";
import { ABLATION_CLAIMS } from "./ablation-claims.js";
import {
  type Claim,
  type ClaimDefinition,
  type Counts,
  evidenceOf,
  LENIENT,
  type PartitionRow,
  type Tally,
  type Verdict,
} from "./claim.js";
import { CONTROLLED_CLAIMS } from "./controlled-claims.js";
import { DISTANCE_CLAIMS } from "./distance-claims.js";
import { PARTITION_CLAIMS, PUBLIC_PARTITION_CLAIMS } from "./partition-claims.js";
import { PUBLIC_CLAIMS } from "./public-claims.js";

/** The paper's claims in groups, in the order of its results. */
export const CLAIM_GROUPS: readonly {
  readonly title: string;
  readonly claims: readonly ClaimDefinition[];
}[] = [
  { title: "Partitions", claims: PARTITION_CLAIMS },
  { title: "Controlled tasks", claims: CONTROLLED_CLAIMS },
  { title: "Ablations", claims: ABLATION_CLAIMS },
  { title: "Solution distance and input distance", claims: DISTANCE_CLAIMS },
  { title: "Public tasks", claims: [...PUBLIC_PARTITION_CLAIMS, ...PUBLIC_CLAIMS] },
];

export interface ClaimGroup {
  readonly title: string;
  readonly claims: readonly Claim[];
}

/**
 * Every quantitative claim of the paper's results, judged by seed-level records as `distinctRecords` returns them; what
 * they do not reach is "not measured". Partitions speak for tasks that no run was trained on.
 */
export function claims(
  records: readonly SeedRecord[],
  partitions: readonly PartitionRow[] = [],
): ClaimGroup[] {
  const evidence = evidenceOf(records, partitions);
  return CLAIM_GROUPS.map(({ title, claims: definitions }) => ({
    title,
    claims: definitions.map(({ judge, headline = false, ...claim }) => ({
      ...claim,
      headline,
      parts: judge(evidence),
    })),
  }));
}

/** Claims without the parts that were not measured, and without those of which nothing is left. */
export function measured(groups: readonly ClaimGroup[]): ClaimGroup[] {
  return groups.flatMap(({ title, claims: all }) => {
    const left = all
      .map((claim) => ({
        ...claim,
        parts: claim.parts.filter(({ verdict }) => verdict !== "not measured"),
      }))
      .filter(({ parts }) => parts.length > 0);
    return left.length > 0 ? [{ title, claims: left }] : [];
  });
}

/** How many parts have each verdict. */
export function tally(groups: readonly ClaimGroup[]): Tally {
  const counted = groups
    .flatMap((group) => group.claims)
    .flatMap(({ rule, parts }) => parts.filter(({ variant }) => !variant).map((part) => ({ rule, ...part })));
  const count = (simulated: boolean, verdict: Verdict) =>
    counted.filter((part) => (part.simulated ?? false) === simulated && part.verdict === verdict).length;
  const counts = (simulated: boolean): Counts => ({
    holds: count(simulated, "holds"),
    "does not hold": count(simulated, "does not hold"),
    undecided: count(simulated, "undecided"),
    "too wide to tell": count(simulated, "too wide to tell"),
    "not measured": count(simulated, "not measured"),
  });
  return {
    ...counts(false),
    leniently: counted.filter(
      ({ simulated, verdict, rule }) => !simulated && verdict === "holds" && LENIENT.includes(rule),
    ).length,
    simulated: counts(true),
    byRepair: counted.filter(({ byRepair }) => byRepair).length,
  };
}
