import type { SeedRecord } from "../records/seed-record.js";
import {
  errorOfReference,
  finalRecords,
  overSeeds,
  referenceHeading,
  roundWords,
  seedsOf,
} from "./observations.js";
import { PAPER_SEEDS, PAPER_SUMMARY, paperTask } from "./paper-values.js";
import {
  inSetting,
  mainTasks,
  paperExcess,
  paperReferenceError,
  paperTitle,
  settingOf,
  taskTitle,
} from "./settings.js";
import { type Cell, countCell, intervalCell, meanCell, type Table, textCell } from "./table.js";

const ALPHA = 0.01;

/** Final results at alpha = 0.01 beside the paper's (tab:alpha001-summary). */
export function summaryTable(records: readonly SeedRecord[]): Table {
  return {
    name: "alpha-0.01-summary",
    title: "Results at α = 0.01",
    caption:
      `Results at α = ${ALPHA} after ${roundWords(records)}: means over seeds with sample standard deviations in ` +
      "parentheses. Errors and the 95 % Student-t interval of the excess error are in percentage points; D_θ is a relative " +
      "parameter distance. The reference's error is that of the same seeds. An interval that excludes zero is bold.",
    columns: [
      { heading: "Task", csv: ["task"], align: "left" },
      { heading: "Source", csv: ["source"], align: "left" },
      { heading: "D_sol", csv: ["d_sol", "d_sol_sd"] },
      { heading: "H_g^norm", csv: ["h_g_norm", "h_g_norm_sd"] },
      { heading: "D_θ", csv: ["d_theta", "d_theta_sd"] },
      { heading: referenceHeading(records), csv: ["reference_error_percent", "reference_error_percent_sd"] },
      { heading: "Δe_0.01", csv: ["excess_error", "excess_error_sd"] },
      { heading: "95 % CI", csv: ["excess_error_low", "excess_error_high"] },
      { heading: "Seeds", csv: ["seeds"] },
    ],
    groups: mainTasks(records.filter(({ alpha }) => alpha === ALPHA)).map((task) => rows(records, task)),
  };
}

function rows(records: readonly SeedRecord[], task: string): Cell[][] {
  const setting = settingOf(task);
  const runs = inSetting(finalRecords(records), setting);
  const excess = overSeeds(runs, ALPHA, "excess_error");
  const mean = (measurement: "d_sol" | "h_g_norm" | "d_theta") =>
    meanCell(overSeeds(runs, ALPHA, measurement));
  const seeds = seedsOf(runs.filter(({ alpha }) => alpha === ALPHA));
  const ours = [
    textCell(taskTitle(task)),
    textCell("here"),
    mean("d_sol"),
    mean("h_g_norm"),
    mean("d_theta"),
    meanCell(errorOfReference(runs.filter(({ seed }) => seeds.includes(seed)))),
    meanCell(excess),
    intervalCell(excess?.low, excess?.high),
    countCell(overSeeds(runs, ALPHA, "d_sol")?.seeds ?? 0),
  ];
  const paper = PAPER_SUMMARY[paperTask(task)];
  if (!paper) return [ours];
  const stated = paperExcess(setting, ALPHA);
  return [
    ours,
    [
      textCell(paperTitle(task)),
      textCell("paper"),
      // The paper states no standard deviations.
      ...[paper.d_sol, paper.h_g_norm, paper.d_theta, paperReferenceError(setting), stated?.mean].map(
        (mean) => meanCell(mean === undefined ? undefined : { mean, sd: null }),
      ),
      intervalCell(stated?.low, stated?.high),
      countCell(PAPER_SEEDS.length),
    ],
  ];
}
