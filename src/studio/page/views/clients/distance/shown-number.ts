import { raised } from "../../../../../figures/ticks.js";

/** A measure with three decimals, or with a power of ten where those would show nothing; a dash where there is none. */
export function shownNumber(value: number | null | undefined): string {
  if (value === null || value === undefined || Number.isNaN(value)) return "–";
  if (value === 0 || Math.abs(value) >= 9.995e-3) return value.toFixed(3);
  const exponent = Math.floor(Math.log10(Math.abs(value)));
  return `${(value / 10 ** exponent).toFixed(1)} · 10${raised(exponent)}`;
}
