import { type ColorScale, colorScale } from "../../../../../figures/colormaps.js";
import { extent } from "../../../../../figures/samples/extent.js";
import {
  type CurvePanel,
  type ImagePanel,
  isCurve,
  isImage,
  type SamplePanel,
} from "../../../../../figures/samples/sample-panel.js";
import { roundStep } from "../../../../../figures/ticks.js";
import type { DataFacts } from "../../../../lab/lab.js";
import { chosenPart } from "../../../parts/field/chosen-part.js";
import { responsePanels } from "../../../parts/field/response-panels.js";
import { limited, type Scales, scalesFor } from "../../../parts/field/shared-scales.js";

type Values = Float32Array | Float64Array;

interface Predicted {
  readonly truth: Values;
  readonly prediction: Values;
}

/** A part of a response three times: as it is, as it is predicted, and the difference. */
export type PredictedPart = { readonly choices: readonly SamplePanel[]; readonly chosen: number } & (
  | {
      readonly kind: "image";
      readonly panels: readonly [truth: ImagePanel, prediction: ImagePanel, error: ImagePanel];
      /** One scale for truth and prediction, one about zero for the error. */
      readonly scales: { readonly values: ColorScale; readonly errors: ColorScale };
    }
  | {
      readonly kind: "curve";
      readonly panels: readonly [truth: CurvePanel, prediction: CurvePanel, error: CurvePanel];
    }
);

/** Truth, prediction and error of the part of a sample that the setting `part` means. */
export function predictedPart(
  data: DataFacts,
  { truth, prediction }: Predicted,
  { part, scales }: { readonly part: number; readonly scales: Scales },
): PredictedPart | undefined {
  const panels = [truth, prediction].map((values) => responsePanels(data, values));
  const choice = { choices: panels[0], chosen: chosenPart(panels[0], part) };
  const [of, predicted] = panels.map((one) => one[choice.chosen]);
  const shared = scalesFor(scales, [of]);
  if (isImage(of) && isImage(predicted)) {
    const values = difference(of.image.values, predicted.image.values);
    const error = { ...of, image: { ...of.image, values } };
    const [, most] = colorScale([values], { ...of.colors, map: "rdbu" }).domain;
    const reach = roundAbove(most);
    return {
      ...choice,
      kind: "image",
      panels: [of, predicted, error],
      scales: {
        values: shared.colors.get(of.quantity)!,
        errors: colorScale([], { map: "rdbu", limits: [-reach, reach] }),
      },
    };
  }
  if (!isCurve(of) || !isCurve(predicted)) return undefined;
  const values = difference(of.curve.y, predicted.curve.y);
  const [low, high] = extent(values);
  const reach = roundAbove(Math.max(-low, high));
  const { title: _, ...error } = { ...of, quantity: "error", curve: { x: of.curve.x, y: values } };
  return {
    ...choice,
    kind: "curve",
    panels: [limited(of, shared) as CurvePanel, predicted, { ...error, limits: [-reach, reach] }],
  };
}

/** How far a prediction is from the truth, in the units that are shown. */
const difference = (truth: ArrayLike<number>, prediction: ArrayLike<number>): Float64Array =>
  Float64Array.from(truth, (value, i) => prediction[i] - value);

/** A round number at or above this one: it stays while errors change a little. */
const roundAbove = (value: number): number => (value > 0 ? roundStep(value, 1) : 1);

/** Relative error of one sample. */
export function sampleError({ truth, prediction }: Predicted): number {
  let [error, norm] = [0, 0];
  truth.forEach((value, i) => {
    error += (prediction[i] - value) ** 2;
    norm += value ** 2;
  });
  return Math.sqrt(error / norm);
}
