/** A remainder at one learning rate. Sizes below `floor` are round-off. */
export interface Remainder {
  readonly rate: number;
  readonly size: number;
  readonly floor: number;
}

/** The order at which remainders vanish, and the learning rates of the fit. */
export interface RemainderOrder {
  readonly slope: number;
  /** Slopes between consecutive rates. */
  readonly localSlopes: readonly number[];
  readonly rates: readonly number[];
}

/** Learning rates from `largest` down, `perDecade` of them each time the rate falls to a tenth. */
export function geometricRates(largest: number, decades: number, perDecade = 2): number[] {
  return Array.from({ length: decades * perDecade + 1 }, (_, i) => largest * 10 ** (-i / perDecade));
}

/**
 * Fits the slope of log size against log rate by least squares. The fit uses the rates up to `largest` whose
 * remainder exceeds its floor. With fewer than three, the result is undefined. Default `largest`: infinity.
 */
export function remainderOrder(
  remainders: readonly Remainder[],
  largest = Infinity,
): RemainderOrder | undefined {
  const used = remainders.filter(({ rate, size, floor }) => rate <= largest && size > floor);
  if (used.length < 3) return undefined;
  const slopeOf = (some: readonly Remainder[]) =>
    logSlope(
      some.map(({ rate }) => rate),
      some.map(({ size }) => size),
    );
  return {
    slope: slopeOf(used),
    localSlopes: used.slice(1).map((_, i) => slopeOf(used.slice(i, i + 2))),
    rates: used.map(({ rate }) => rate),
  };
}

/** The least-squares slope of log y over log x. */
export function logSlope(x: readonly number[], y: readonly number[]): number {
  const [logX, logY] = [x.map(Math.log), y.map(Math.log)];
  const mean = (values: readonly number[]) => values.reduce((a, b) => a + b, 0) / values.length;
  const [meanX, meanY] = [mean(logX), mean(logY)];
  let above = 0;
  let below = 0;
  logX.forEach((value, i) => {
    above += (value - meanX) * (logY[i] - meanY);
    below += (value - meanX) ** 2;
  });
  return above / below;
}
