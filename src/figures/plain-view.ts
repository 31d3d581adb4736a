import { DataError } from "../errors.js";
import { curve, type ImagePanel, proportions, type SamplePanel } from "./sample-panel.js";
import { channelOf, picture, type SampledField, withoutSingletons } from "./sampled-field.js";

/** Any field, by its number of axes: a curve, a picture as a table is printed, or one picture a channel. */
export function plainPanels(field: SampledField, name: string): SamplePanel[] {
  const plain = withoutSingletons(field);
  const [what, shape] = [name.toLowerCase(), field.shape.join(" x ")];
  if (plain.shape.length === 0)
    throw new DataError(`the ${what} of a sample is a single number: nothing to draw`);
  if (plain.shape.length === 1) return [curve(plain, name, what)];
  if (plain.shape.length === 2) return [table(plain, name, what)];
  if (plain.shape.length > 3 || plain.shape[0] > MOST_CHANNELS)
    throw new DataError(`the ${what} of a sample, ${shape}, has more channels than one picture takes`);
  return Array.from({ length: plain.shape[0] }, (_, i) =>
    table(channelOf(plain, i), `${name} ${i}`, `${what}, channel ${i}`),
  );
}

const MOST_CHANNELS = 6;

function table(field: SampledField, title: string, quantity: string): ImagePanel {
  const image = picture(field, "x", "down");
  return { title, quantity, aspect: Math.min(2.5, Math.max(0.4, proportions(image))), image };
}
