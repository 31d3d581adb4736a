import { alphasOf, withoutReference } from "./observations.js";
import type { Subject } from "./subject.js";

/** How many seeds agree on the sign of the excess error at the smallest concentration, a sentence for every case. */
export function seedSigns({ cases, published }: Subject): string[] {
  return cases.flatMap((one) => {
    const runs = withoutReference(one.final);
    const alpha = alphasOf(runs).at(-1);
    const values = runs
      .filter((run) => run.alpha === alpha)
      .map((run) => run.excess_error)
      .filter(Number.isFinite);
    if (values.length === 0) return [];
    const above = values.filter((value) => value > 0).length;
    const isFew = published !== undefined && one.isPublished && values.length < published.seeds;
    const few = isFew ? ` (the ${published.source} has ${published.seeds})` : "";
    return [
      `${one.title}: the excess error at α = ${alpha} is positive for ${above} of ${values.length} seeds${few}.`,
    ];
  });
}
