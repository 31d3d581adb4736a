import * as Plot from "@observablehq/plot";
import { alphaTicks, powerLabels } from "./ticks.js";

/**
 * The axis of concentrations, which a logarithmic scale `x` has. Plot's own axis leaves out labels on such a scale as
 * it sees fit, 0.5 between 1 and 0.3; this one shows every tick.
 */
export function alphaAxis(alphas: readonly number[]): Plot.Markish[] {
  const ticks = alphaTicks(alphas);
  return [
    Plot.axisX(ticks, { anchor: "bottom", label: null, tickSize: 3, fill: "none" }),
    Plot.text(ticks, {
      x: (alpha: number) => alpha,
      text: powerLabels(ticks),
      frameAnchor: "bottom",
      lineAnchor: "top",
      dy: 6,
    }),
  ];
}

/** The domain of that scale, from large to small, with some air at both ends. */
export function alphaDomain(alphas: readonly number[]): [number, number] {
  const [first, last] = [alphas[0], alphas.at(-1)!];
  const pad = 10 ** (0.06 * Math.max(1, Math.log10(first / last)));
  return [first * pad, last / pad];
}

/** At most so many of the values, evenly taken, the first and the last among them. */
export function evenly<T>(values: readonly T[], most: number): readonly T[] {
  if (values.length <= most) return values;
  return Array.from({ length: most }, (_, i) => values[Math.round((i * (values.length - 1)) / (most - 1))]);
}
