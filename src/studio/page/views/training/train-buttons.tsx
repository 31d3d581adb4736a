import { data, settings } from "../../state.js";
import { pace, pause, phase, play, reset, step, wantedRuns } from "./state.js";

/** Start, pause, one round, and back to the start. */
export function TrainButtons() {
  const isReady = data.value.kind === "ready" && wantedRuns.value.problem === undefined;
  const now = phase.value;
  const isDone = pace.value.round >= settings.value.rounds;
  const isBusy = now === "opening" || now === "pausing";
  const canGo = isReady && !isBusy && !(now !== "idle" && isDone);
  return (
    <div class="train-buttons" data-tour="train">
      {now === "playing" ? (
        <button type="button" class="primary" onClick={pause}>
          Pause
        </button>
      ) : (
        <button type="button" class="primary" disabled={!canGo} onClick={play}>
          {now === "opening"
            ? "Preparing"
            : now === "pausing"
              ? "Pausing"
              : now === "idle"
                ? "Start"
                : isDone
                  ? "Done"
                  : "Continue"}
        </button>
      )}
      <button
        type="button"
        class="plain"
        title="One round of all runs"
        disabled={!isReady || isBusy || now === "playing"}
        onClick={step}
      >
        Step
      </button>
      <button type="button" class="plain" disabled={now === "idle"} onClick={reset}>
        Reset
      </button>
    </div>
  );
}
