import type { ColorOptions, Limits } from "../colormaps.js";
import type { FieldImage } from "./field-image.js";
import type { SampledCurve } from "./sample-curve.js";
import { axisLabel, picture, places, type SampledField } from "./sampled-field.js";

interface PanelBase {
  /** Printed above; panels that belong to the one before have none. */
  readonly title?: string;
  readonly subtitle?: string;
  /** Which part of a field it shows, printed behind the title: "$t$ = 0.5". */
  readonly place?: string;
  /** What the values are: "pressure $p$". Panels of the same quantity share the scale of their values. */
  readonly quantity: string;
  /** Width of the frame as a multiple of its height. */
  readonly aspect: number;
}

export interface CurvePanel extends PanelBase {
  readonly curve: SampledCurve;
  readonly xLabel: string;
  /** What the vertical axis spans; a curve beyond it is cut off. Default: the values and zero, to the next ticks. */
  readonly limits?: Limits;
  /** Whether the values are single numbers, which no line connects. */
  readonly numbers?: boolean;
}

export interface ImagePanel extends PanelBase {
  readonly image: FieldImage;
  readonly colors?: ColorOptions;
}

/** One frame of the picture of a sample. */
export type SamplePanel = CurvePanel | ImagePanel;

export function isImage(panel: SamplePanel): panel is ImagePanel {
  return "image" in panel;
}

export function isCurve(panel: SamplePanel): panel is CurvePanel {
  return "curve" in panel;
}

/** Input and response of a sample as they lie in the file. */
export interface SampleFields {
  readonly input?: SampledField;
  readonly response: SampledField;
}

export interface SamplePanels {
  readonly input: readonly SamplePanel[];
  readonly response: readonly SamplePanel[];
}

/** A function of one variable. Sensors of an input lie on the axis of what they measure. */
export function curve(field: SampledField, title: string, quantity: string): CurvePanel {
  const [axis] = field.axes;
  const xLabel = axisLabel(axis.name === "sensors" ? { ...axis, name: "x" } : axis);
  return { title, quantity, aspect: 1.3, curve: { x: places(field, 0), y: field.values }, xLabel };
}

/** A function of place and time: x to the right as in the curve beside it, time upwards. */
export function spaceTime(field: SampledField, title: string, quantity: string): ImagePanel {
  return { title, quantity, aspect: 1.15, image: { ...picture(field, "x", "up"), smooth: true } };
}

/** A field over a plane, in its true proportions. */
export function plane(field: SampledField, title: string, quantity: string): ImagePanel {
  const image = picture(field, "x", "up");
  return { title, quantity, aspect: proportions(image), image };
}

/** Width of a picture whose axes have the same unit, as a multiple of its height. */
export function proportions({ x, y }: FieldImage): number {
  return Math.abs((x.end - x.start) / (y.end - y.start));
}
