import { READING_CHOICES } from "../../../file-reading.js";
import type { Entry } from "../../glossary.js";
import { OptionField, SelectField, TextField } from "../../parts/fields.js";
import { change, settings } from "../../state.js";

/** What a person says most often, and what only some files need. */
const FIRST = ["inputs", "responses", "test", "channels"];
const REST = ["sample_axis", "axes", "input_axes", "window", "window_step", "group", "layout"];
const NAMES = ["title", "input_label", "input_unit", "response_label", "response_unit"];

/** How the file is read, as fields: those of the command line, by the same names. */
export function ReadingFields() {
  const { reading } = settings.value;
  const isSaid = (names: readonly string[]) => names.some((name) => reading[name] !== undefined);
  return (
    <>
      {FIRST.map((name) => (
        <ReadingField key={name} name={name} />
      ))}
      <details open={isSaid(REST)}>
        <summary>Axes, windows and groups</summary>
        {REST.map((name) => (
          <ReadingField key={name} name={name} />
        ))}
      </details>
      <details open={isSaid(NAMES)}>
        <summary>Names and units</summary>
        {NAMES.map((name) => (
          <ReadingField key={name} name={name} />
        ))}
      </details>
      {Object.keys(reading).length > 0 && (
        <button type="button" class="plain" onClick={() => change({ reading: {}, sample: 0 })}>
          Read as the file says
        </button>
      )}
    </>
  );
}

/** One choice: empty where the file decides. */
export function ReadingField({ name }: { readonly name: string }) {
  const { kind, help } = READING_CHOICES[name];
  const entry: Entry = { label: labelOf(name), meaning: `${help[0].toUpperCase()}${help.slice(1)}.` };
  const value = settings.value.reading[name];
  const say = (said: string | number) => {
    const { [name]: _, ...others } = settings.value.reading;
    change({ reading: said === "" ? others : { ...others, [name]: said }, sample: 0 });
  };
  if (typeof kind === "object")
    return (
      <SelectField
        entry={entry}
        value={String(value ?? "")}
        onChange={say}
        values={[
          { value: "", words: "as the file says" },
          ...kind.map((one) => ({ value: one, words: one })),
        ]}
      />
    );
  if (kind === "whole")
    return (
      <OptionField
        entry={entry}
        option={{ kind: "whole", from: 1, help }}
        value={value ?? 1}
        onChange={(said) => say(said as number)}
      />
    );
  return (
    <TextField entry={entry} value={String(value ?? "")} placeholder={PLACEHOLDERS[name]} onChange={say} />
  );
}

const PLACEHOLDERS: Readonly<Record<string, string>> = {
  inputs: "as named in the file",
  responses: "as named in the file",
  test: "as in the file, else 0.2",
  window: "4:1",
  axes: "x,y,t",
  input_axes: "x,y",
};

/** `sample_axis` as a person reads it. */
const labelOf = (name: string): string => {
  const words = name.replaceAll("_", " ");
  return name === "test" ? "Test samples" : words[0].toUpperCase() + words.slice(1);
};
