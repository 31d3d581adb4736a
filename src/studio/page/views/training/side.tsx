import { RunEditor } from "./runs/run-editor.js";
import { usedStyles } from "./runs/used-styles.js";
import { SharedSettings } from "./shared-settings.js";
import { TrainButtons } from "./train-buttons.js";
import "./training.css";
import { wantedRuns } from "./state.js";

/** What can be set in this view. */
export function TrainingSide() {
  return (
    <>
      <TrainButtons />
      <RunEditor styles={usedStyles(wantedRuns.value.runs)} />
      <SharedSettings />
    </>
  );
}
