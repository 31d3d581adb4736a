import { fixed } from "../../analysis/tables/table.js";
import { SMALL_STEP } from "./evidence/trajectory-drift-evidence.js";
import type { RemainderOrder } from "./remainder-order.js";

type OrderOfSteps = RemainderOrder & { readonly steps: number };

/** What is said where no order can be taken. */
export const TOO_FEW_RATES = `fewer than three learning rates with η L E ≤ ${SMALL_STEP} have a remainder above round-off`;

/** "3.00 (E = 2), 2.99 (E = 5)" */
export function slopesInWords(orders: readonly OrderOfSteps[]): string {
  return orders.map(({ steps, slope }) => `${fixed(slope, 2)} (E = ${steps})`).join(", ");
}

/** Slopes over all learning rates and between neighbouring ones, for remainders that follow no power. */
export function ordersInWords(name: string, orders: readonly OrderOfSteps[]): string {
  if (orders.length === 0) return TOO_FEW_RATES;
  const local = orders.flatMap(({ localSlopes }) => localSlopes);
  return (
    `${name} ${slopesInWords(orders)}, between neighbouring learning rates from ${fixed(Math.min(...local), 1)} to ` +
    fixed(Math.max(...local), 1)
  );
}
