import { strategyWords } from "../../../../analysis/setting-words.js";
import { OPTIMIZERS } from "../../../../federation/optimizer-options.js";
import { STRATEGIES } from "../../../../federation/strategies/strategies.js";
import type { OptionValue } from "../../../../options/option.js";
import { takes } from "../../../../options/option.js";
import { fieldName } from "../../../training/run-names.js";
import { runValues } from "../../../training/run-values.js";
import { presentOf } from "../../loadable.js";
import { ChoiceControl, ControlName, NumberControl } from "../../parts/controls.js";
import { OptionInput } from "../../parts/option-input.js";
import { Setting } from "../../parts/settings.js";
import { change, settings } from "../../state.js";
import { FieldList } from "./runs/field-list.js";
import { plan } from "./state.js";

/** What all runs have, unless they change it. */
export function SharedSettings() {
  const { training } = settings.value;
  const strategy = String(training.strategy ?? "fedavg");
  const options = STRATEGIES[strategy]?.options ?? {};
  const set = (name: string, value: OptionValue | undefined) => {
    const { [name]: _, ...others } = training;
    change({ training: value === undefined ? others : { ...others, [name]: value } });
  };
  return (
    <fieldset class="group">
      <legend>All runs</legend>
      <div class="pair">
        <NumberControl name="rounds" term="rounds" label="rounds" />
        <NumberControl name="local_steps" term="local_steps" label="local steps" />
        <Batch />
        <Rate value={training.rate} onChange={(rate) => set("rate", rate)} />
      </div>
      <Setting term="strategy">
        <select
          aria-label="strategy"
          value={strategy}
          onChange={({ currentTarget: { value } }) =>
            change({
              training: { ...withoutStrategy(training), ...(value !== "fedavg" && { strategy: value }) },
            })
          }
        >
          {Object.keys(STRATEGIES).map((name) => (
            <option key={name} value={name}>
              {strategyWords({ strategy: name })}
            </option>
          ))}
        </select>
      </Setting>
      {Object.entries(options).map(([name, option]) => (
        <div key={name} class="field plain-field">
          <span class="field-name">{fieldName(name).replaceAll("_", "")}</span>
          <OptionInput
            name={name}
            option={option}
            value={training[name]}
            onChange={(value) => set(name, value === option.default ? undefined : value)}
          />
        </div>
      ))}
      <ChoiceControl
        name="size"
        term="model_size"
        label="model size"
        words={(size) => (size === "page" ? "for a page" : "as the commands have it")}
      />
      <FieldList
        label="all runs"
        fields={training}
        usual={runValues(settings.value, {})}
        without={["strategy", "rate", ...Object.keys(options), ...OWN_PLACES]}
        onChange={(fields) => change({ training: fields })}
      />
    </fieldset>
  );
}

/** Settings of the page that have controls of their own, here or in the view of clients. */
const OWN_PLACES = [
  ...["alpha", "clients", "seed", "bins", "min_size", "repair", "partitioner", "local_steps", "batch"],
  ...[
    "shards",
    "bins_per_client",
    "sizes",
    "sigma",
    "size_alpha",
    "base",
    "ranges",
    "strictness",
    "input_bins",
  ],
];

const withoutStrategy = (training: Readonly<Record<string, OptionValue>>) =>
  Object.fromEntries(
    Object.entries(training).filter(
      ([name]) => name !== "strategy" && !Object.values(STRATEGIES).some(({ options }) => name in options),
    ),
  );

/** The batch; an empty box leaves it to the model. */
function Batch() {
  const { batch } = settings.value;
  const planned = presentOf(plan.value)?.find((one) => typeof one === "object");
  return (
    <div class="setting">
      <ControlName term="batch" />
      <input
        type="number"
        aria-label="batch"
        min={1}
        step={1}
        placeholder={planned ? `${planned.batch}, usual` : "usual"}
        value={batch === 0 ? "" : batch}
        onChange={({ currentTarget }) => {
          if (currentTarget.validity.valid) change({ batch: currentTarget.valueAsNumber || 0 });
          else currentTarget.value = batch === 0 ? "" : String(batch);
        }}
      />
    </div>
  );
}

/** The learning rate; an empty box leaves it to the optimiser. */
function Rate({
  value,
  onChange,
}: {
  readonly value: OptionValue | undefined;
  readonly onChange: (value: number | undefined) => void;
}) {
  const { rate } = OPTIMIZERS[String(settings.value.training.optimizer ?? "adam")].options;
  return (
    <div class="setting">
      <ControlName term="rate" />
      <input
        type="number"
        aria-label="learning rate"
        step="any"
        placeholder={`${rate.default}, usual`}
        value={value === undefined ? "" : String(value)}
        onChange={({ currentTarget }) => {
          if (currentTarget.value === "") onChange(undefined);
          else if (takes(rate, currentTarget.valueAsNumber)) onChange(currentTarget.valueAsNumber);
          else currentTarget.value = value === undefined ? "" : String(value);
        }}
      />
    </div>
  );
}
