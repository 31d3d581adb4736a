import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";
import type { Option, OptionValue } from "../../../options/option.js";
import { takes } from "../../../options/option.js";
import type { Entry } from "../glossary.js";
import { Explained } from "./term.js";
import "./fields.css";

interface FieldProps<T> {
  /** The word over it, which explains itself. */
  readonly entry: Entry;
  readonly value: T;
  readonly onChange: (value: T) => void;
}

/** A word, with a control under it. */
export function Field({
  entry,
  beside,
  children,
}: {
  readonly entry: Entry;
  readonly beside?: ComponentChildren;
  readonly children: ComponentChildren;
}) {
  return (
    <div class="setting">
      <div class="name">
        <Explained entry={entry} />
        <span class="faint">{beside}</span>
      </div>
      {children}
    </div>
  );
}

/** A line of text; what is typed counts when it is left, or on Enter. */
export function TextField({
  entry,
  value,
  onChange,
  placeholder,
}: FieldProps<string> & { readonly placeholder?: string }) {
  return (
    <Field entry={entry}>
      <input
        type="text"
        aria-label={entry.label}
        placeholder={placeholder}
        spellcheck={false}
        autocomplete="off"
        value={value}
        onChange={({ currentTarget }) => onChange(currentTarget.value.trim())}
      />
    </Field>
  );
}

/** One of several values. */
export function SelectField({
  entry,
  value,
  onChange,
  values,
}: FieldProps<string> & {
  readonly values: readonly { readonly value: string; readonly words: string }[];
}) {
  return (
    <Field entry={entry}>
      <select
        aria-label={entry.label}
        value={value}
        onChange={({ currentTarget }) => onChange(currentTarget.value)}
      >
        {values.map((one) => (
          <option key={one.value} value={one.value}>
            {one.words}
          </option>
        ))}
      </select>
    </Field>
  );
}

/** A value of any option that declares itself; what the option does not take is not set. */
export function OptionField({
  entry,
  option,
  value,
  onChange,
}: FieldProps<OptionValue> & { readonly option: Option }) {
  if (option.kind === "choice")
    return (
      <SelectField
        entry={entry}
        value={String(value)}
        onChange={onChange}
        values={option.values.map((one) => ({ value: one, words: one }))}
      />
    );
  if (option.kind === "text") return <TextField entry={entry} value={String(value)} onChange={onChange} />;
  if (option.kind === "flag")
    return (
      <Field entry={entry}>
        <input
          type="checkbox"
          aria-label={entry.label}
          checked={value === true}
          onChange={({ currentTarget }) => onChange(currentTarget.checked)}
        />
      </Field>
    );
  return (
    <Field entry={entry}>
      <input
        type="number"
        aria-label={entry.label}
        min={option.from}
        max={option.to}
        step={option.kind === "whole" ? 1 : "any"}
        value={value as number}
        onChange={({ currentTarget }) => {
          const typed = currentTarget.valueAsNumber;
          if (takes(option, typed)) onChange(typed);
          else currentTarget.value = String(value);
        }}
      />
    </Field>
  );
}

/** A number on a slider, with its words beside its name. */
export function SliderField({
  entry,
  value,
  onChange,
  most,
  words,
}: FieldProps<number> & {
  /** The largest number; the smallest is 0. */
  readonly most: number;
  readonly words: string;
}) {
  return (
    <Field entry={entry} beside={words}>
      <input
        type="range"
        aria-label={entry.label}
        aria-valuetext={words}
        min={0}
        max={most}
        step={1}
        value={value}
        onInput={({ currentTarget }) => onChange(currentTarget.valueAsNumber)}
      />
    </Field>
  );
}

/** One of two or three values, side by side. */
export function Switch<T extends string>({
  label,
  values,
  value,
  onChange,
}: {
  readonly label: string;
  readonly values: readonly { readonly value: T; readonly words: string; readonly isDisabled?: boolean }[];
  readonly value: T;
  readonly onChange: (value: T) => void;
}) {
  const name = useId();
  return (
    <fieldset class="switch" aria-label={label}>
      {values.map((one) => (
        <label key={one.value} class={one.value === value ? "chosen" : ""}>
          <input
            type="radio"
            name={name}
            value={one.value}
            checked={one.value === value}
            disabled={one.isDisabled}
            onChange={() => onChange(one.value)}
          />
          {one.words}
        </label>
      ))}
    </fieldset>
  );
}
