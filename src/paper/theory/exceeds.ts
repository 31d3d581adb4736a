/** Round-off that an inequality is allowed, as a part of the numbers in it. */
export const ROUND_OFF = 1e-12;

/** Whether a value is above its bound by more than round-off in numbers of this size. */
export function exceeds(value: number, bound: number, size = Math.abs(bound)): boolean {
  return value > bound + ROUND_OFF * size;
}
