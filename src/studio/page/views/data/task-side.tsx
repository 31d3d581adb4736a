import { SOURCE_NAMES, sourceOf } from "../../../../datasets/sources.js";
import type { Option, OptionValue } from "../../../../options/option.js";
import { NumberControl } from "../../parts/controls.js";
import { OptionField, SelectField } from "../../parts/fields.js";
import { Term } from "../../parts/term.js";
import { change, settings } from "../../state.js";
import { ANOTHER_DATASET } from "./side.js";
import { DATA_WORDS } from "./words.js";

/** A built-in task with its parameters, and how many samples of it are made. */
export function TaskSide() {
  const { task, parameters } = settings.value;
  const source = sourceOf(task);
  const set = (name: string, value: OptionValue) => {
    const { [name]: _, ...others } = parameters;
    const isUsual = source.parameters[name].default === value;
    change({ parameters: isUsual ? others : { ...others, [name]: value } });
  };
  return (
    <div class="group">
      <SelectField
        entry={DATA_WORDS.task}
        value={task}
        onChange={(chosen) =>
          change({ ...ANOTHER_DATASET, task: chosen, parameters: {}, train_samples: 0, test_samples: 0 })
        }
        values={SOURCE_NAMES.map((name) => ({ value: name, words: sourceOf(name).title }))}
      />
      <div class="parameters">
        {Object.entries(source.parameters).map(([name, option]: readonly [string, Option]) => (
          <OptionField
            key={`${task} ${name}`}
            entry={{
              label: wordsOf(name),
              meaning: `${option.help[0].toUpperCase()}${option.help.slice(1)}.`,
            }}
            option={option}
            value={parameters[name] ?? option.default!}
            onChange={(value) => set(name, value)}
          />
        ))}
      </div>
      <div class="side-by-side">
        <CountControl name="train_samples" usual={source.train} />
        <CountControl name="test_samples" usual={source.test} />
      </div>
      <NumberControl name="data_seed" term="data_seed" label="Data seed" />
    </div>
  );
}

/** A number of samples; empty for the task's own. */
function CountControl({
  name,
  usual,
}: {
  readonly name: "train_samples" | "test_samples";
  readonly usual: number;
}) {
  const value = settings.value[name];
  return (
    <div class="setting">
      <div class="name">
        <Term name={name} />
      </div>
      <input
        type="number"
        aria-label={DATA_WORDS[name].label}
        min={1}
        step={1}
        placeholder={String(usual)}
        value={value === 0 ? "" : value}
        onChange={({ currentTarget }) => {
          const typed = currentTarget.valueAsNumber;
          if (currentTarget.value === "" || (Number.isSafeInteger(typed) && typed >= 0))
            change({ [name]: currentTarget.value === "" ? 0 : typed });
          else currentTarget.value = value === 0 ? "" : String(value);
        }}
      />
    </div>
  );
}

/** `reynoldsMin` as words: `Reynolds min`. */
const wordsOf = (name: string): string => {
  const words = name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return words[0].toUpperCase() + words.slice(1);
};
