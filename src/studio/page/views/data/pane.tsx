import { useEffect, useMemo } from "preact/hooks";
import { isSource, sourceOf } from "../../../../datasets/sources.js";
import { extent } from "../../../../figures/samples/extent.js";
import { drawnPanels, isOneNumber, measuredOf } from "../../../drawn-sample.js";
import type { DataFacts, SampleView } from "../../../lab/lab.js";
import type { RangesView } from "../../../lab/value-ranges.js";
import { messageOf } from "../../loadable.js";
import { shortNumber } from "../../parts/field/readout.js";
import { Mathematics } from "../../parts/mathematics.js";
import { Progress } from "../../parts/status.js";
import { data, NO_DATA, settings } from "../../state.js";
import { withVariables } from "./equation.js";
import { Facts } from "./facts.js";
import { FileArrays } from "./file-arrays.js";
import { FileQuestion } from "./file-question.js";
import { Neighbours, tellingPanel } from "./neighbours.js";
import { OpenFile } from "./open-file.js";
import { moveBetweenSamples, SampleBar } from "./sample-bar.js";
import { scalesOf } from "./sample-colors.js";
import { SamplePicture } from "./sample-picture.js";
import {
  facts,
  followSamples,
  parts,
  ranges,
  sampleProblem,
  shownHalf,
  shownSample,
  viewOf,
} from "./state.js";
import "./data.css";

/** The data: a sample at a time, what is known of them, and how a file is read. */
export function DataPane() {
  useEffect(() => {
    followSamples();
    document.addEventListener("keydown", moveBetweenSamples);
    return () => document.removeEventListener("keydown", moveBetweenSamples);
  }, []);
  const found = facts.value;
  if (data.value.kind === "failed") return <Failed message={data.value.message} />;
  if (!found) return <Progress words="Opening the data" />;
  return (
    <div class="data-view">
      <header>
        <h2>{found.description.title}</h2>
        <p class="faint">
          <Mathematics text={equationOf(found)} />
        </p>
      </header>
      <SampleBar />
      <Sample facts={found} />
      <Facts facts={found} />
      {found.origin.kind === "file" && <FileArrays />}
    </div>
  );
}

function Failed({ message }: { readonly message: string }) {
  if (message === NO_DATA) return <OpenFile />;
  if (settings.value.task === "") return <FileQuestion message={message} />;
  return (
    <p class="notice failed" role="alert">
      {message}
    </p>
  );
}

function equationOf({ origin, description }: DataFacts): string {
  if (origin.kind === "file") return origin.name === description.title ? "" : origin.name;
  return isSource(description.name) ? withVariables(sourceOf(description.name).equation) : "";
}

/** The sample that is shown, with those around it. */
function Sample({ facts: found }: { readonly facts: DataFacts }) {
  const [half, sample] = [shownHalf.value, shownSample.value];
  const view = viewOf(half, sample);
  const known = ranges.value;
  const isShared = settings.value.scale === "data";
  const chosen = parts.value;
  const drawn = useMemo(() => {
    if (!view) return undefined;
    try {
      const panels = drawnPanels(found, view, chosen);
      const all = [...panels.input, ...panels.response];
      return { panels, scales: scalesOf(all, isShared ? known : ownRanges(found, view, chosen.channel)) };
    } catch (error) {
      return { problem: messageOf(error) };
    }
  }, [found, view, chosen, known, isShared]);
  const problem = sampleProblem.value ?? drawn?.problem;
  if (problem !== undefined)
    return (
      <p class="notice failed sample-place" role="alert">
        {problem}
      </p>
    );
  if (!view || !drawn?.panels || !known)
    return (
      <div class="sample-place">
        <Progress
          words={found.origin.kind === "task" ? `Simulating sample ${sample}` : `Reading sample ${sample}`}
        />
      </div>
    );
  const { panels, scales } = drawn;
  const like = tellingPanel(panels.response);
  return (
    <div class="sample-place">
      <Remarks facts={found} view={view} />
      <SamplePicture
        panels={panels}
        scales={scales}
        label={`Sample ${sample} for ${half === "train" ? "training" : "testing"}`}
      />
      {like && <Neighbours facts={found} like={like} scales={scales} />}
    </div>
  );
}

/** What the values of one sample span, with all of its frames and planes: nothing is cut off. */
function ownRanges(found: DataFacts, view: SampleView, channel: string): RangesView {
  const all = measuredOf(found, view, channel);
  const quantities = new Set(all.map(({ quantity }) => quantity));
  const spans = [...quantities].map((quantity) => {
    const ends = all.filter((one) => one.quantity === quantity).flatMap(({ values }) => extent(values));
    const [low, high] = [Math.min(...ends), Math.max(...ends)];
    return [quantity, { low, high, most: [low, high], reach: Math.max(-low, high) }] as const;
  });
  return { ranges: Object.fromEntries(spans), looked: 1, samples: 1, isPartial: false };
}

/** What a picture does not say: an input of one number, and values that are no numbers. */
function Remarks({ facts: { description }, view }: { readonly facts: DataFacts; readonly view: SampleView }) {
  const { input, response } = view;
  const lacking = [...(input ? missing("input", input) : []), ...missing("response", response)];
  const isNumber = input !== undefined && isOneNumber(description.inputs);
  if (!isNumber && lacking.length === 0) return null;
  return (
    <p class="remarks">
      {isNumber && `${description.inputs.label} = ${shortNumber(input[0])} `}
      {lacking.length > 0 && <span class="lacking">{lacking.join(". ")}.</span>}
    </p>
  );
}

function missing(which: string, values: ArrayLike<number>): string[] {
  let count = 0;
  for (let i = 0; i < values.length; i++) if (!Number.isFinite(values[i])) count++;
  if (count === 0) return [];
  const part = count === values.length ? "All values" : `${count} of ${values.length} values`;
  return [`${part} of this ${which} are not finite (NaN or infinite). Pictures show NaN in grey`];
}
