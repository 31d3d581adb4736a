import { alphaColor } from "../../../../../figures/palette.js";
import { takesAlpha } from "../../../../../partition/partitioners.js";
import { STUDIO_OPTIONS } from "../../../../settings.js";
import { Term } from "../../../parts/term.js";
import { change, settings } from "../../../state.js";
import { alphaAt, DIAL_MARKS, DIAL_STEPS, placeOnDial } from "./dial-places.js";

/** The track in the figures' colours of concentrations. */
const TRACK = `linear-gradient(to right, ${Array.from({ length: 13 }, (_, i) => alphaColor(alphaAt(i / 12))).join(", ")})`;

/** The dial: alpha from IID at the left to one bin a client at the right. The box takes any alpha. */
export function AlphaDial() {
  const { alpha, partitioner } = settings.value;
  const isTaken = takesAlpha(partitioner);
  const { from, to } = STUDIO_OPTIONS.alpha;
  return (
    <div class="setting dial" data-tour="alpha">
      <div class="name">
        <Term name="alpha" />
        {!isTaken && <span class="faint">{partitioner} takes none</span>}
        <input
          class="beside"
          type="number"
          aria-label="alpha, as a number"
          min={from}
          max={to}
          step="any"
          value={alpha}
          disabled={!isTaken}
          onChange={({ currentTarget }) => {
            if (currentTarget.value !== "" && currentTarget.validity.valid)
              change({ alpha: currentTarget.valueAsNumber });
            else currentTarget.value = String(alpha);
          }}
        />
      </div>
      <input
        type="range"
        aria-label="alpha"
        aria-valuetext={String(alpha)}
        min={0}
        max={DIAL_STEPS}
        step={1}
        disabled={!isTaken}
        style={{ background: TRACK }}
        value={Math.round(placeOnDial(alpha) * DIAL_STEPS)}
        onInput={({ currentTarget }) => change({ alpha: alphaAt(currentTarget.valueAsNumber / DIAL_STEPS) })}
      />
      <div class="dial-marks">
        {DIAL_MARKS.map((mark) => (
          <button
            key={mark}
            type="button"
            tabIndex={-1}
            disabled={!isTaken}
            aria-label={`alpha ${mark}`}
            style={{ left: `${100 * placeOnDial(mark)}%` }}
            onClick={() => change({ alpha: mark })}
          >
            {mark}
          </button>
        ))}
      </div>
      <div class="dial-ends faint small">
        <span>IID</span>
        <span>one bin a client</span>
      </div>
    </div>
  );
}
