import { type Cell, NOTHING } from "./tables/table.js";

/** A measured number of any size as print has it: 0.0123, 45.6, 3.2 × 10⁻⁹. */
export function measured(value: number, digits = 3): string {
  if (!Number.isFinite(value)) return NOTHING;
  if (value === 0) return "0";
  const [mantissa, exponent] = value.toExponential(digits - 1).split("e");
  const power = Number(exponent);
  const text =
    power < -3 || power > 4 ? `${mantissa} × 10${raised(power)}` : Number(value.toPrecision(digits));
  return String(text).replace("-", "−");
}

/** A cell with such a number; all its digits go to CSV. */
export function measuredCell(value: number | undefined, digits = 3): Cell {
  if (value === undefined || !Number.isFinite(value)) return { text: NOTHING, values: [null] };
  return { text: measured(value, digits), values: [value] };
}

/** A count with its noun: "1 partition", "280 partitions". */
export function counted(count: number, noun: string): string {
  return `${grouped(count)} ${noun}${count === 1 ? "" : "s"}`;
}

/** 12,345. */
export function grouped(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, ",");
}

function raised(exponent: number): string {
  return String(exponent).replace(/./g, (sign) => "⁰¹²³⁴⁵⁶⁷⁸⁹⁻"["0123456789-".indexOf(sign)]);
}
