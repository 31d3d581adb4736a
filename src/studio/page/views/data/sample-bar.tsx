import { Switch } from "../../parts/fields.js";
import { Term } from "../../parts/term.js";
import { change } from "../../state.js";
import { facts, goTo, samplesOf, shownHalf, shownSample } from "./state.js";

/** Goes through the samples of a half: slider, arrows, a number. */
export function SampleBar() {
  const found = facts.value;
  if (!found) return null;
  const [half, sample] = [shownHalf.value, shownSample.value];
  const count = samplesOf(found, half);
  const { train, test } = found.description;
  return (
    <div class="sample-bar">
      <Switch
        label="Half of the data"
        value={half}
        onChange={(chosen) => change({ half: chosen, sample: 0 })}
        values={[
          { value: "train", words: `Training ${train}` },
          { value: "test", words: `Test ${test}`, isDisabled: test === 0 },
        ]}
      />
      <Term name="sample" />
      <button
        type="button"
        class="plain"
        aria-label="Previous sample"
        disabled={sample === 0}
        onClick={() => goTo(sample - 1)}
      >
        ‹
      </button>
      <input
        type="range"
        aria-label="Sample"
        aria-valuetext={`sample ${sample} of ${count}`}
        min={0}
        max={Math.max(0, count - 1)}
        step={1}
        value={sample}
        onInput={({ currentTarget }) => goTo(currentTarget.valueAsNumber)}
      />
      <button
        type="button"
        class="plain"
        aria-label="Next sample"
        disabled={sample >= count - 1}
        onClick={() => goTo(sample + 1)}
      >
        ›
      </button>
      <input
        class="number"
        type="number"
        aria-label="Sample, as a number"
        min={0}
        max={count - 1}
        value={sample}
        onChange={({ currentTarget }) => {
          if (currentTarget.value !== "") goTo(Math.round(currentTarget.valueAsNumber));
          currentTarget.value = String(shownSample.value);
        }}
      />
      <span class="faint">of {count}</span>
    </div>
  );
}

const STEPS: Readonly<Record<string, number>> = { ArrowRight: 1, ArrowLeft: -1 };

/** Arrow keys go through samples, unless they mean something to what has the focus. */
export function moveBetweenSamples(event: KeyboardEvent): void {
  const step = STEPS[event.key];
  if (step === undefined || event.altKey || event.ctrlKey || event.metaKey || event.defaultPrevented) return;
  const at = event.target as HTMLElement | null;
  if (at?.closest("input, select, textarea, [role=tab], [role=dialog], dialog, [contenteditable]")) return;
  goTo(shownSample.value + step);
  event.preventDefault();
}
