import { computed } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { presentOf } from "../../loadable.js";
import { Progress } from "../../parts/status.js";
import { Term } from "../../parts/term.js";
import { settings } from "../../state.js";
import { EmptyStudies } from "./empty-studies.js";
import { Notices } from "./notices.js";
import { Results } from "./results.js";
import { countStates, gridRuns, STATE_WORDS, timeWords } from "./runs/grid-runs.js";
import { RunCard } from "./runs/run-card.js";
import { RunGrid, Square } from "./runs/run-grid.js";
import { followStudies, found, ownFile, planned, records, standings, table, titles, work } from "./state.js";
import "./studies.css";

const runs = computed(() => gridRuns(planned.value, standings.value, presentOf(table.value) ?? []));

/** Where a study stands, and its results. */
export function StudyPane() {
  useEffect(() => followStudies(), []);
  const isReading = table.value.kind === "loading" && presentOf(table.value) === undefined;
  if (runs.value.length === 0 && !isReading)
    return (
      <div class="study">
        <Notices />
        <EmptyStudies />
      </div>
    );
  return (
    <div class="study">
      <Notices />
      {isReading && <Progress words="Reading the table" />}
      {runs.value.length > 0 && <Standing />}
      <RunCard />
      {records.value.length > 0 && <Results />}
      {records.value.length === 0 && !isReading && (
        <p class="notice">
          No checkpoint was measured yet. Curves appear here with the first one, at round 0, as soon as the
          data are made.
        </p>
      )}
    </div>
  );
}

/** How many runs are in which state, and a square for each. */
function Standing() {
  const counts = countStates(runs.value);
  const { worker, left } = work.value;
  const all = runs.value.length;
  const finished = counts.get("finished") ?? 0;
  return (
    <section class="study-standing" aria-label="Progress" data-tour="study">
      <div class="study-standing-head">
        <h2 title={settings.value.study}>{titleWords()}</h2>
        <p class="small">
          <Term name="study_runs">{`${finished} of ${all} ${all === 1 ? "run" : "runs"} finished`}</Term>
          {worker !== null && finished < all && (
            <span class="faint">{left === null ? ", at work" : `, ${timeWords(left)} left`}</span>
          )}
          {worker === null && finished < all && counts.size > 0 && (
            <span class="faint">, nobody is at work: run the same command to resume</span>
          )}
        </p>
        <ul class="study-legend small" aria-label="States">
          {[...counts].length > 1 &&
            Object.entries(STATE_WORDS).map(([state, words]) => {
              const count = counts.get(state as keyof typeof STATE_WORDS);
              return (
                count !== undefined && (
                  <li key={state}>
                    <svg width="9" height="9" class={`study-run ${state}`} aria-hidden="true">
                      <Square state={state as keyof typeof STATE_WORDS} share={0.5} side={9} />
                    </svg>{" "}
                    {count} {words}
                  </li>
                )
              );
            })}
        </ul>
      </div>
      <RunGrid runs={runs.value} />
    </section>
  );
}

function titleWords(): string {
  if (ownFile.value !== undefined) return ownFile.value;
  if (titles.value.length > 0) return titles.value.join(", ");
  const { study } = settings.value;
  const known = presentOf(found.value)?.find(({ path }) => path === study);
  return known?.title ?? (study === "." ? "This folder" : study);
}
