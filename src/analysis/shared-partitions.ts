import { type Case, commonDifferences, varyingSettings } from "./cases.js";

/**
 * The cases without those that train on the partitions of another case from the same start, such as other strategies: of
 * these the first stands for all, under what they have in common.
 */
export function withDistinctPartitions(cases: readonly Case[]): Case[] {
  const groups = new Map<string, Case[]>();
  for (const one of cases) {
    const rows = one.final.map(({ alpha, seed, d_sol, cv_n, eps_part, h_g_norm }) =>
      [alpha, seed, d_sol, cv_n, eps_part, h_g_norm].join(" "),
    );
    const key = [one.task, ...rows.sort()].join("\n");
    groups.set(key, [...(groups.get(key) ?? []), one]);
  }
  return [...groups.values()].map((group) => {
    if (group.length === 1) return group[0];
    const shown = group.find(({ isPublished }) => isPublished) ?? group[0];
    return { ...shown, title: commonTitle(group, cases) };
  });
}

/** The data of some cases, with what all of them have of the settings that vary. */
function commonTitle(group: readonly Case[], cases: readonly Case[]): string {
  const [{ task, dataTitle }] = group;
  const sets = varyingSettings(cases.filter((one) => one.task === task));
  return [dataTitle, ...commonDifferences(group, sets)].join(", ");
}
