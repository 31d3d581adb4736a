import { computed } from "@preact/signals";
import { RESULTS, type StudioSettings } from "../../../settings.js";
import { Term } from "../../parts/term.js";
import { change, settings } from "../../state.js";
import { levelStyles } from "./plots/level-styles.js";
import { PanelCard, panelHeight } from "./plots/panel-card.js";
import { WhenSeen } from "./plots/when-seen.js";
import { Figures } from "./report/figures.js";
import { ResultTable } from "./report/sortable-table.js";
import type { Panel } from "./results/comparisons.js";
import { type Measure, unitIn } from "./results/measures.js";
import { along, checkpoint, measure, panels, selected } from "./state.js";
import { STUDIES_WORDS } from "./words.js";

const TITLES: Readonly<Record<StudioSettings["results"], string>> = {
  plots: "Plots",
  table: "Table",
  figures: "Figures and report",
};

const styleOf = computed(() => (along.value ? levelStyles(along.value, panels.value) : () => undefined));

/** Results of the runs that the filter lets through, in one of three ways. */
export function Results() {
  const shown = settings.value.results;
  return (
    <section class="study-results" aria-label="Results">
      <fieldset class="study-segments">
        <legend class="visually-hidden">Show</legend>
        {RESULTS.map((name) => (
          <button
            key={name}
            type="button"
            aria-pressed={shown === name}
            onClick={() => change({ results: name })}
          >
            {TITLES[name]}
          </button>
        ))}
      </fieldset>
      {selected.value.length === 0 ? (
        <p class="notice">
          No run passes the filter.{" "}
          <button type="button" class="study-link" onClick={() => change({ filter: "" })}>
            Show all runs
          </button>
        </p>
      ) : shown === "plots" ? (
        <Plots />
      ) : shown === "table" ? (
        <ResultTable />
      ) : (
        <Figures />
      )}
    </section>
  );
}

/** What compares a run with its reference says nothing of the references themselves. */
function hasNews({ levels }: Panel, { name }: Measure): boolean {
  const isCompared = name === "excess_error" || name === "d_theta";
  return !isCompared || levels.some(({ alpha, rows }) => rows.some((row) => row.reference_alpha !== alpha));
}

/** Letters of a name that has room in its column. */
const ROOM = 20;
const hasLongNames = (all: readonly Panel[]): boolean =>
  all.some(({ levels }) => levels.some(({ label }) => label.length > ROOM));

function Plots() {
  const chosen = measure.value;
  if (!chosen) return null;
  const at = checkpoint.value === "all" ? "last" : checkpoint.value;
  const shown = panels.value.filter((panel) => hasNews(panel, chosen));
  return (
    <div
      class={`study-panel-cards ${hasLongNames(shown) ? "long-names" : ""} ${chosen.isTrained ? (shown.length <= 2 ? "few" : "") : "no-curves"}`}
    >
      <div class="study-panel-heads small">
        {chosen.isTrained && (
          <div>
            <Term name="study_curves">{`${STUDIES_WORDS[chosen.term].label}${unitIn(chosen)} over rounds`}</Term>
          </div>
        )}
        <div>
          <Term name="study_level" />
        </div>
        <div>
          <Term name="study_points" />
        </div>
        <div class="study-right">
          <Term name="study_mean" />
        </div>
        <div class="study-right study-change">
          <Term name="study_difference" />
        </div>
      </div>
      {shown.map((panel) => (
        <WhenSeen key={panel.title} height={panelHeight(panel, shown.length) + 40}>
          {() => (
            <PanelCard
              panel={panel}
              measure={chosen}
              checkpoint={at}
              styleOf={styleOf.value}
              panels={shown.length}
            />
          )}
        </WhenSeen>
      ))}
    </div>
  );
}
