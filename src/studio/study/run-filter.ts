import type { SeedRecord } from "../../records/seed-record.js";

/** Values that runs may have, by the name of a setting; `task`, `alpha` and `seed` are names too. */
export type RunFilter = ReadonlyMap<string, readonly string[]>;

/** What of a run a filter looks at. */
export type Filtered = Pick<SeedRecord, "task" | "alpha" | "seed" | "settings">;

/** What a run has of a setting, as text; empty where it has no such setting. */
export function textOf(record: Filtered, name: string): string {
  switch (name) {
    case "task":
    case "seed":
      return String(record[name]);
    case "alpha":
      return Number.isNaN(record.alpha) ? "" : String(record.alpha);
    default:
      return String(record.settings[name] ?? "");
  }
}

/** Whether a run is among those that a filter lets through: for every name, it has one of the values. */
export function passes(filter: RunFilter, record: Filtered): boolean {
  for (const [name, values] of filter) if (!values.includes(textOf(record, name))) return false;
  return true;
}

/** Reads `task=burgers;alpha=0.1,0.01`. Signs that mean something here are escaped as in addresses. */
export function filterOf(text: string): RunFilter {
  const parts = text.split(";").filter((part) => part.includes("="));
  return new Map(
    parts.map((part) => {
      const at = part.indexOf("=");
      return [
        unescaped(part.slice(0, at)),
        part
          .slice(at + 1)
          .split(",")
          .map(unescaped),
      ];
    }),
  );
}

/** The filter as the address has it. */
export function filterText(filter: RunFilter): string {
  return [...filter]
    .filter(([, values]) => values.length > 0)
    .map(([name, values]) => `${escaped(name)}=${values.map(escaped).join(",")}`)
    .join(";");
}

/** The filter with a value of a setting chosen, or no more chosen. */
export function toggled(filter: RunFilter, name: string, value: string): RunFilter {
  const values = filter.get(name) ?? [];
  const others = values.filter((one) => one !== value);
  return new Map([...filter, [name, others.length < values.length ? others : [...values, value]]]);
}

const escaped = (text: string): string => text.replace(/[%;,=]/g, encodeURIComponent);

function unescaped(text: string): string {
  try {
    return decodeURIComponent(text.trim());
  } catch {
    return text;
  }
}
