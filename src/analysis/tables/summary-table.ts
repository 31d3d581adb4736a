import type { Case } from "../cases.js";
import {
  alphasOf,
  errorOfReference,
  overSeeds,
  referenceHeading,
  roundWords,
  seedsOf,
  withoutReference,
} from "../observations.js";
import type { Published } from "../published.js";
import type { Subject } from "../subject.js";
import { type Cell, countCell, intervalCell, meanCell, type Table, textCell } from "./table.js";

/** Final results at the smallest concentration, beside published ones (tab:alpha001-summary). */
export function summaryTable({ records, cases, published }: Subject): Table {
  const alpha = alphasOf(withoutReference(cases.flatMap(({ final }) => final))).at(-1) ?? 0;
  return {
    name: `alpha-${alpha}-summary`,
    title: `Results at α = ${alpha}`,
    caption:
      `Results at α = ${alpha} after ${roundWords(records)}: means over seeds with sample standard deviations in ` +
      "parentheses. Errors and the 95 % Student-t interval of the excess error are in percentage points; D_θ is a relative " +
      "parameter distance. The reference's error is that of the same seeds. An interval that excludes zero is bold.",
    columns: [
      { heading: "Task", csv: ["task"], align: "left" },
      { heading: "Source", csv: ["source"], align: "left" },
      { heading: "D_sol", csv: ["d_sol", "d_sol_sd"] },
      { heading: "H_g^norm", csv: ["h_g_norm", "h_g_norm_sd"] },
      { heading: "D_θ", csv: ["d_theta", "d_theta_sd"] },
      { heading: referenceHeading(records), csv: ["reference_error_percent", "reference_error_percent_sd"] },
      { heading: `Δe_${alpha}`, csv: ["excess_error", "excess_error_sd"] },
      { heading: "95 % CI", csv: ["excess_error_low", "excess_error_high"] },
      { heading: "Seeds", csv: ["seeds"] },
    ],
    groups: cases
      .filter((one) => one.records.some((row) => row.alpha === alpha))
      .map((one) => rows(one, alpha, published)),
  };
}

function rows(one: Case, alpha: number, published: Published | undefined): Cell[][] {
  const { title, final } = one;
  const excess = overSeeds(final, alpha, "excess_error");
  const mean = (measurement: "d_sol" | "h_g_norm" | "d_theta") =>
    meanCell(overSeeds(final, alpha, measurement));
  const seeds = seedsOf(final.filter((row) => row.alpha === alpha));
  const ours = [
    textCell(title),
    textCell("here"),
    mean("d_sol"),
    mean("h_g_norm"),
    mean("d_theta"),
    meanCell(errorOfReference(final.filter(({ seed }) => seeds.includes(seed)))),
    meanCell(excess),
    intervalCell(excess?.low, excess?.high),
    countCell(seeds.length),
  ];
  const means = one.isPublished ? published?.means(one, alpha) : undefined;
  if (!published || !means) return [ours];
  const stated = published.excess(one, alpha);
  return [
    ours,
    [
      textCell(published.ownTitle(one)),
      textCell(published.source),
      // No standard deviations are stated.
      ...[means.d_sol, means.h_g_norm, means.d_theta, published.referenceError(one), stated?.mean].map(
        (value) => meanCell(value === undefined ? undefined : { mean: value, sd: null }),
      ),
      intervalCell(stated?.low, stated?.high),
      countCell(published.seeds),
    ],
  ];
}
