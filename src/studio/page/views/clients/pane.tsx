import { useEffect } from "preact/hooks";
import { presentOf } from "../../loadable.js";
import { Progress } from "../../parts/status.js";
import { Term } from "../../parts/term.js";
import { theme } from "../../parts/theme-button.js";
import { bins, data, split } from "../../state.js";
import { DialCurves } from "./dial-curves/dial-curves.js";
import { DistanceScale } from "./distance/distance-scale.js";
import { Numbers } from "./distance/numbers.js";
import { HeatMap, Readout } from "./heat-map/heat-map.js";
import { PROPORTION_COLORS } from "./heat-map/proportion-colors.js";
import { PlanView } from "./plan/plan-view.js";
import { followDial, isLeftBehind, shownSplit } from "./state.js";
import "./clients.css";

/** The split, and what it is: who holds which bins, how far apart clients are, and what the dial does to it. */
export function ClientsPane() {
  useEffect(followDial, []);
  const shown = shownSplit.value;
  return (
    <div class="clients-view">
      <Waiting isQuiet={shown !== undefined} />
      {shown && (
        <div class={isLeftBehind.value ? "clients-grid is-behind" : "clients-grid"}>
          <section class="card heat" aria-label="Clients and bins">
            <header class="heat-head">
              <Readout split={shown} />
              <span class="ramp-key small faint">
                0
                <i style={{ background: PROPORTION_COLORS[theme.value].gradient }} />1{" "}
                <Term name="proportion" />
              </span>
            </header>
            <HeatMap split={shown} />
            <PlanView split={shown} />
          </section>
          <section class="card measured" aria-label="Measures of the split">
            <DistanceScale split={shown} />
            <Numbers split={shown} />
          </section>
          <section class="card curves" aria-label="Along the dial">
            <DialCurves split={shown} />
          </section>
        </div>
      )}
    </div>
  );
}

/** What is still computed, and why there is nothing, or nothing new. */
function Waiting({ isQuiet }: { readonly isQuiet: boolean }) {
  const steps = [data.value, bins.value, split.value];
  const failed = steps.find(({ kind }) => kind === "failed");
  if (failed?.kind === "failed")
    return (
      <p class="notice failed" role="alert">
        {failed.message}
        {isQuiet && <span class="left-behind">Below is the last split that was possible.</span>}
      </p>
    );
  const loading = steps.find(({ kind }) => kind === "loading");
  if (isQuiet) {
    // A thin line in a place of its own: nothing moves. Splits come too fast to be announced.
    const { words = "", done } = presentOf(split.value) && bins.value.kind === "loading" ? bins.value : {};
    return (
      <div class="quiet-progress">
        {words && (
          <i role="progressbar" aria-label={words} style={{ width: `${Math.round(100 * (done ?? 1))}%` }} />
        )}
      </div>
    );
  }
  if (loading?.kind === "loading") return <Progress words={loading.words} done={loading.done} />;
  return <p class="notice">Choose a task or open a file in the view Data: its samples are split here.</p>;
}
