import { useMemo, useRef } from "preact/hooks";
import { presentOf } from "../../../loadable.js";
import { partWords } from "../../../parts/field/chosen-part.js";
import { ColorBar } from "../../../parts/field/color-bar.js";
import { PanelView } from "../../../parts/field/panel-view.js";
import { responsePanels } from "../../../parts/field/response-panels.js";
import { sharedScales } from "../../../parts/field/shared-scales.js";
import { Mathematics } from "../../../parts/mathematics.js";
import { useSizeOf } from "../../../parts/size-of.js";
import { Term } from "../../../parts/term.js";
import { change, data, settings } from "../../../state.js";
import { percent } from "../numbers.js";
import { chosenRun, chosenSample, examples, picture, shownNames } from "../state.js";
import { type PredictedPart, predictedPart, sampleError } from "./predicted-part.js";

/** What the chosen run predicts for a test sample, beside the solution. */
export function PredictionCard() {
  const facts = presentOf(data.value);
  const shown = picture.value;
  const { part } = settings.value;
  const scales = useMemo(
    () => sharedScales(facts ? examples.value.flatMap((one) => responsePanels(facts, one)) : []),
    [facts, examples.value],
  );
  const predicted = useMemo(
    () => (facts && shown ? predictedPart(facts, shown, { part, scales }) : undefined),
    [facts, shown, part, scales],
  );
  return (
    <section class="card prediction-card" aria-label="Prediction">
      <header class="card-head">
        <h2>
          <Term name="prediction" /> of <Mathematics text={shownNames.value[chosenRun.value] ?? ""} />
        </h2>
        {predicted && <PartChoice {...predicted} />}
        <SampleStepper count={facts?.description.test ?? 0} />
      </header>
      <div class="prediction-body">
        {predicted && shown ? (
          <Panels part={predicted} error={sampleError(shown)} />
        ) : (
          <p class="faint">The chosen run's prediction for a test sample appears here as it learns.</p>
        )}
      </div>
    </section>
  );
}

function SampleStepper({ count }: { readonly count: number }) {
  const sample = chosenSample.value;
  const go = (to: number) => change({ sample: Math.max(0, Math.min(count - 1, to)) });
  return (
    <span class="stepper">
      <button
        type="button"
        class="plain"
        aria-label="Sample before"
        disabled={sample === 0}
        onClick={() => go(sample - 1)}
      >
        ‹
      </button>
      <label>
        test sample{" "}
        <input
          type="number"
          aria-label="Test sample"
          min={0}
          max={Math.max(0, count - 1)}
          value={sample}
          onChange={({ currentTarget }) => {
            if (currentTarget.value !== "" && currentTarget.validity.valid) go(currentTarget.valueAsNumber);
            else currentTarget.value = String(sample);
          }}
        />{" "}
        of {count}
      </label>
      <button
        type="button"
        class="plain"
        aria-label="Next sample"
        disabled={sample >= count - 1}
        onClick={() => go(sample + 1)}
      >
        ›
      </button>
    </span>
  );
}

function PartChoice({ choices, chosen }: Pick<PredictedPart, "choices" | "chosen">) {
  if (choices.length < 2) return null;
  return (
    <select
      aria-label="Part of the response"
      value={String(chosen)}
      onChange={({ currentTarget }) => change({ part: Number(currentTarget.value) + 1 })}
    >
      {choices.map((panel, i) => (
        <option key={i} value={String(i)}>
          {partWords(panel)}
        </option>
      ))}
    </select>
  );
}

/** Pixels beside a frame for its ticks and labels, below and above it, and of a bar of colours. */
const [BESIDE, AROUND, BAR] = [56, 60, 42];
const TALLEST = 240;

function Panels({ part, error }: { readonly part: PredictedPart; readonly error: number }) {
  const place = useRef<HTMLDivElement>(null);
  const size = useSizeOf(place);
  const [truth, prediction, difference] = part.panels;
  const frames = part.kind === "image" ? 3 : 2;
  const room = (size?.height ?? 0) - AROUND - (part.kind === "image" ? BAR : 0);
  const widest = ((size?.width ?? 0) / frames - BESIDE) / truth.aspect;
  const height = Math.round(Math.max(60, Math.min(TALLEST, room, widest)));
  const bar = Math.round(Math.max(90, Math.min(180, height * truth.aspect)));
  const errorWords = `Error: ${percent(error)}`;
  return (
    <div ref={place} class="panels">
      {size && part.kind === "image" && (
        <>
          <figure>
            <h3>Solution</h3>
            <PanelView panel={truth} scale={part.scales.values} height={height} />
            <ColorBar scale={part.scales.values} label={truth.quantity} width={bar} />
          </figure>
          <figure>
            <h3>Prediction</h3>
            <PanelView panel={prediction} scale={part.scales.values} height={height} />
          </figure>
          <figure data-error={error}>
            <h3>{errorWords}</h3>
            <PanelView panel={difference} scale={part.scales.errors} height={height} />
            <ColorBar scale={part.scales.errors} label="prediction − solution" width={bar} />
          </figure>
        </>
      )}
      {size && part.kind === "curve" && (
        <>
          <figure>
            <h3 class="curve-key">
              <i class="solid" /> Solution <i class="dashed" /> Prediction
            </h3>
            <PanelView
              panel={truth}
              height={height}
              others={[{ curve: part.panels[1].curve, class: "prediction" }]}
            />
          </figure>
          <figure data-error={error}>
            <h3>{errorWords}</h3>
            <PanelView panel={difference} height={height} />
          </figure>
        </>
      )}
    </div>
  );
}
