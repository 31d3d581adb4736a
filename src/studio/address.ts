import { type Option, type OptionValue, takes } from "../options/option.js";
import { DEFAULT_SETTINGS, STUDIO_OPTIONS, type StudioSettings } from "./settings.js";

/** Groups of settings whose names depend on task, partitioner or file; the address has them as `group.name`. */
const GROUPS = ["parameters", "split", "reading", "training"] as const;

/** The part of an address after `#`: all settings that differ from their defaults. */
export function addressOf(settings: StudioSettings): string {
  const words = new URLSearchParams();
  for (const name of Object.keys(STUDIO_OPTIONS) as (keyof typeof STUDIO_OPTIONS)[])
    if (settings[name] !== DEFAULT_SETTINGS[name]) words.set(name, String(settings[name]));
  for (const group of GROUPS)
    for (const [name, value] of Object.entries(settings[group])) words.set(`${group}.${name}`, String(value));
  return words.toString();
}

/** Settings of an address. What it does not say, or says wrongly, keeps its default and is named in `ignored`. */
export function settingsOf(address: string): {
  readonly settings: StudioSettings;
  readonly ignored: readonly string[];
} {
  const values: Record<string, unknown> = { ...DEFAULT_SETTINGS };
  const groups: Record<string, Record<string, OptionValue>> = {};
  const ignored: string[] = [];
  for (const [name, written] of new URLSearchParams(address.replace(/^#/, ""))) {
    const [group, inner] = name.split(/\.(.*)/s);
    if (inner && (GROUPS as readonly string[]).includes(group)) {
      groups[group] = { ...groups[group], [inner]: parsed(written) };
      continue;
    }
    const option = Object.hasOwn(STUDIO_OPTIONS, name)
      ? (STUDIO_OPTIONS as Readonly<Record<string, Option>>)[name]
      : undefined;
    const value = option && readValue(option, written);
    if (option && value !== undefined) values[name] = value;
    else ignored.push(name);
  }
  return { settings: { ...values, ...groups } as unknown as StudioSettings, ignored };
}

function readValue(option: Option, written: string): OptionValue | undefined {
  if (option.kind === "text" && written === "") return ""; // a default that is chosen again
  const value = option.kind === "text" || option.kind === "choice" ? written : parsed(written);
  return takes(option, value) ? value : undefined;
}

/** A number or a truth value where the text is one. */
function parsed(written: string): OptionValue {
  if (written === "true" || written === "false") return written === "true";
  return written.trim() !== "" && Number.isFinite(Number(written)) ? Number(written) : written;
}
