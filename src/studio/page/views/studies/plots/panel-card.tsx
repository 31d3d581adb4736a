import { useMemo, useState } from "preact/hooks";
import { unmarked } from "../../../../../analysis/notation.js";
import { differenceCell, meanCell } from "../../../../../analysis/tables/table.js";
import { Mathematics } from "../../../parts/mathematics.js";
import type { Panel } from "../results/comparisons.js";
import { levelCurve } from "../results/level-curves.js";
import { type LevelSummary, levelSummaries } from "../results/level-summaries.js";
import { type Measure, unitOf } from "../results/measures.js";
import { STUDIES_WORDS } from "../words.js";
import { CurvePlot } from "./curve-plot.js";
import type { StyleOf } from "./level-styles.js";
import { Marker } from "./marker.js";
import { AXIS, ROW, SeedPlot } from "./seed-plot.js";

interface PanelCardProps {
  readonly panel: Panel;
  readonly measure: Measure;
  readonly checkpoint: number | "last";
  readonly styleOf: StyleOf;
  /** How many there are. */
  readonly panels: number;
}

/** Least height of the curves, by the number of panels: a few have the screen for themselves. */
const LEAST = [300, 300, 210, 150] as const;

/** Height of a panel; one of many levels is higher. */
export const panelHeight = ({ levels }: Panel, panels: number): number =>
  Math.max(LEAST[panels] ?? 128, levels.length * ROW + AXIS);
/** Highest curves: beside a long list of levels they stay where they can be read. */
const HIGHEST = 300;

/** One comparison: its levels over the rounds, and at one round seed by seed, in numbers and against the first. */
export function PanelCard({ panel, measure, checkpoint, styleOf, panels }: PanelCardProps) {
  const [active, setActive] = useState<string>();
  const summaries = useMemo(() => levelSummaries(panel, measure, checkpoint), [panel, measure, checkpoint]);
  const styles = useMemo(() => panel.levels.map(styleOf), [panel, styleOf]);
  const curves = useMemo(
    () =>
      panel.levels.map((level, i) => ({
        label: level.label,
        curve: levelCurve(level, measure),
        style: styles[i],
      })),
    [panel, measure, styles],
  );
  const isOverRounds = curves.some(({ curve: { points } }) => points.length > 1);
  const words = unmarked(STUDIES_WORDS[measure.term].label);
  const rounds = [...new Set(summaries.map(({ round }) => round))];
  return (
    <section
      class={`study-panel-card ${measure.isTrained ? "" : "no-curves"}`}
      aria-label={unmarked(panel.title)}
    >
      <h3>
        <span>
          <Mathematics text={panel.title} />
        </span>
        <span class="faint">
          {rounds.length === 1 ? `at round ${rounds[0]}` : `at rounds ${rounds.join(", ")}`},{" "}
          {seedWords(summaries)}
        </span>
      </h3>
      {measure.isTrained && !isOverRounds && <p class="faint small">Measured at one checkpoint so far.</p>}
      {measure.isTrained && isOverRounds && (
        <div class="study-curves">
          <CurvePlot
            curves={curves}
            isLogarithmic={measure.isLogarithmic ?? false}
            unit={unitOf(measure)}
            height={Math.min(HIGHEST, panelHeight(panel, panels))}
            label={`${words} over rounds: ${unmarked(panel.title)}`}
            active={active}
          />
        </div>
      )}
      <div class="study-levels">
        <ul class="study-names" onMouseLeave={() => setActive(undefined)}>
          {summaries.map(({ level }, i) => (
            <li
              key={level.label}
              title={unmarked(level.label)}
              class={level.label === active ? "active" : ""}
              onMouseEnter={() => setActive(level.label)}
            >
              <Marker style={styles[i]} />
              <span>
                <Mathematics text={level.label} />
              </span>
            </li>
          ))}
        </ul>
        <SeedPlot
          summaries={summaries}
          styles={styles}
          unit={unitOf(measure)}
          isLogarithmic={measure.isLogarithmic ?? false}
          label={`${words} of single seeds and their mean: ${unmarked(panel.title)}`}
          active={active}
        />
        <ul class="study-figures-of study-means">
          {summaries.map(({ level, summary }) => (
            <li key={level.label}>{meanCell(summary).text}</li>
          ))}
          <li class="faint">{measure.unit}</li>
        </ul>
        <ul class="study-figures-of study-changes">
          {summaries.map(({ level, change: changed, summary }, i) => {
            const { text, strong } = differenceCell(changed);
            return (
              <li key={level.label} class={strong ? "study-strong" : ""}>
                {i === 0 && summary ? <span class="faint">first</span> : text}
              </li>
            );
          })}
          <li class="faint">{measure.difference ?? measure.unit}</li>
        </ul>
      </div>
    </section>
  );
}

/** "5 seeds", or "3 to 5 seeds" where levels have different numbers. */
function seedWords(summaries: readonly LevelSummary[]): string {
  const counts = summaries.map(({ summary }) => summary?.seeds ?? 0);
  const [least, most] = [Math.min(...counts), Math.max(...counts)];
  return `${least === most ? "" : `${least} to `}${most} ${most === 1 ? "seed" : "seeds"}`;
}
