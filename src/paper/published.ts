import type { Published } from "../analysis/published.js";
import { dividedGroups } from "./paper-groups.js";
import { paperSetting, sameSetting, settingOf } from "./settings.js";
import { PAPER_TASKS, paperTask, paperTitle, titleOf } from "./titles.js";
import {
  PAPER_ALPHAS,
  PAPER_PEARSON,
  PAPER_SEEDS,
  PAPER_SPEARMAN,
  PAPER_SUMMARY,
  paperDistances,
  paperExcess,
  paperReferenceError,
} from "./values.js";

/** The concentration of tab:alpha001-summary. */
const SUMMARY_ALPHA = 0.01;

/** The paper's values, for cases that have its settings. */
export const PAPER: Published = {
  source: "paper",
  seeds: PAPER_SEEDS.length,
  ranked: (PAPER_ALPHAS.length - 1) * PAPER_SEEDS.length,
  tasks: PAPER_TASKS,
  titleOf,
  ownTitle: ({ task }) => paperTitle(task),
  divided: dividedGroups,
  excess: (group, alpha) => paperExcess(paperSetting(group), alpha),
  referenceError: (group) => paperReferenceError(paperSetting(group)),
  means: (group, alpha) => {
    const isMain = sameSetting(paperSetting(group), settingOf(group.task));
    return isMain && alpha === SUMMARY_ALPHA ? PAPER_SUMMARY[paperTask(group.task)] : undefined;
  },
  pearson: ({ task }, relation) => PAPER_PEARSON[task]?.[relation],
  spearman: ({ task }, relation) => PAPER_SPEARMAN[paperTask(task)]?.[relation],
  distances: (task) => paperDistances(task).filter((entry) => entry.task !== undefined),
  distanceRanges: (tasks) => {
    const ranges = tasks.flatMap((task) => paperDistances(task).filter((entry) => entry.task === undefined));
    return [...new Set(ranges)];
  },
};
