import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";
import type { Option } from "../../../options/option.js";
import { STUDIO_OPTIONS, type StudioSettings } from "../../settings.js";
import type { TermName } from "../glossary.js";
import { change, settings } from "../state.js";
import { Term } from "./term.js";

type OptionName = keyof typeof STUDIO_OPTIONS;

interface ControlProps {
  /** The setting that it changes. */
  readonly name: OptionName;
  /** The word over it, which explains itself. */
  readonly term: TermName;
}

const optionOf = (name: OptionName): Option => STUDIO_OPTIONS[name];
const set = (name: OptionName, value: unknown) => change({ [name]: value } as Partial<StudioSettings>);

/** The word of a control, with its value beside it. */
export function ControlName({
  term,
  value,
}: {
  readonly term: TermName;
  readonly value?: ComponentChildren;
}) {
  return (
    <div class="name">
      <Term name={term} />
      <span class="faint">{value}</span>
    </div>
  );
}

/** A number, typed or stepped; what its option does not take is not set. */
export function NumberControl({ name, term, label }: ControlProps & { readonly label: string }) {
  const option = optionOf(name);
  if (option.kind !== "whole" && option.kind !== "number") throw new TypeError(`${name} is no number`);
  return (
    <div class="setting">
      <ControlName term={term} />
      <input
        type="number"
        aria-label={label}
        min={option.from}
        max={option.to}
        step={option.kind === "whole" ? 1 : "any"}
        value={settings.value[name] as number}
        onChange={({ currentTarget }) => {
          if (currentTarget.value !== "" && currentTarget.validity.valid)
            set(name, currentTarget.valueAsNumber);
          else currentTarget.value = String(settings.value[name]);
        }}
      />
    </div>
  );
}

interface SliderProps extends ControlProps {
  readonly label: string;
  readonly from: number;
  readonly to: number;
  /** Whether equal steps are equal factors. */
  readonly isLogarithmic?: boolean;
  /** Steps from end to end. Default: one for each whole number. */
  readonly steps?: number;
}

/** A slider, moved by mouse or arrow keys, with a box for any other value that the option takes. */
export function SliderControl({ name, term, label, from, to, isLogarithmic = false, steps }: SliderProps) {
  const id = useId();
  const value = settings.value[name] as number;
  const count = steps ?? to - from;
  const placeOf = (v: number) =>
    isLogarithmic ? (Math.log(v / from) / Math.log(to / from)) * count : ((v - from) / (to - from)) * count;
  const valueAt = (place: number) =>
    isLogarithmic
      ? Number((from * (to / from) ** (place / count)).toPrecision(2))
      : Math.round(from + (place / count) * (to - from));
  const option = optionOf(name) as Extract<Option, { readonly kind: "number" | "whole" }>;
  return (
    <div class="setting" data-tour={name}>
      <div class="name">
        <Term name={term} />
        <input
          class="beside"
          type="number"
          aria-label={`${label}, as a number`}
          min={option.from}
          max={option.to}
          step="any"
          value={value}
          onChange={({ currentTarget }) => {
            if (currentTarget.value !== "" && currentTarget.validity.valid)
              set(name, currentTarget.valueAsNumber);
            else currentTarget.value = String(value);
          }}
        />
      </div>
      <input
        id={id}
        type="range"
        aria-label={label}
        aria-valuetext={String(value)}
        min={0}
        max={count}
        step={1}
        value={Math.min(count, Math.max(0, placeOf(value)))}
        onInput={({ currentTarget }) => set(name, valueAt(currentTarget.valueAsNumber))}
      />
    </div>
  );
}

interface ChoiceProps extends ControlProps {
  readonly label: string;
  /** What stands for a value. Default: the value itself. */
  readonly words?: (value: string) => string;
}

/** One of several values. */
export function ChoiceControl({ name, term, label, words = String }: ChoiceProps) {
  const option = optionOf(name);
  if (option.kind !== "choice") throw new TypeError(`${name} is no choice`);
  return (
    <div class="setting">
      <ControlName term={term} />
      <select
        aria-label={label}
        value={settings.value[name] as string}
        onChange={({ currentTarget }) => set(name, currentTarget.value)}
      >
        {option.values.map((value) => (
          <option key={value} value={value}>
            {words(value)}
          </option>
        ))}
      </select>
    </div>
  );
}
