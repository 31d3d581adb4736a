import type { ComponentChildren } from "preact";
import type { TermName } from "../glossary.js";
import { Term } from "./term.js";

interface SettingProps {
  readonly term: TermName;
  readonly value?: ComponentChildren;
  readonly children: ComponentChildren;
}

/** A control under its name, which explains itself. */
export function Setting({ term, value, children }: SettingProps) {
  return (
    <div class="setting">
      <div class="name">
        <Term name={term} />
        <span class="faint">{value}</span>
      </div>
      {children}
    </div>
  );
}
