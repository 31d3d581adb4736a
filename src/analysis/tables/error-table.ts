import { alphasOf, haveReference, overSeeds, roundWords } from "../observations.js";
import type { Subject } from "../subject.js";
import { ESTIMATE_PARTS, estimateCell, type Table, textCell } from "./table.js";

/** Test errors of the cases that have no reference, which tables of excess errors leave out. */
export function errorTable({ cases }: Subject): Table {
  const alone = cases.filter(({ records }) => !haveReference(records));
  const runs = alone.flatMap(({ final }) => final);
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
    groups: alone.map(({ title, final }) => {
      const cells = alphas.map((alpha) =>
        estimateCell(overSeeds(final, alpha, "test_error", 100), { counted: true }),
      );
      // An error is never zero: that its interval excludes zero says nothing.
      return [[textCell(title), ...cells.map((cell) => ({ ...cell, strong: false }))]];
    }),
  };
}
