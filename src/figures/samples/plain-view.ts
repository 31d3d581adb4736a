import { verbatim } from "../../analysis/notation.js";
import { DataError } from "../../errors.js";
import { type PartChoice, partsOf } from "./chosen-parts.js";
import { curve, type ImagePanel, plane, proportions, type SamplePanel, spaceTime } from "./sample-panel.js";
import { isTimed } from "./sample-views.js";
import { picture, type SampledField, withoutSingletons } from "./sampled-field.js";

/** What a field is called, and which parts of it are drawn. */
export interface PlainOptions extends PartChoice {
  /** What its values are: `Input`, `Response`, or what the user or the file calls them. */
  readonly label: string;
  /** What stands over its panels. Default: the label. */
  readonly heading?: string;
  readonly unit?: string;
}

/** Any field, by its number of axes: a curve, a picture, frames of a trajectory, or planes of a volume; each channel alone. */
export function plainPanels(field: SampledField, options: PlainOptions): SamplePanel[] {
  const { label, heading = label, unit } = options;
  const plain = withoutSingletons(field);
  if (plain.shape.length === 0)
    throw new DataError(`the ${label.toLowerCase()} of a sample is a single number: nothing to draw`);
  return partsOf(plain, options).map(({ field: part, channel, place }) => {
    const named = channel !== undefined && /^\d+$/.test(channel) ? `channel ${channel}` : channel;
    const joined = (first: string) => [first, named].filter(Boolean).join(", ");
    const title = printed(capitalised(joined(heading)));
    const quantity = printed(joined(lowerCased(label)));
    const panel = panelOf(part, title, unit === undefined ? quantity : `${quantity} (${verbatim(unit)})`);
    return place === undefined ? panel : { ...panel, place };
  });
}

/** Words of the user as they are; nothing where there are none. */
const printed = (words: string): string => (words === "" ? "" : verbatim(words));
const capitalised = (label: string): string => label.slice(0, 1).toUpperCase() + label.slice(1);
const lowerCased = (label: string): string =>
  /^(Input|Response)$/.test(label) ? label.toLowerCase() : label;

/** Numbers without places up to which they are rather a list of descriptors than a function. */
const FEW_NUMBERS = 24;

/** Whether a field of one axis is a list of a few numbers: no line connects them. */
const isList = ({ axes, shape }: SampledField): boolean =>
  axes[0].values === undefined && shape[0] <= FEW_NUMBERS;

/** One or two axes as a picture. A plane whose axes nobody names is printed as a table is. */
function panelOf(field: SampledField, title: string, quantity: string): SamplePanel {
  if (field.axes.length === 1) {
    const drawn = curve(field, title, quantity);
    if (!isList(field)) return drawn;
    return { ...drawn, numbers: true, ...(field.axes[0].name === "x" && { xLabel: "number" }) };
  }
  if (isTimed(field)) return spaceTime(field, title, quantity);
  return field.axes.some(({ name }) => name === "row")
    ? table(field, title, quantity)
    : within(plane(field, title, quantity));
}

function table(field: SampledField, title: string, quantity: string): ImagePanel {
  const image = picture(field, "x", "down");
  return within({ title, quantity, aspect: proportions(image), image });
}

/** A panel of bearable proportions. */
const within = (panel: ImagePanel): ImagePanel => ({
  ...panel,
  aspect: Math.min(2.5, Math.max(0.4, panel.aspect)),
});
