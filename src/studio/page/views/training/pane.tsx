import { useEffect } from "preact/hooks";
import { presentOf } from "../../loadable.js";
import { Progress } from "../../parts/status.js";
import { data, settings } from "../../state.js";
import { CurveCards } from "./curves/curve-cards.js";
import { duration } from "./numbers.js";
import { PredictionCard } from "./prediction/prediction-card.js";
import { RunTable } from "./runs/run-table.js";
import { usedStyles } from "./runs/used-styles.js";
import {
  failure,
  followTraining,
  isLeftBehind,
  openRuns,
  pace,
  phase,
  plan,
  preparing,
  shownRuns,
} from "./state.js";
import { UpdatesCard } from "./updates/updates-card.js";
import "./training.css";

/** Runs that train side by side: their curves, their latest values, and the chosen one in detail. */
export function TrainingPane() {
  useEffect(followTraining, []);
  const styles = usedStyles(shownRuns.value);
  return (
    <div class="training-view">
      <StatusLine />
      <CurveCards styles={styles} />
      <section class="card table-card" aria-label="Runs">
        <RunTable styles={styles} />
      </section>
      <div class="details">
        <PredictionCard />
        <UpdatesCard styles={styles} />
      </div>
    </div>
  );
}

/** What training is doing, and what stands in its way. */
function StatusLine() {
  return (
    <div class="status-line">
      {failure.value !== undefined && (
        <p class="notice failed" role="alert">
          {failure.value}
        </p>
      )}
      <Doing />
    </div>
  );
}

function Doing() {
  const known = data.value;
  if (known.kind === "failed")
    return (
      <p class="notice failed" role="alert">
        {known.message}
      </p>
    );
  if (known.kind === "loading" && presentOf(known) === undefined)
    return <Progress words={known.words} done={known.done} />;
  if (known.kind === "empty")
    return (
      <p class="notice">Choose a task or open a file in the view Data: models are trained on it here.</p>
    );
  switch (phase.value) {
    case "opening":
      return <Progress words={preparing.value.words} done={preparing.value.done} />;
    case "idle":
      return <BeforeStart />;
    default:
      return <Rounds />;
  }
}

/** Milliseconds of a round that are long enough to be told beforehand. */
const LONG = 1000;

function BeforeStart() {
  const plans = presentOf(plan.value)?.filter((one) => typeof one === "object") ?? [];
  const slowest = Math.max(0, ...plans.map(({ seconds }) => 1000 * seconds));
  const isSmaller = plans.some((one) => one.isSmaller);
  return (
    <p class="faint about">
      Press Start: the runs train side by side in this page, one round of each in turn. Nothing leaves your
      machine.
      {slowest > LONG &&
        ` A round takes about ${duration(slowest)} a run here: take smaller batches, or fewer local steps or clients.`}
      {isSmaller && " Models are smaller than those of the commands; Model size changes that."}
    </p>
  );
}

function Rounds() {
  const { round, rate } = pace.value;
  const { rounds } = settings.value;
  const runs = openRuns.value?.runs.length ?? 1;
  const isMoving = phase.value === "playing" && Number.isFinite(rate);
  return (
    <div class="rounds">
      <span data-measure="round">
        Round <b>{round}</b> of {rounds}
      </span>
      <div
        class="progress"
        role="progressbar"
        aria-label="Rounds"
        aria-valuemin={0}
        aria-valuemax={rounds}
        aria-valuenow={round}
      >
        <i style={{ width: `${Math.min(100, (100 * round) / rounds)}%` }} />
      </div>
      {isLeftBehind.value ? (
        <span class="changed" role="status">
          Settings changed: reset to train these.
        </span>
      ) : (
        <span class="faint rate" data-measure="rate">
          {isMoving
            ? `${shortRate(rate * runs)} rounds/s${runs > 1 ? `, ${shortRate(rate)} of each run` : ""}`
            : WORDS[phase.value]}
        </span>
      )}
    </div>
  );
}

const WORDS: Readonly<Record<string, string>> = {
  playing: "",
  pausing: "pausing",
  paused: "paused",
  ended: "done",
};

const shortRate = (rate: number): string => (rate < 10 ? rate.toFixed(1) : String(Math.round(rate)));
