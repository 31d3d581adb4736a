import type { RunStyle } from "./run-styles.js";

/** A piece of a run's curve, as a key to the charts. */
export function RunLine({ color, dashes }: RunStyle) {
  return (
    <svg class="run-line" width="26" height="10" aria-hidden="true">
      <line
        x1="1"
        x2="25"
        y1="5"
        y2="5"
        stroke={color}
        stroke-width="2"
        stroke-dasharray={dashes.join(" ")}
      />
    </svg>
  );
}
