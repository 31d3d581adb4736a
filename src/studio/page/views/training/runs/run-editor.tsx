import { formatRuns, MOST_RUNS, type RunChanges } from "../../../../training/run-list.js";
import { PRESETS, runNames } from "../../../../training/run-names.js";
import { hasAlpha, runValues } from "../../../../training/run-values.js";
import { Mathematics } from "../../../parts/mathematics.js";
import { Term } from "../../../parts/term.js";
import { change, settings } from "../../../state.js";
import { wantedRuns } from "../state.js";
import { FieldList } from "./field-list.js";
import { RunLine } from "./run-line.js";
import type { RunStyle } from "./run-styles.js";

/** The runs to train, and what each changes of the settings of the page. */
export function RunEditor({ styles }: { readonly styles: readonly RunStyle[] }) {
  const { runs, problem } = wantedRuns.value;
  const names = runNames(settings.value, runs);
  const set = (next: readonly RunChanges[]) => change({ runs: formatRuns(next), detail: 0 });
  const preset = PRESETS.findIndex((one) => formatRuns(one.runs) === settings.value.runs);
  return (
    <div class="setting">
      <div class="name">
        <Term name="runs" />
      </div>
      <select
        aria-label="Choose runs"
        value={String(preset)}
        onChange={({ currentTarget }) => set(PRESETS[Number(currentTarget.value)].runs)}
      >
        {preset < 0 && <option value="-1">As below</option>}
        {PRESETS.map(({ name }, i) => (
          <option key={name} value={String(i)}>
            {name}
          </option>
        ))}
      </select>
      <div class="run-list">
        {runs.map((run, i) => (
          <details key={i}>
            <summary>
              {styles[i] && <RunLine {...styles[i]} />}
              <span>
                <Mathematics text={names[i]} />
              </span>
            </summary>
            <FieldList
              label={`run ${i + 1}`}
              fields={run}
              usual={runValues(settings.value, {})}
              onChange={(fields) => set(runs.map((one, k) => (k === i ? fields : one)))}
            />
            {runs.length > 1 && (
              <button type="button" class="plain" onClick={() => set(runs.filter((_, k) => k !== i))}>
                Remove this run
              </button>
            )}
          </details>
        ))}
      </div>
      {problem !== undefined && (
        <p class="notice warning small" role="alert">
          {problem}
        </p>
      )}
      <button
        type="button"
        class="plain"
        disabled={runs.length === 0 || runs.length >= MOST_RUNS}
        onClick={() => set([...runs, another(runs)])}
      >
        Add a run
      </button>
    </div>
  );
}

/** Concentrations that a new run may have. */
const ALPHAS = [100, 0.1, 0.01, 1, 10, 0.001, 1000];

/** A run like the last one, with a concentration that no other has, or another seed. */
function another(runs: readonly RunChanges[]): RunChanges {
  const last = runs.at(-1)!;
  const values = runValues(settings.value, last);
  if (!hasAlpha(values)) return { ...last, seed: Number(values.seed) + 1 };
  const taken = runs.map((run) => runValues(settings.value, run).alpha);
  return { ...last, alpha: ALPHAS.find((alpha) => !taken.includes(alpha))! };
}
