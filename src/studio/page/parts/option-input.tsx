import { useId } from "preact/hooks";
import { type Option, type OptionValue, takes } from "../../../options/option.js";

interface OptionInputProps {
  readonly name: string;
  readonly option: Option;
  /** Undefined for its default. */
  readonly value: OptionValue | undefined;
  /** The values that a text can have here. */
  readonly choices?: readonly string[];
  /** Values of a text that are proposed beside any other. */
  readonly proposals?: readonly string[];
  /** Undefined where nothing is asked for, and the default holds. */
  readonly onChange: (value: OptionValue | undefined) => void;
}

/** What a declared option takes: a number, a word from a list, yes or no, or a text. */
export function OptionInput({ name, option, value, choices, proposals, onChange }: OptionInputProps) {
  const list = useId();
  const label = name.replaceAll("_", " ");
  const present = value ?? option.default;
  const words = option.kind === "choice" ? option.values : choices;
  if (words)
    return (
      <select
        aria-label={label}
        value={String(present)}
        onChange={({ currentTarget }) => onChange(currentTarget.value)}
      >
        {words.map((word) => (
          <option key={word}>{word}</option>
        ))}
      </select>
    );
  if (option.kind === "flag")
    return (
      <select
        aria-label={label}
        value={present === undefined ? "" : String(present)}
        onChange={({ currentTarget: { value: word } }) => onChange(word === "" ? undefined : word === "true")}
      >
        {option.default === undefined && <option value="">as the data ask for</option>}
        <option value="true">yes</option>
        <option value="false">no</option>
      </select>
    );
  const isNumber = option.kind === "whole" || option.kind === "number";
  return (
    <>
      <input
        type={isNumber ? "number" : "text"}
        aria-label={label}
        {...(isNumber && { min: option.from, max: option.to, step: option.kind === "whole" ? 1 : "any" })}
        list={proposals && list}
        value={String(present ?? "")}
        onChange={({ currentTarget }) => {
          const typed = isNumber ? currentTarget.valueAsNumber : currentTarget.value.trim();
          if (takes(option, typed)) onChange(typed);
          else currentTarget.value = String(present ?? "");
        }}
      />
      {proposals && (
        <datalist id={list}>
          {proposals.map((proposal) => (
            <option key={proposal} value={proposal} />
          ))}
        </datalist>
      )}
    </>
  );
}
