import { DEFAULT_BINS } from "../../../../partition/bins.js";
import { presentOf } from "../../loadable.js";
import { ChoiceControl, ControlName, NumberControl, SliderControl } from "../../parts/controls.js";
import { chosenPart, partWords } from "../../parts/field/chosen-part.js";
import { change, settings } from "../../state.js";
import { BinsSummary } from "./bins-summary.js";
import { gallery } from "./state.js";

/** The end of the slider; its box takes any number of bins. */
const MOST_BINS = 5 * DEFAULT_BINS;

/** What can be set in this view, and what the bins are as a whole. */
export function SolutionsSide() {
  return (
    <>
      <SliderControl name="bins" term="bins" label="Number of bins" from={2} to={MOST_BINS} />
      <NumberControl name="seed" term="bin_seed" label="Seed" />
      <ChoiceControl name="color" term="color" label="Colour by" />
      <PartControl />
      <BinsSummary />
    </>
  );
}

/** Which channel, frame or slice is shown, where there are several. */
function PartControl() {
  const panels = presentOf(gallery.value)?.centroids[0] ?? [];
  if (panels.length < 2) return null;
  return (
    <div class="setting">
      <ControlName term="part" />
      <select
        aria-label="Shown part"
        value={String(chosenPart(panels, settings.value.part))}
        onChange={({ currentTarget }) => change({ part: Number(currentTarget.value) + 1 })}
      >
        {panels.map((panel, i) => (
          <option key={i} value={String(i)}>
            {partWords(panel)}
          </option>
        ))}
      </select>
    </div>
  );
}
