import { alphasOf, finalRecords, withoutReference } from "../../analysis/observations.js";
import { atAlpha } from "../../analysis/seed-contrasts.js";
import {
  type MetricPanel,
  type MetricSeries,
  metricCurves,
  metricPoint,
} from "../../figures/metric-curves.js";
import { LEVEL_STYLES } from "../../figures/palette.js";
import { markerWords, seedSpread } from "../../figures/seed-spread.js";
import type { SeedRecord } from "../../records/seed-record.js";
import { ablationTasks } from "../ablation-tables.js";
import { type Ablation, inSetting, settingOf } from "../settings.js";
import { taskTitle } from "../titles.js";
import { paperExcess } from "../values.js";

export interface SettingCurves {
  readonly svg: string;
  /** The end of its caption: what means and markers are. */
  readonly words: string;
}

/** Final excess errors of an ablation's settings, one panel a task; undefined where nothing was varied. */
export function settingCurves(records: readonly SeedRecord[], ablation: Ablation): SettingCurves | undefined {
  const final = withoutReference(finalRecords(records));
  const counts: number[] = [];
  const panels = ablationTasks(final, ablation).map((task): MetricPanel => {
    const series = ablation.levels.flatMap(({ label, change }, i): MetricSeries[] => {
      const setting = settingOf(task, change);
      const runs = inSetting(final, setting);
      const points = alphasOf(runs).flatMap((alpha) => {
        const spread = seedSpread([...atAlpha(runs, alpha, "excess_error").values()]);
        if (!spread) return [];
        counts.push(spread.count);
        return [metricPoint(alpha, spread)];
      });
      const stated = alphasOf(final).flatMap((alpha) => {
        const value = paperExcess(setting, alpha)?.mean;
        return value === undefined ? [] : [{ alpha, low: value, high: value }];
      });
      const paper = stated.length > 0 ? stated : undefined;
      return points.length > 0 ? [{ name: label, points, style: LEVEL_STYLES[i], paper }] : [];
    });
    return { title: taskTitle(task), yLabel: "excess error (pp)", series };
  });
  const drawn = panels.filter(({ series }) => series.length > 0);
  if (drawn.length === 0) return undefined;
  const isCited = drawn.some(({ series }) => series.some(({ paper }) => paper !== undefined));
  return {
    svg: metricCurves({
      name: `${ablation.title}: excess error against the concentration α`,
      panels: drawn,
    }),
    words: `${markerWords(counts)}${isCited ? "; hollow markers are the paper's means" : ""}.`,
  };
}
