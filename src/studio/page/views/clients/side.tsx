import { presentOf } from "../../loadable.js";
import { ChoiceControl, ControlName, SliderControl } from "../../parts/controls.js";
import { change, settings, split } from "../../state.js";
import { AlphaDial } from "./controls/alpha-dial.js";
import { PartitionFiles } from "./controls/partition-files.js";
import { PartitionerControl } from "./controls/partitioner-control.js";
import "./clients.css";

/** What can be set in this view. */
export function ClientsSide() {
  return (
    <>
      <AlphaDial />
      <SliderControl name="clients" term="clients" label="clients" from={2} to={100} />
      <SliderControl name="bins" term="bins" label="bins" from={2} to={50} />
      <Seed />
      <div class="row settings">
        <MinSize />
        <ChoiceControl name="repair" term="repair" label="repair" />
      </div>
      <PartitionerControl />
      <PartitionFiles />
    </>
  );
}

/** The seed, and the next one: another draw with everything else as it is. */
function Seed() {
  const { seed } = settings.value;
  return (
    <div class="setting">
      <ControlName term="seed" />
      <div class="row">
        <input
          type="number"
          aria-label="seed"
          min={0}
          step={1}
          value={seed}
          onChange={({ currentTarget }) => {
            if (currentTarget.value !== "" && currentTarget.validity.valid)
              change({ seed: currentTarget.valueAsNumber });
            else currentTarget.value = String(seed);
          }}
        />
        <button type="button" class="plain" onClick={() => change({ seed: seed + 1 })}>
          New draw
        </button>
      </div>
    </div>
  );
}

/** The minimum size; an empty box leaves it to the data. */
function MinSize() {
  const { min_size } = settings.value;
  const usual = min_size === 0 ? presentOf(split.value)?.minSize : undefined;
  return (
    <div class="setting">
      <ControlName term="min_size" />
      <input
        type="number"
        aria-label="minimum size"
        min={1}
        step={1}
        placeholder={usual === undefined ? "" : `${usual}, usual`}
        value={min_size === 0 ? "" : min_size}
        onChange={({ currentTarget }) => {
          if (currentTarget.validity.valid) change({ min_size: currentTarget.valueAsNumber || 0 });
          else currentTarget.value = min_size === 0 ? "" : String(min_size);
        }}
      />
    </div>
  );
}
