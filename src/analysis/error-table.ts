import type { SeedRecord } from "../records/seed-record.js";
import { alphasOf, finalRecords, haveReference, overSeeds, roundWords } from "./observations.js";
import { inSetting, mainTasks, settingOf, taskTitle } from "./settings.js";
import { ESTIMATE_PARTS, estimateCell, type Table, textCell } from "./table.js";

/** Test errors of the settings that have no reference, which tables of excess errors leave out. */
export function errorTable(records: readonly SeedRecord[]): Table {
  const tasks = mainTasks(records).filter((task) => !haveReference(inSetting(records, settingOf(task))));
  const runs = tasks.flatMap((task) => inSetting(finalRecords(records), settingOf(task)));
  const alphas = alphasOf(runs);
  return {
    name: "test-error",
    title: "Test error",
    caption:
      `Relative test error in per cent after ${roundWords(runs)} of runs that have no reference to be compared with: mean over ` +
      "seeds, sample standard deviation in parentheses, 95 % Student-t interval in brackets, number n of seeds.",
    columns: [
      { heading: "Task", csv: ["task"], align: "left" },
      ...alphas.map((alpha) => ({
        heading: `α = ${alpha}`,
        csv: ESTIMATE_PARTS.map((part) => `alpha_${alpha}${part}`),
      })),
    ],
    groups: tasks.map((task) => {
      const own = inSetting(runs, settingOf(task));
      const cells = alphas.map((alpha) =>
        estimateCell(overSeeds(own, alpha, "test_error", 100), { counted: true }),
      );
      // An error is never zero: that its interval excludes zero says nothing.
      return [[textCell(taskTitle(task)), ...cells.map((cell) => ({ ...cell, strong: false }))]];
    }),
  };
}
