import type { Option, OptionValue } from "../../../../../options/option.js";
import { MODEL_PREFIX, RUN_FIELD_GROUPS, runField } from "../../../../training/run-fields.js";
import type { RunChanges } from "../../../../training/run-list.js";
import { fieldName } from "../../../../training/run-names.js";
import type { RunValues } from "../../../../training/run-values.js";
import { Mathematics } from "../../../parts/mathematics.js";
import { OptionInput } from "../../../parts/option-input.js";

interface FieldListProps {
  /** Whose settings they are, for screen readers. */
  readonly label: string;
  readonly fields: RunChanges;
  /** What holds where they say nothing. */
  readonly usual: RunValues;
  /** Settings that have a place of their own. */
  readonly without?: readonly string[];
  readonly onChange: (fields: RunChanges) => void;
}

/** Settings by name, each of which can be changed or taken out, and a list to add others from. */
export function FieldList({ label, fields, usual, without = [], onChange }: FieldListProps) {
  const shown = Object.entries(fields).filter(([name]) => !without.includes(name));
  const add = (name: string) => {
    const value = firstValue(runField(name)!, usual[name]);
    if (value !== undefined) onChange({ ...fields, [name]: value });
  };
  return (
    <div class="field-list">
      {shown.map(([name, value]) => (
        <div key={name} class="field">
          <span class="field-name">
            <Mathematics text={fieldName(name)} />
          </span>
          <OptionInput
            name={name.replace(MODEL_PREFIX, "model ")}
            option={runField(name)!}
            value={value}
            onChange={(next) =>
              onChange(next === undefined ? withoutField(fields, name) : { ...fields, [name]: next })
            }
          />
          <button
            type="button"
            class="plain take-out"
            aria-label={`Take ${fieldName(name)} out of ${label}`}
            onClick={() => onChange(withoutField(fields, name))}
          >
            ×
          </button>
        </div>
      ))}
      <select
        aria-label={`Add a setting to ${label}`}
        value=""
        onChange={({ currentTarget }) => {
          add(currentTarget.value);
          currentTarget.value = "";
        }}
      >
        <option value="">Add a setting…</option>
        {Object.entries(RUN_FIELD_GROUPS).map(([group, options]) => (
          <optgroup key={group} label={group}>
            {Object.entries<Option>(options)
              .filter(([name, option]) => isAddable(name, option, fields, without))
              .map(([name]) => (
                <option key={name} value={name}>
                  {fieldName(name).replace(/[_^]/g, " ")}
                </option>
              ))}
          </optgroup>
        ))}
      </select>
    </div>
  );
}

const isAddable = (name: string, option: Option, fields: RunChanges, without: readonly string[]): boolean =>
  !(name in fields) && !without.includes(name) && firstValue(option, undefined) !== undefined;

/** A value to begin with: what holds already, or the default, or one in the middle of what is possible. */
function firstValue(option: Option, usual: OptionValue | undefined): OptionValue | undefined {
  const known = usual ?? option.default;
  if (known !== undefined) return known;
  switch (option.kind) {
    case "choice":
      return option.values[0];
    case "whole":
      return option.from;
    case "number":
      return option.from <= 0.5 && option.to >= 0.5 ? 0.5 : option.from;
    case "flag":
      return true;
    case "text":
      return undefined;
  }
}

function withoutField(fields: RunChanges, name: string): RunChanges {
  const { [name]: _, ...others } = fields;
  return others;
}
