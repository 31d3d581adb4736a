import { drawChebyshev, sampleChebyshev } from "../../equations/chebyshev-space.js";
import type { Options, ValuesOf } from "../../options/option.js";
import { coordinateAxis, type DataSource } from "../source.js";

/** A source whose input is a random Chebyshev function, sampled at sensors. */
export function chebyshevSource<O extends Options>(
  source: Pick<DataSource, "title" | "equation" | "train" | "test" | "model" | "color"> & {
    readonly parameters: O;
    readonly labels: { readonly input: string; readonly response: string };
    /** What stands beside the scales of input and response in a picture. */
    readonly symbols: { readonly input: string; readonly response: string };
    readonly sensors: Float64Array;
    readonly x: Float64Array;
    /** None for a solution in space alone; it runs fastest. */
    readonly t?: Float64Array;
    /** Maps Chebyshev coefficients of the input function to the response. */
    readonly solver: (parameters: ValuesOf<O>) => (coefficients: Float64Array) => Float64Array;
  },
): DataSource {
  const { labels, symbols, sensors, x, t, solver, ...rest } = source;
  const axes = [coordinateAxis("x", x), ...(t ? [coordinateAxis("t", t, { kind: "time" })] : [])];
  const geometry = {
    inputs: { label: labels.input, axes: [coordinateAxis("sensors", sensors)] },
    responses: { label: labels.response, axes },
    coordinates: { sensors, x, ...(t && { t }) },
  };
  const text = (label: string, quantity: string) => ({
    title: label[0].toUpperCase() + label.slice(1),
    quantity,
  });
  return {
    ...rest,
    dtype: "float64",
    minSize: 16,
    normalise: "none", // inputs and solutions are of order one
    geometry: () => geometry,
    sampler: (parameters) => {
      const solve = solver(parameters as ValuesOf<O>);
      return (random) => {
        const coefficients = drawChebyshev(random);
        return { input: sampleChebyshev(coefficients, sensors), response: solve(coefficients) };
      };
    },
    picture: {
      kind: "fields",
      title: rest.title,
      input: text(labels.input, symbols.input),
      response: text(labels.response, symbols.response),
    },
  };
}
